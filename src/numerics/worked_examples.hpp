// SPDX-License-Identifier: BSD-3-Clause
// Collocation's worked examples: an initial value, a boundary value and an eigenvalue problem by the
// differentiation matrix on Chebyshev's nodes, against their exact solutions.
//   1  y' + y = x^2,  y(-1) = 2         2  y'' = x^2,  y(-1) = 0.3,  y'(1) = -0.7
//   3  -y''/2 = E y,  y(-1) = y(1) = 0
// Rows of the matrix give way to the conditions. Reference: V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), 3.2, (3.16)
// to (3.28).
#pragma once

#include <vector>

namespace cotangent::numerics {

/// Example 1: the error at 1 of y' + y = x^2, y(-1) = 2, in equal steps of K + 1 nodes each.
double initial_value_error(int K, int steps);

/// Example 2: the largest error of y'' = x^2, y(-1) = 0.3, y'(1) = -0.7.
double boundary_value_error(int K);

/// Example 3: the relative errors of the levels E_n = pi^2 n^2 / 8 (hbar = 1) of a particle in a box, n = 1
/// to K - 1.
std::vector<double> level_errors(int K);

}  // namespace cotangent::numerics
