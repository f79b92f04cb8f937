// SPDX-License-Identifier: BSD-3-Clause
// The exact solution of A x = b where A is tridiagonal, or cyclically so, its rows in blocks on the ranks.
//
// Within a block the elimination runs from both ends to the middle, two chains of operations at once. Blocks
// are joined by their spikes W = A_r^-1 e_first and V = A_r^-1 e_last: the 2 p ends of p blocks solve a
// system of their own (spike_system.hpp), which each rank solves for itself, in time and memory that grow as
// p; two short messages of every rank in all. Limits: no pivoting inside a block (as Cholesky needs none for
// G M^-1 G^T).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/real.hpp"
#include "la/handles.hpp"
#include "la/spike_system.hpp"

namespace cotangent::la {

class Tridiagonal {
 public:
  /// Row i of a block: lower[i] x_(i-1) + diagonal[i] x_i + upper[i] x_(i+1); indices run on into the
  /// neighbours' blocks and, where the ends are not 0, around from the last rank to the first.
  std::vector<double> lower, diagonal, upper;

  /// A matrix with this many rows on this rank, at least 2.
  explicit Tridiagonal(std::size_t rows);

  /// Collective. A pivot that vanishes shows as infinities or NaN in the solution.
  void factorise();
  /// b and x hold this rank's rows, and may be the same. Collective.
  void solve(const double* b, double* x) const;

 private:
  void solve_block(const double* b, double* x) const;
  void factorise_ends();

  std::vector<double> inverse_, eliminate_, substitute_;  // 1/pivot; multipliers of either sweep
  double join_[4] = {};                                   // the two middle rows' inverse
  std::vector<double> before_, after_;                    // the spikes, where there is a neighbour
  SpikeSystem ends_;
  mutable std::vector<double> end_values_;
};

/// x from A x = b for one right-hand side, on one rank, of a matrix without corners;
/// b and x may be the same. Rows are asked for in pieces that stay in the innermost cache and are never
/// stored: rows(begin, end, lower, diagonal, upper) writes those from begin to end - 1, the first of them to
/// lower[0], diagonal[0], upper[0]; lower is 0 in row 0, upper in the last one. `share` is as long as x and
/// overwritten.
template <class Rows>
void solve_tridiagonal(std::size_t n, const Rows& rows, const double* b, double* x,
                       double* __restrict share) {
  constexpr std::size_t piece = 256;
  double l[2][piece], d[2][piece], u[2][piece];  // from the front and from the back
  // Each row is divided by its pivot on the way: x_i + share_i x_(i+1) in the front half,
  // x_i + share_i x_(i-1) behind.
  double down = 0, next = 0, up = 0, last = 0;
  const auto front = [&](std::size_t i, std::size_t at) {
    const double inverse = 1.0 / fma(-l[0][at], next, d[0][at]);
    x[i] = down = fma(-l[0][at], down, b[i]) * inverse;
    share[i] = next = u[0][at] * inverse;
  };
  const auto back = [&](std::size_t i, std::size_t at) {
    const double inverse = 1.0 / fma(-u[1][at], last, d[1][at]);
    x[i] = up = fma(-u[1][at], up, b[i]) * inverse;
    share[i] = last = l[1][at] * inverse;
  };
  const std::size_t middle = n / 2;
  for (std::size_t done = 0; done < middle; done += piece) {
    const std::size_t count = std::min(piece, middle - done), behind = n - done - count;
    rows(done, done + count, l[0], d[0], u[0]);
    rows(behind, behind + count, l[1], d[1], u[1]);
    for (std::size_t k = 0; k < count; ++k) {
      front(done + k, k);
      back(n - 1 - done - k, count - 1 - k);
    }
  }
  if (n % 2 == 1) {
    rows(middle, middle + 1, l[1], d[1], u[1]);
    back(middle, 0);
  }
  if (middle == 0) return;  // of one row, or none
  const double determinant = fma(-next, last, 1.0);
  const double first = fma(-next, up, down) / determinant, second = fma(-last, down, up) / determinant;
  x[middle - 1] = down = first;
  x[middle] = up = second;
  std::size_t i = middle - 1, k = middle + 1;
  for (; i > 0 && k < n; ++k) {
    --i;
    x[i] = down = fma(-share[i], down, x[i]);
    x[k] = up = fma(-share[k], up, x[k]);
  }
  for (; k < n; ++k) x[k] = up = fma(-share[k], up, x[k]);
}

/// Whether the matrix is tridiagonal or cyclic, with enough rows on each rank. Collective.
bool is_tridiagonal(Mat matrix);

/// Makes a preconditioner the exact solver above; its matrix has to pass is_tridiagonal(). Other types may
/// still be chosen by option.
void use_tridiagonal(PC preconditioner);

}  // namespace cotangent::la
