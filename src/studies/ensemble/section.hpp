// SPDX-License-Identifier: BSD-3-Clause
// The section that a deck states.
#pragma once

#include <optional>

#include "sections/problem.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// `[section]` of a deck, where it is there: where = a coordinate or an expression, value, direction; or
/// where = "t", the times value + k every > 0, both numbers or formulas of the parameters; and condition.
std::optional<sections::Section> read_section(Task& task, const sections::Statement& statement);

}  // namespace cotangent::studies
