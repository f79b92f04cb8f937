// SPDX-License-Identifier: BSD-3-Clause
// The tangent space, at a state, of what constraints and rolling allow: the deviations with G dq = 0 and
// G dv + (H v + g_qt) dq = 0, which are the derivatives of g = 0 and g' = G v + g_t = 0 (a constraint
// manifold's tangent bundle), and r_v dv + r_q dq = 0, that of r(q, v) = 0.
#pragma once

#include "integrators/method.hpp"

namespace cotangent::integrators {

/// Takes out of a deviation (dq, dv) what isn't tangent, first of dq, then of dv, by the shortest way.
template <class System>
void make_tangent(const System& system, const State<typename System::Real, System::dim>& x,
                  Deviation<typename System::Real, System::dim>& d) requires(System::multipliers > 0) {
  using R = typename System::Real;
  constexpr int C = System::constraints, K = System::multipliers, N = System::dim;
  using Vector = std::array<R, N>;
  const auto take_out = []<std::size_t M>(const std::array<Vector, M>& direction, Vector& vector,
                                          std::array<R, M> off) {
    numerics::Matrix<R, M> products{};
    for (std::size_t k = 0; k < M; ++k) {
      for (int n = 0; n < N; ++n) off[k] = fma(direction[k][n], vector[n], off[k]);
      for (std::size_t l = 0; l < M; ++l) {
        for (int n = 0; n < N; ++n) products[k][l] = fma(direction[k][n], direction[l][n], products[k][l]);
      }
    }
    numerics::solve_in_place<R>(static_cast<int>(M), products, off);
    for (std::size_t k = 0; k < M; ++k) {
      for (int n = 0; n < N; ++n) vector[n] = fma(-off[k], direction[k][n], vector[n]);
    }
  };
  std::array<R, K> turned{};
  const auto turn = [&](int k, const Vector& slope) {
    for (int n = 0; n < N; ++n) turned[k] = fma(slope[n], d.q[n], turned[k]);
  };
  if constexpr (C > 0) {
    take_out(system.constraint_by_call(x.q, x.t).gradient, d.q, std::array<R, C>{});
    const auto bend =
        mechanics::constraint_hessian_times<typename System::Model>(x.q, x.v, system.parameters, x.t);
    for (int k = 0; k < C; ++k) turn(k, bend[k]);
  }
  if constexpr (System::rolls) {
    const auto along = system.slip(x.q, x.v).q;
    for (int k = 0; k < System::rolling; ++k) turn(C + k, along[k]);
  }
  take_out(system.force_directions(x.q, x.v, x.t), d.y, turned);
}

/// What is orthogonal to it where nothing rolls, a row (by q, then v) for each derivative above: [G, 0], then
/// [H v + g_qt, G].
template <class System>
std::array<std::array<typename System::Real, 2 * System::dim>, 2 * System::constraints> normals(
    const System& system, const State<typename System::Real, System::dim>& x) requires System::constrained {
  constexpr int C = System::constraints, N = System::dim;
  std::array<std::array<typename System::Real, 2 * N>, 2 * C> rows{};
  const auto gradient = system.constraint_by_call(x.q, x.t).gradient;
  const auto bend =
      mechanics::constraint_hessian_times<typename System::Model>(x.q, x.v, system.parameters, x.t);
  for (int k = 0; k < C; ++k) {
    for (int n = 0; n < N; ++n) {
      rows[k][n] = rows[C + k][N + n] = gradient[k][n];
      rows[C + k][n] = bend[k][n];
    }
  }
  return rows;
}

}  // namespace cotangent::integrators
