// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/worked_examples.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/decompositions.hpp"

namespace cotangent::numerics {

namespace {

/// D on the nodes (3.12), and the nodes.
struct Chebyshev {
  ExtendedDense d;
  ExtendedColumn x;
  explicit Chebyshev(int K) : d(dense(chebyshev_differentiation_matrix(K))), x(K + 1) {
    std::ranges::copy(chebyshev_lobatto_nodes(K), x.begin());
  }
};

}  // namespace

double initial_value_error(int K, int steps) {
  const Chebyshev on(K);
  const Extended half = Extended(1) / steps;  // half a step
  Extended y = 2, start = -1;
  for (int step = 0; step < steps; ++step, start += 2 * half) {
    ExtendedDense a = on.d / half + ExtendedDense::Identity(K + 1, K + 1);
    ExtendedColumn b = (start + half * (on.x.array() + 1)).square();
    a.row(0).setZero();
    a(0, 0) = 1;
    b[0] = y;
    y = solve(a, b)[K];
  }
  // y = x^2 - 2 x + 2 + C exp(-x), C = -3 / e
  return static_cast<double>(std::abs(y - (1 - 3 * std::exp(Extended(-2)))));
}

double boundary_value_error(int K) {
  const Chebyshev on(K);
  ExtendedDense a = on.d * on.d;
  ExtendedColumn b = on.x.array().square();
  a.row(0).setZero();
  a(0, 0) = 1;
  b[0] = Extended(0.3L);
  a.row(K) = on.d.row(K);
  b[K] = Extended(-0.7L);
  const ExtendedColumn y = solve(a, b);
  const Extended slope = Extended(-0.7L) - Extended(1) / 3;
  Extended worst = 0;
  for (int k = 0; k <= K; ++k) {
    const Extended x = on.x[k];
    const Extended exact = (x * x * x * x - 1) / 12 + slope * (x + 1) + Extended(0.3L);
    worst = std::max(worst, std::abs(y[k] - exact));
  }
  return static_cast<double>(worst);
}

std::vector<double> level_errors(int K) {
  const Chebyshev on(K);
  const ExtendedDense inner = (on.d * on.d * Extended(-0.5)).block(1, 1, K - 1, K - 1);
  ExtendedColumn levels = eigenvalues(inner).real();
  std::sort(levels.begin(), levels.end());
  const Extended pi = std::numbers::pi_v<Extended>;
  std::vector<double> errors;
  for (int n = 1; n < K; ++n)
    errors.push_back(static_cast<double>(levels[n - 1] / (pi * pi * n * n / 8) - 1));
  return errors;
}

}  // namespace cotangent::numerics
