// SPDX-License-Identifier: BSD-3-Clause
// The implicit midpoint rule on the index-reduced equations of constrained motion, q'' = a(q, v) with the
// multiplier eliminated: y' = y + h f((y + y')/2). The manifold is only a weak invariant of these equations,
// so |g| drifts; q . v of the pendulum is a strong, quadratic one, and kept. Reference: P. Mullen, M.
// Desbrun, CS 101: Numerical Geometric Integration, slides "Projection Methods & Constraints"; Hairer,
// Lubich, Wanner (2006), IV.2 and VII.1.2.
#pragma once

#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct ReducedMidpointFormula : PlainFormula {
  static constexpr std::string_view name = "reduced-midpoint";
  static constexpr std::string_view about =
      "implicit midpoint rule on the index-reduced equations, order 2: constraints drift, q . v is kept";
  static constexpr int order = 2;
  static constexpr bool has_tangent = true;
  static constexpr bool projects = true;

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&) {
    const R half = R(0.5) * h;
    auto v = x.v;  // in the middle
    const auto renew = [&](Mask open) {
      std::array<R, N> q;
      for (int n = 0; n < N; ++n) q[n] = fma(half, v[n], x.q[n]);
      const auto a = motion.acceleration(system, q, v, x.t + half);
      R size(0.0);
      for (int n = 0; n < N; ++n) {
        const R next = fma(half, a[n], x.v[n]);
        size += numerics::absolute(next - v[n]);
        v[n] = select(open, next, v[n]);
        change.q[n] = h * v[n];
        change.y[n] = R(2.0) * (v[n] - x.v[n]);
      }
      return size;
    };
    // In equilibrium velocities are what the forces' rounding leaves.
    return fixed_point<R>(active, x, v, renew, sum_of_sizes(x.q) / numerics::absolute(h));
  }
};

template <class System>
using ReducedMidpoint = OneStep<System, ReducedMidpointFormula>;

}  // namespace cotangent::integrators
