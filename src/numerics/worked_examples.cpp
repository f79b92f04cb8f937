// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/worked_examples.hpp"

#include <algorithm>

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
  constexpr Extended e_to_minus_2{0.1353352832366127, -1.042381423288669e-17};
  return static_cast<double>(abs(y - (1 - 3 * e_to_minus_2)));
}

double boundary_value_error(int K) {
  const Extended three_tenths = Extended(3) / 10, minus_seven_tenths = Extended(-7) / 10;
  const Chebyshev on(K);
  ExtendedDense a = on.d * on.d;
  ExtendedColumn b = on.x.array().square();
  a.row(0).setZero();
  a(0, 0) = 1;
  b[0] = three_tenths;
  a.row(K) = on.d.row(K);
  b[K] = minus_seven_tenths;
  const ExtendedColumn y = solve(a, b);
  const Extended slope = minus_seven_tenths - Extended(1) / 3;
  Extended worst = 0;
  for (int k = 0; k <= K; ++k) {
    const Extended x = on.x[k];
    const Extended exact = (x * x * x * x - 1) / 12 + slope * (x + 1) + three_tenths;
    worst = std::max(worst, abs(y[k] - exact));
  }
  return static_cast<double>(worst);
}

std::vector<double> level_errors(int K) {
  const Chebyshev on(K);
  const ExtendedDense inner = (on.d * on.d * Extended(-0.5)).block(1, 1, K - 1, K - 1);
  ExtendedColumn levels = eigenvalues(inner).real();
  std::sort(levels.begin(), levels.end());
  std::vector<double> errors;
  for (int n = 1; n < K; ++n)
    errors.push_back(static_cast<double>(levels[n - 1] / (extended_pi * extended_pi * n * n / 8) - 1));
  return errors;
}

}  // namespace cotangent::numerics
