// SPDX-License-Identifier: BSD-3-Clause
// The variational integrator of the augmented discrete Lagrangian, with W = -L(q, 0),
//   L_d(q_k, q_{k+1}, lambda_k) = h (|q_{k+1} - q_k|_M^2 / 2 h^2 - (W(q_k) + W(q_{k+1})) / 2 + g(q_k) .
//   lambda_k)
// As a map of (q, p), p the discrete Legendre transform D_2 L_d:
//   q' = q + h M^-1 (p + h/2 f(q) + h G^T lambda),   g(q') = 0,   p' = M (q' - q) / h + h/2 f(q')
// Its positions are SHAKE's and RATTLE's; p isn't tangent, and needn't be. Order 2, symplectic.
// Reference: P. Mullen, M. Desbrun, CS 101: Numerical Geometric Integration, slides "Projection Methods &
// Constraints"; Marsden, West, Acta Numerica 10 (2001) 357, 3.4.
#pragma once

#include "integrators/shake.hpp"

namespace cotangent::integrators {

struct VariationalFormula : ConstrainedFormula {
  static constexpr std::string_view name = "variational";
  static constexpr std::string_view about =
      "variational integrator of the augmented discrete Lagrangian, order 2 in positions, 1 in velocities, "
      "whose "
      "momenta aren't tangent: symplectic";
  static constexpr int order = 2;

  template <class System>
  struct StageCache {
    typename System::Multipliers lambda;
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>&, const State<R, N>& x) {
    return {system.multiplier(x.q, x.v, x.t)};
  }

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&, const StageCache<System>& last,
                   StageCache<System>& next, const MethodOptions& options) {
    const R half = R(0.5) * h;
    const auto first = motion.free_acceleration(system, x.q, x.t);
    std::array<R, N> base, q;
    next = last;
    for (int n = 0; n < N; ++n) base[n] = h * fma(half, first[n], x.v[n]);
    const Mask solved =
        ShakeFormula::way_from(system, motion, h, x.q, base, 1.0, options, active, next.lambda, change.q);
    for (int n = 0; n < N; ++n) q[n] = x.q[n] + change.q[n];
    const auto then = motion.free_acceleration(system, q, x.t + h);
    for (int n = 0; n < N; ++n) change.y[n] = fma(half, then[n], change.q[n] / h) - x.v[n];
    return solved;
  }
};

template <class System>
using Variational = OneStep<System, VariationalFormula>;

}  // namespace cotangent::integrators
