// SPDX-License-Identifier: BSD-3-Clause
// The classical Runge-Kutta method on the Euler-Lagrange equations (q, v)' = (v, q''(q, v, t)). Order 4.
// Reference: Kutta (1901); Hairer, Norsett, Wanner (1993), II.1.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct Rk4Formula : PlainFormula {
  static constexpr std::string_view name = "rk4";
  static constexpr std::string_view about =
      "the classical Runge-Kutta method, order 4: conserves nothing, energy drifts";
  static constexpr int order = 4;
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    constexpr std::array<double, 4> node{0, 0.5, 0.5, 1}, weight{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    std::array<R, N> velocity = x.v, acceleration{}, sum_q{}, sum_v{};
#pragma GCC unroll 1
    for (int i = 0; i < 4; ++i) {
      // The stages lie on lines from the beginning along the stage before.
      const R away = R(node[i]) * h;
      auto q = x.q;
      for (int n = 0; n < N; ++n) {
        q[n] = fma(away, velocity[n], x.q[n]);
        velocity[n] = fma(away, acceleration[n], x.v[n]);
      }
      acceleration = motion.acceleration(system, q, velocity, x.t + away);
      for (int n = 0; n < N; ++n) {
        sum_q[n] = fma(R(weight[i]), velocity[n], sum_q[n]);
        sum_v[n] = fma(R(weight[i]), acceleration[n], sum_v[n]);
      }
    }
    for (int n = 0; n < N; ++n) {
      change.q[n] = h * sum_q[n];
      change.y[n] = h * sum_v[n];
    }
    return active;
  }
};

template <class System>
using Rk4 = OneStep<System, Rk4Formula>;

}  // namespace cotangent::integrators
