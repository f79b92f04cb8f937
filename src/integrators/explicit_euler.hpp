// SPDX-License-Identifier: BSD-3-Clause
// Explicit Euler: q' = q + h v, v' = v + h q''(q, v, t). Order 1; here as the control that gains energy.
// Reference: Euler (1768); Hairer, Lubich, Wanner (2006), I.1.2.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct ExplicitEulerFormula : PlainFormula {
  static constexpr std::string_view name = "explicit-euler";
  static constexpr std::string_view about =
      "explicit Euler, order 1: conserves nothing, oscillations gain energy";
  static constexpr int order = 1;
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    const auto a = motion.acceleration(system, x.q, x.v, x.t);
    for (int n = 0; n < N; ++n) {
      change.q[n] = h * x.v[n];
      change.y[n] = h * a[n];
    }
    return active;
  }
};

template <class System>
using ExplicitEuler = OneStep<System, ExplicitEulerFormula>;

}  // namespace cotangent::integrators
