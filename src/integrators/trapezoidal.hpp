// SPDX-License-Identifier: BSD-3-Clause
// The trapezoidal rule on y' = f(y), y = (q, v): y' = y + h/2 (f(y) + f(y')). Order 2, symmetric, conjugate
// to the implicit midpoint rule. Under constraints, f is that of the index-reduced equations. Reference:
// Hairer, Lubich, Wanner (2006), II.1.1 and VI.8.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct TrapezoidalFormula : PlainFormula {
  static constexpr std::string_view name = "trapezoidal";
  static constexpr std::string_view about =
      "trapezoidal rule, order 2: symmetric, conjugate to a symplectic method";
  static constexpr int order = 2;
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    const R half = R(0.5) * h;
    const auto first = motion.acceleration(system, x.q, x.v, x.t);
    std::array<R, N> v;
    for (int n = 0; n < N; ++n) v[n] = fma(h, first[n], x.v[n]);
    const auto renew = [&](Mask open) {
      std::array<R, N> q;
      for (int n = 0; n < N; ++n) q[n] = fma(half, x.v[n] + v[n], x.q[n]);
      const auto last = motion.acceleration(system, q, v, x.t + h);
      R size(0.0);
      for (int n = 0; n < N; ++n) {
        const R next = fma(half, first[n] + last[n], x.v[n]);
        size += numerics::absolute(next - v[n]);
        v[n] = select(open, next, v[n]);
        change.q[n] = half * (x.v[n] + v[n]);
        change.y[n] = v[n] - x.v[n];
      }
      return size;
    };
    // In equilibrium velocities are what the forces' rounding leaves.
    return fixed_point<R>(active, x, v, renew, sum_of_sizes(x.q) / numerics::absolute(h));
  }
};

template <class System>
using Trapezoidal = OneStep<System, TrapezoidalFormula>;

}  // namespace cotangent::integrators
