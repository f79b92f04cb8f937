// SPDX-License-Identifier: BSD-3-Clause
// The tangent space of a constraint manifold's tangent bundle at a state: the deviations with G dq = 0 and
// G dv + (H v + g_qt) dq = 0, which are the derivatives of g = 0 and g' = G v + g_t = 0.
#pragma once

#include "integrators/method.hpp"

namespace cotangent::integrators {

/// Takes out of a deviation (dq, dv) what isn't tangent, first of dq, then of dv, by the shortest way.
template <class System>
void make_tangent(const System& system, const State<typename System::Real, System::dim>& x,
                  Deviation<typename System::Real, System::dim>& d) requires System::constrained {
  using R = typename System::Real;
  constexpr int C = System::constraints, N = System::dim;
  using Values = std::array<R, C>;
  const auto gradient = system.constraint(x.q, x.t).gradient;
  const auto take_out = [&](std::array<R, N>& vector, Values off) {
    numerics::Matrix<R, C> products{};
    for (int k = 0; k < C; ++k) {
      for (int n = 0; n < N; ++n) off[k] = fma(gradient[k][n], vector[n], off[k]);
      for (int l = 0; l < C; ++l) {
        for (int n = 0; n < N; ++n) products[k][l] = fma(gradient[k][n], gradient[l][n], products[k][l]);
      }
    }
    numerics::solve_in_place<R>(C, products, off);
    for (int k = 0; k < C; ++k) {
      for (int n = 0; n < N; ++n) vector[n] = fma(-off[k], gradient[k][n], vector[n]);
    }
  };
  take_out(d.q, Values{});
  const auto bend =
      mechanics::constraint_hessian_times<typename System::Model>(x.q, x.v, system.parameters, x.t);
  Values turned{};
  for (int k = 0; k < C; ++k) {
    for (int n = 0; n < N; ++n) turned[k] = fma(bend[k][n], d.q[n], turned[k]);
  }
  take_out(d.y, turned);
}

/// What is orthogonal to it, a row (by q, then v) for each derivative above: [G, 0], then [H v + g_qt, G].
template <class System>
std::array<std::array<typename System::Real, 2 * System::dim>, 2 * System::constraints> normals(
    const System& system, const State<typename System::Real, System::dim>& x) requires System::constrained {
  constexpr int C = System::constraints, N = System::dim;
  std::array<std::array<typename System::Real, 2 * N>, 2 * C> rows{};
  const auto gradient = system.constraint(x.q, x.t).gradient;
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
