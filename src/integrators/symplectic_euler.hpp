// SPDX-License-Identifier: BSD-3-Clause
// Symplectic Euler as the variational integrator of the discrete Lagrangian h L(q, (q' - q) / h, t):
//   p' = p + h L_q(q, v) = L_v(q, v),   q' = q + h v
// Explicit (v' = v + h M^-1 L_q(q), q' = q + h v') where the mass matrix is constant. Order 1.
// Reference: Hairer, Lubich, Wanner (2006), VI.3 and VI.6.2; de Vogelaere (1956).
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct SymplecticEulerFormula : PlainFormula {
  static constexpr std::string_view name = "symplectic-euler";
  static constexpr std::string_view about =
      "symplectic Euler, order 1: symplectic, conserves angular momentum, energy error bounded";
  static constexpr int order = 1;
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;
  template <class System>
  static constexpr bool momenta = !Motion<System>::newtonian;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    if constexpr (momenta<System>) {
      auto v = x.v;
      const Mask solved = Motion<System>::solve(system, 1, 0, h, x.t, x.q, x.y, v, active);
      const auto g = Motion<System>::gradient(system, x.q, v, x.t);
      for (int n = 0; n < N; ++n) {
        change.q[n] = h * v[n];
        change.y[n] = h * g.q[n];
      }
      return solved;
    } else {
      const auto a = motion.acceleration(system, x.q, x.v, x.t);
      for (int n = 0; n < N; ++n) {
        change.y[n] = h * a[n];
        change.q[n] = h * (x.y[n] + change.y[n]);
      }
      return active;
    }
  }
};

template <class System>
using SymplecticEuler = OneStep<System, SymplecticEulerFormula>;

}  // namespace cotangent::integrators
