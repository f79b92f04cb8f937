// SPDX-License-Identifier: BSD-3-Clause
// A X = B in lanes for matrices of a size known at run time and some right sides: A = L U without pivoting,
// for matrices near the identity or a positive definite one, in square tiles that stay in registers. A lane
// without such a factorisation ends up non-finite.
// Reference: Golub, Van Loan, Matrix Computations (2013), 3.2.
#pragma once

#include <vector>

#include "numerics/lanes.hpp"

namespace cotangent::numerics {

/// Compiled for double, one register of lanes and two of them.
template <class R>
class Elimination {
 public:
  /// Of so many unknowns, and right sides. Rows hold what they held, or nothing in particular.
  void resize(int unknowns, int sides);
  R* row(int i) { return matrix_.data() + i * unknowns_; }
  /// The right sides' i-th entries.
  R* right(int i) { return right_.data() + i * sides_; }
  /// Replaces the right sides by the solutions; the matrix is lost.
  void solve();

 private:
  void factorise();

  int unknowns_ = 0, sides_ = 0;
  std::vector<R> matrix_, right_;
};

extern template class Elimination<double>;
extern template class Elimination<Lanes<native_width>>;
extern template class Elimination<Lanes<2 * native_width>>;

}  // namespace cotangent::numerics
