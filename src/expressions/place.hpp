// SPDX-License-Identifier: BSD-3-Clause
// Places in a text, as errors show them: the line, and a caret under the column.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace cotangent::expressions {

inline constexpr std::size_t most_shown = 60;  ///< characters of a text that an error repeats

/// The line of a place, counted from 0, and where it begins.
std::pair<std::size_t, std::size_t> line_of(const std::string& text, std::size_t position);

/// The line of a text in which a place is, cut where it is long, and a caret under the place: what an error
/// about the place ends with.
std::string marked(const std::string& text, std::size_t position);

}  // namespace cotangent::expressions
