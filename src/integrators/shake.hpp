// SPDX-License-Identifier: BSD-3-Clause
// SHAKE: Stormer-Verlet with the position constraint alone; its positions are RATTLE's. With G_n = grad
// g(q_n),
//   two-step form:   q_{n+1} - 2 q_n + q_{n-1} = h^2 M^-1 (f(q_n) + G_n^T lambda_n),   g(q_{n+1}) = 0
//                    v_n = (q_{n+1} - q_{n-1}) / 2h
//   velocity form:   V_{n+1/2} = v_n + h/2 M^-1 (f(q_n) + G_n^T lambda_n),   q_{n+1} = q_n + h V_{n+1/2},
//                    v_{n+1} = V_{n+1/2} + h/2 M^-1 (f(q_{n+1}) + G_{n+1}^T lambda_{n+1})
// In both the velocity needs the next step's multiplier, which is found ahead and carried; it isn't quite
// tangent. The two forms differ in round-off: the first adds up differences of positions.
// Reference: Ryckaert, Ciccotti, Berendsen, J. Comput. Phys. 23 (1977) 327; Leimkuhler, Skeel, J. Comput.
// Phys. 112 (1994) 117; P. Mullen, M. Desbrun, CS 101: Numerical Geometric Integration, slides "Projection
// Methods & Constraints".
#pragma once

#include "integrators/rattle.hpp"

namespace cotangent::integrators {

struct ShakeFormula : ConstrainedFormula {
  static constexpr std::string_view name = "shake";
  static constexpr std::string_view about =
      "SHAKE in velocity form, order 2: RATTLE's positions, velocities not quite tangent";
  static constexpr int order = 2;

  /// The step to come: how far it goes, and its multiplier.
  template <class System>
  struct StageCache {
    typename System::Multipliers lambda, lambda_before;
    typename System::Vector way;
    typename System::Real h;  ///< 0: not known yet
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>&, const State<R, N>& x) {
    const auto lambda = system.multiplier(x.q, x.v, x.t);
    return {lambda, lambda, {}, R(0.0)};
  }

  /// The way of a step that begins at q with velocity v: base + h^2/2 M^-1 G^T lambda on the manifold.
  template <class System, class R, class Mask>
  static Mask way_from(const System& system, const Motion<System>& motion, const R& h,
                       const typename System::Vector& q, const typename System::Vector& base, double share,
                       const MethodOptions& options, Mask active, typename System::Multipliers& lambda,
                       typename System::Vector& way) {
    constexpr int N = System::dim;
    const auto gradient = system.constraint(q).gradient;
    Directions<System> direction;
    for (int k = 0; k < System::constraints; ++k) {
      direction[k] = motion.over_mass(gradient[k]);
      for (int n = 0; n < N; ++n) direction[k][n] = (R(share) * h * h) * direction[k][n];
    }
    typename System::Vector from;
    for (int n = 0; n < N; ++n) from[n] = q[n] + base[n];
    ManifoldPoint<System> to;
    const Mask solved = onto_manifold(system, from, direction,
                                      close_for_gradients(options.constraint_tolerance), active, lambda, to);
    for (int n = 0; n < N; ++n) {
      way[n] = base[n];
      for (int k = 0; k < System::constraints; ++k) way[n] = fma(lambda[k], direction[k][n], way[n]);
    }
    return solved;
  }

  /// The first step from (q, v), where none was found ahead for this h.
  template <class System, class R, int N, class Mask>
  static Mask look_ahead(const System& system, const Motion<System>& motion, const R& h,
                         const Beginning<R, N>& x, Mask active, StageCache<System>& carry,
                         const MethodOptions& options) {
    const auto unknown = active & (carry.h != h);
    if (!any(unknown)) return active;
    const auto a = motion.free_acceleration(system, x.q, x.t);
    std::array<R, N> base, way;
    for (int n = 0; n < N; ++n) base[n] = h * fma(R(0.5) * h, a[n], x.v[n]);
    auto lambda = carry.lambda;
    const Mask solved = way_from(system, motion, h, x.q, base, 0.5, options, unknown, lambda, way);
    carry = select_reals<R>(unknown, StageCache<System>{lambda, lambda, way, h}, carry);
    return solved | (active & !unknown);
  }

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&, const StageCache<System>& last,
                   StageCache<System>& next, const MethodOptions& options) {
    next = last;
    return advance<false>(system, motion, h, x, active, change, next, options);
  }

  template <bool two_step, class System, class R, int N, class Mask>
  static Mask advance(const System& system, const Motion<System>& motion, const R& h,
                      const Beginning<R, N>& x, Mask active, Change<R, N>& change, StageCache<System>& carry,
                      const MethodOptions& options) {
    Mask solved = look_ahead(system, motion, h, x, active, carry, options);
    std::array<R, N> q, base, next;
    for (int n = 0; n < N; ++n) q[n] = x.q[n] + carry.way[n];
    const auto a = motion.free_acceleration(system, q, x.t + h);
    for (int n = 0; n < N; ++n) base[n] = fma(h * h, a[n], carry.way[n]);
    auto lambda = carry.lambda;
    for (int k = 0; k < System::constraints; ++k) {
      lambda[k] = fma(R(2.0), carry.lambda[k], -carry.lambda_before[k]);
    }
    // From q_{n+1} on: q_{n+2} - q_{n+1} = (q_{n+1} - q_n) + h^2 M^-1 (f + G^T lambda).
    solved = way_from(system, motion, h, q, base, 1.0, options, solved, lambda, next);
    for (int n = 0; n < N; ++n) {
      change.q[n] = carry.way[n];
      const R middle = carry.way[n] / h;
      const R v = two_step ? (next[n] + carry.way[n]) / (R(2.0) * h)
                           : fma(R(0.5), (next[n] - carry.way[n]) / h, middle);
      change.y[n] = v - x.v[n];
    }
    carry = {lambda, carry.lambda, next, h};
    return solved;
  }
};

struct ShakeTwoStepFormula : ShakeFormula {
  static constexpr std::string_view name = "shake-two-step";
  static constexpr std::string_view about =
      "SHAKE in its two-step form, order 2: differences of positions, velocities from them";

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&, const StageCache<System>& last,
                   StageCache<System>& next, const MethodOptions& options) {
    next = last;
    return advance<true>(system, motion, h, x, active, change, next, options);
  }
};

template <class System>
using Shake = OneStep<System, ShakeFormula>;
template <class System>
using ShakeTwoStep = OneStep<System, ShakeTwoStepFormula>;

}  // namespace cotangent::integrators
