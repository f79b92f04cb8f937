// SPDX-License-Identifier: BSD-3-Clause
// Collocation's worked examples: an initial value, a boundary value and an eigenvalue problem by the
// differentiation matrix on Chebyshev's nodes, against their exact solutions.
//   1  y' + y = x^2,  y(-1) = 2         2  y'' = x^2,  y(-1) = 0.3,  y'(1) = -0.7
//   3  -y''/2 = E y,  y(-1) = y(1) = 0
// Rows of the matrix give way to the conditions. Reference: V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), 3.2, (3.16)
// to (3.28).
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "numerics/polynomials.hpp"

namespace cotangent::numerics {

/// D on the nodes (3.12), and the nodes.
struct Chebyshev {
  using Matrix = Eigen::Matrix<Extended, Eigen::Dynamic, Eigen::Dynamic>;
  using Vector = Eigen::Matrix<Extended, Eigen::Dynamic, 1>;
  Matrix d;
  Vector x;
  explicit Chebyshev(int K) : d(K + 1, K + 1), x(K + 1) {
    const auto matrix = chebyshev_differentiation_matrix(K);
    const auto nodes = chebyshev_lobatto_nodes(K);
    for (int i = 0; i <= K; ++i) {
      x[i] = nodes[i];
      for (int j = 0; j <= K; ++j) d(i, j) = matrix(i, j);
    }
  }
};

/// Example 1: the error at 1 of y' + y = x^2, y(-1) = 2, in equal steps of K + 1 nodes each.
inline double initial_value_error(int K, int steps) {
  const Chebyshev on(K);
  const Extended half = Extended(1) / steps;  // half a step
  Extended y = 2, start = -1;
  for (int step = 0; step < steps; ++step, start += 2 * half) {
    Chebyshev::Matrix a = on.d / half + Chebyshev::Matrix::Identity(K + 1, K + 1);
    Chebyshev::Vector b = (start + half * (on.x.array() + 1)).square();
    a.row(0).setZero();
    a(0, 0) = 1;
    b[0] = y;
    y = a.partialPivLu().solve(b)[K];
  }
  // y = x^2 - 2 x + 2 + C exp(-x), C = -3 / e
  return static_cast<double>(std::abs(y - (1 - 3 * std::exp(Extended(-2)))));
}

/// Example 2: the largest error of y'' = x^2, y(-1) = 0.3, y'(1) = -0.7.
inline double boundary_value_error(int K) {
  const Chebyshev on(K);
  Chebyshev::Matrix a = on.d * on.d;
  Chebyshev::Vector b = on.x.array().square();
  a.row(0).setZero();
  a(0, 0) = 1;
  b[0] = Extended(0.3L);
  a.row(K) = on.d.row(K);
  b[K] = Extended(-0.7L);
  const Chebyshev::Vector y = a.partialPivLu().solve(b);
  const Extended slope = Extended(-0.7L) - Extended(1) / 3;
  Extended worst = 0;
  for (int k = 0; k <= K; ++k) {
    const Extended x = on.x[k];
    const Extended exact = (x * x * x * x - 1) / 12 + slope * (x + 1) + Extended(0.3L);
    worst = std::max(worst, std::abs(y[k] - exact));
  }
  return static_cast<double>(worst);
}

/// Example 3: the relative errors of the levels E_n = pi^2 n^2 / 8 (hbar = 1) of a particle in a box, n = 1
/// to K - 1.
inline std::vector<double> level_errors(int K) {
  const Chebyshev on(K);
  const Chebyshev::Matrix inner = (on.d * on.d * Extended(-0.5)).block(1, 1, K - 1, K - 1);
  Chebyshev::Vector levels = Eigen::EigenSolver<Chebyshev::Matrix>(inner, false).eigenvalues().real();
  std::sort(levels.begin(), levels.end());
  const Extended pi = std::numbers::pi_v<Extended>;
  std::vector<double> errors;
  for (int n = 1; n < K; ++n)
    errors.push_back(static_cast<double>(levels[n - 1] / (pi * pi * n * n / 8) - 1));
  return errors;
}

}  // namespace cotangent::numerics
