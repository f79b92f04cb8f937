// SPDX-License-Identifier: BSD-3-Clause
// The coefficients of the Lobatto IIIA-IIIB pair with s stages (order 2 s - 2) as doubles: A of IIIA, which
// makes positions from velocities, and its mate A^ of IIIB, b_i A^_ij + b_j A_ji = b_i b_j, which makes
// momenta from forces. Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), II.1.4,
// VII.1.4.
#pragma once

#include <memory>
#include <vector>

#include "core/real.hpp"

namespace cotangent::integrators {

/// Coefficients for one s; rows are contiguous, matrices are s x s unless said.
struct LobattoTables {
  int stages;
  std::vector<double> c, b;     ///< nodes and weights
  std::vector<double> a, mate;  ///< A and A^, whose last column is 0
  std::vector<double> product;  ///< A A^
  std::vector<double> moment;   ///< (s - 1) x s: b_j P_m(c_j), P_m Legendre's polynomials on [0, 1]

  double to_positions(int i, int j) const { return a[static_cast<std::size_t>(i * stages + j)]; }
  double to_momenta(int i, int j) const { return mate[static_cast<std::size_t>(i * stages + j)]; }
  double twice(int i, int j) const { return product[static_cast<std::size_t>(i * stages + j)]; }

  /// sum_j A_ij v(j): what the velocities v at the stages make of the position at stage i, a step being 1.
  auto way(int i, const auto& v) const { return combined(a.data() + i * stages, stages, v); }
  /// sum_j A^_ij f(j), likewise of the momentum.
  auto kick(int i, const auto& f) const { return combined(mate.data() + i * stages, stages - 1, f); }
  /// sum_j (A A^)_ij f(j), of the position again.
  auto way_of_forces(int i, const auto& f) const {
    return combined(product.data() + i * stages, stages - 1, f);
  }
  /// sum_j b_j x(j): of both, over the whole step.
  auto whole(const auto& x) const { return combined(b.data(), stages, x); }

  static constexpr int least = 2, most = 8;
  /// The shared tables. Throws an Error for fewer or more stages.
  static std::shared_ptr<const LobattoTables> of(int stages);

 private:
  [[gnu::always_inline]] static auto combined(const double* weight, int count, const auto& x) {
    using R = decltype(x(0));
    R sum(0.0);
    for (int j = 0; j < count; ++j) sum = fma(R(weight[j]), x(j), sum);
    return sum;
  }
};

}  // namespace cotangent::integrators
