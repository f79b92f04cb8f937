// SPDX-License-Identifier: BSD-3-Clause
// The integral of a smooth function from its values at equal distances, by Gregory's rule: the trapezoidal
// rule, corrected at both ends by differences,
//   1/h int f = f_0/2 + f_1 + ... + f_N/2 - sum_k G_k (nabla^k f_N + (-1)^k Delta^k f_0),   k = 1, 2, ...
// with seven of them of order 9 in h. Reference: F. B. Hildebrand, Introduction to Numerical Analysis, 2nd
// ed. (1974), 5.9.
#pragma once

#include <array>
#include <span>

namespace cotangent::numerics {

/// So many values, at least, make a rule of its whole order.
inline constexpr std::size_t gregory_values = 16;

/// Of N + 1 >= gregory_values values.
inline double gregory(std::span<const double> f, double h) {
  constexpr std::array correction{1.0 / 12,      1.0 / 24,      19.0 / 720,       3.0 / 160,
                                  863.0 / 60480, 275.0 / 24192, 33953.0 / 3628800};
  constexpr std::size_t count = correction.size() + 1;
  double sum = 0.5 * (f.front() + f.back());
  for (std::size_t k = 1; k + 1 < f.size(); ++k) sum += f[k];
  // Differences of growing order towards either end, in place; (-1)^k Delta^k f_0 is the backward difference
  // of the values in the other order.
  std::array<double, count> left, right;
  for (std::size_t k = 0; k < count; ++k) {
    left[k] = f[k];
    right[k] = f[f.size() - 1 - k];
  }
  for (std::size_t order = 1; order < count; ++order) {
    for (std::size_t k = 0; k + order < count; ++k) {
      left[k] -= left[k + 1];
      right[k] -= right[k + 1];
    }
    sum -= correction[order - 1] * (left[0] + right[0]);
  }
  return h * sum;
}

}  // namespace cotangent::numerics
