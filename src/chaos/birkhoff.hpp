// SPDX-License-Identifier: BSD-3-Clause
// Weighted Birkhoff averages: of values f_0 ... f_(N-1) along an orbit,
//   sum_n w(n/N) f_n / sum_n w(n/N),   w(s) = exp(-1 / (s (1 - s))),
// which on a smooth torus converge faster than any power of N, and in a chaotic sea like any other average:
// how well two halves of an orbit agree tells one from the other.
// References: Das, Saiki, Sander, Yorke, Nonlinearity 30 (2017) 4111; Sander, Meiss, Physica D 411 (2020)
// 132569.
#pragma once

#include <array>
#include <span>
#include <vector>

namespace cotangent::chaos {

/// The weighted average; NaN of fewer than two values.
double weighted_average(std::span<const double> values);

/// To how many decimal digits the averages of both halves agree: 17 where they are equal.
double agreeing_digits(std::span<const double> values);

/// By what share of a turn each point of an orbit in a plane is ahead of the one before, seen from a centre:
/// in (-1/2, 1/2], counter-clockwise. Their weighted average is the rotation number, where the curve
/// surrounds the centre and no step is near half a turn.
std::vector<double> turns(std::span<const std::array<double, 2>> points, const std::array<double, 2>& centre);

}  // namespace cotangent::chaos
