// SPDX-License-Identifier: BSD-3-Clause
// Where a text's own numbers go wrong.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "expressions/parser.hpp"

namespace cotangent::expressions {

/// The place in a text that parse() takes where a number comes out that isn't finite, or something is divided
/// by zero; none where nothing is.
std::optional<std::size_t> place_not_finite(const std::string& text, Language language,
                                            std::span<const std::string> names);

}  // namespace cotangent::expressions
