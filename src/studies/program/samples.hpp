// SPDX-License-Identifier: BSD-3-Clause
// What a statement says, in numbers: its own function on a grid, for tools that draw it.
#pragma once

#include <string>

#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Comma-separated values, a line with the names of the columns first. A potential of pairs: r, U, from 0 to
/// where it is hardly felt (a hundredth of a per cent, or its usual cut-off). A surface: x, y, g in the plane
/// z = 0, a square that holds its cut with the plane. Lines that begin with # say the name and the
/// parameters, which are the defaults. Throws Error where the name is neither's, or the surface doesn't cross
/// the axes of the plane.
std::string samples(const std::string& name, const Statements& stated);

}  // namespace cotangent::studies
