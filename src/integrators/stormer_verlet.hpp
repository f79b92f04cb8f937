// SPDX-License-Identifier: BSD-3-Clause
// Stormer-Verlet: half a step of symplectic Euler, then half a step of its adjoint. With V, W the velocities
// of the two halves and Q the middle,
//   P = p + h/2 L_q(q, V) = L_v(q, V),   Q = q + h/2 V,
//   P = L_v(q', W),   q' = Q + h/2 W,   p' = P + h/2 L_q(q', W)
// V = W, and all of it explicit (kick, drift, kick), where the mass matrix is constant. Order 2.
// Reference: Hairer, Lubich, Wanner, Acta Numerica 12 (2003) 399; (2006), VI.3 and VI.6.2.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct StormerVerletFormula : PlainFormula {
  static constexpr std::string_view name = "stormer-verlet";
  static constexpr std::string_view about =
      "Stormer-Verlet, order 2: symplectic and symmetric, conserves angular momentum, energy error bounded";
  static constexpr int order = 2;
  static constexpr bool has_tangent = true;
  template <class System>
  static constexpr bool momenta = !Motion<System>::newtonian;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    const R half = R(0.5) * h, t = x.t + h;
    auto q = x.q;
    if constexpr (momenta<System>) {
      auto v = x.v, p = x.y;
      Mask solved = Motion<System>::solve(system, 1, 0, half, x.t, x.q, x.y, v, active);
      const auto first = Motion<System>::gradient(system, x.q, v, x.t);
      for (int n = 0; n < N; ++n) {
        p[n] = fma(half, first.q[n], x.y[n]);
        change.q[n] = half * v[n];
        q[n] = x.q[n] + change.q[n];
      }
      solved = solved & Motion<System>::solve(system, 0, 1, half, t, q, p, v, active);
      for (int n = 0; n < N; ++n) {
        change.q[n] = fma(half, v[n], change.q[n]);
        q[n] = x.q[n] + change.q[n];
      }
      const auto second = Motion<System>::gradient(system, q, v, t);
      for (int n = 0; n < N; ++n) change.y[n] = half * (first.q[n] + second.q[n]);
      return solved;
    } else {
      const auto first = motion.acceleration(system, x.q, x.v, x.t);
      for (int n = 0; n < N; ++n) {
        change.q[n] = h * fma(half, first[n], x.y[n]);
        q[n] = x.q[n] + change.q[n];
      }
      const auto second = motion.acceleration(system, q, x.v, t);
      for (int n = 0; n < N; ++n) change.y[n] = half * (first[n] + second[n]);
      return active;
    }
  }
};

template <class System>
using StormerVerlet = OneStep<System, StormerVerletFormula>;

}  // namespace cotangent::integrators
