// SPDX-License-Identifier: BSD-3-Clause
// The options that methods declare (integrators/options.hpp), as decks and people see them.
#pragma once

#include <string>
#include <string_view>

#include "integrators/options.hpp"
#include "io/deck.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// What the method of this name takes. There must be one.
std::vector<integrators::Option> options_of(const std::string& method);

/// Fills the option's field from the table; what isn't there keeps its value. Throws an Error for a value out
/// of the option's range.
void read(const io::Table& table, const integrators::Option& option, integrators::MethodOptions& options);

/// What the option may be: "1 to 16", "positive", "A, C, E".
std::string range_of(const integrators::Option& option);

/// The option's value as TOML has it; empty where there is none.
std::string value_of(const integrators::Option& option, const integrators::MethodOptions& options);

/// The method and what it takes from `[method]`: `gauss, stages = 8, step = 0.5`.
std::string in_words(const integrators::MethodOptions& options);

/// Warns of a tolerance below what the method rounds by, given in this place of the deck: it takes a larger
/// one.
void warn_of_rounding(Task& task, std::string_view place, const integrators::MethodOptions& options);

}  // namespace cotangent::studies
