// SPDX-License-Identifier: BSD-3-Clause
// Implicit Euler in the momenta, for any regular Lagrangian:
//   q' = q + h v,   p' = L_v(q', v) = p + h L_q(q', v)
// Order 1; its velocities solve p' = L_v(q', v), so nothing is left to do at the end. A control: it damps.
// Reference: Hairer, Lubich, Wanner (2006), I.1.2 and VI.6.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct ImplicitEulerFormula : PlainFormula {
  static constexpr std::string_view name = "implicit-euler";
  static constexpr std::string_view about =
      "implicit Euler, order 1: conserves nothing, oscillations lose energy";
  static constexpr int order = 1;
  static constexpr bool has_tangent = true;
  template <class System>
  static constexpr bool momenta = true;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>&, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    auto v = x.v, q = x.q;
    const R t = x.t + h;
    const Mask solved = Motion<System>::solve(system, 1, 1, h, t, x.q, x.y, v, active);
    for (int n = 0; n < N; ++n) {
      change.q[n] = h * v[n];
      q[n] = x.q[n] + change.q[n];
    }
    const auto g = Motion<System>::gradient(system, q, v, t);
    for (int n = 0; n < N; ++n) change.y[n] = h * g.q[n];
    return solved;
  }
};

template <class System>
using ImplicitEuler = OneStep<System, ImplicitEulerFormula>;

}  // namespace cotangent::integrators
