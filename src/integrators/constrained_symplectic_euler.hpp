// SPDX-License-Identifier: BSD-3-Clause
// Symplectic Euler on the cotangent bundle of a constraint manifold: positions explicit, with G = grad g(q),
//   V = v + h M^-1 (f(q) + G^T lambda),   q' = q + h V,   g(q') = 0,   v' = V + M^-1 G'^T mu,   G' v' = 0.
// Order 1, symplectic. Reference: P. Mullen, M. Desbrun, CS 101: Numerical Geometric Integration, slides
// "Projection Methods & Constraints"; Hairer, Lubich, Wanner (2006), VII.1.3, (1.17), (1.18).
#pragma once

#include "integrators/rattle.hpp"

namespace cotangent::integrators {

struct ConstrainedSymplecticEulerFormula : ConstrainedFormula {
  static constexpr std::string_view name = "constrained-symplectic-euler";
  static constexpr std::string_view about =
      "symplectic Euler on the constraint manifold, order 1: symplectic, energy error bounded";
  static constexpr int order = 1;
  static constexpr bool has_tangent = true;  // on the tangent bundle of the manifold

  template <class System>
  struct StageCache {
    typename System::Multipliers lambda;
    typename System::Constraint at;
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>&, const State<R, N>& x) {
    return {system.multiplier(x.q, x.v, x.t), system.constraint_by_call(x.q)};
  }

  /// On dual numbers, the multipliers' guess without deviations: Newton's method finds those.
  template <class System, class R, int N, class Cache>
  static StageCache<System> lift(const System& system, const Motion<System>&, const Beginning<R, N>& x,
                                 const Cache& cache) {
    StageCache<System> result{{}, system.constraint(x.q)};
    for (int k = 0; k < System::constraints; ++k) result.lambda[k] = R(cache.lambda[k]);
    return result;
  }

  template <class System, class R, int N, class Mask>
  static Mask step(const System& system, const Motion<System>& motion, const R& h, const Beginning<R, N>& x,
                   Mask active, Change<R, N>& change, Dense<System>&, const StageCache<System>& last,
                   StageCache<System>& next, const MethodOptions& options) {
    constexpr int C = System::constraints;
    Directions<System> response, direction;
    for (int k = 0; k < C; ++k) {
      response[k] = motion.over_mass(last.at.gradient[k]);
      for (int n = 0; n < N; ++n) direction[k][n] = (h * h) * response[k][n];
    }
    const auto acceleration = motion.free_acceleration(system, x.q, x.t);
    std::array<R, N> base, v;
    for (int n = 0; n < N; ++n) {
      v[n] = fma(h, acceleration[n], x.v[n]);
      base[n] = fma(h, v[n], x.q[n]);
    }
    auto lambda = last.lambda;
    ManifoldPoint<System> to;
    const Mask solved = onto_manifold(system, base, direction,
                                      close_for_gradients(options.constraint_tolerance), active, lambda, to);
    for (int n = 0; n < N; ++n) {
      for (int k = 0; k < C; ++k) v[n] = fma(h * lambda[k], response[k][n], v[n]);
      change.q[n] = h * v[n];
    }
    for (int k = 0; k < C; ++k) response[k] = motion.over_mass(to.at.gradient[k]);
    make_tangent<System>(to.at.gradient, response, v);
    for (int n = 0; n < N; ++n) change.y[n] = v[n] - x.v[n];
    next = {lambda, to.at};
    return solved;
  }
};

template <class System>
using ConstrainedSymplecticEuler = OneStep<System, ConstrainedSymplecticEulerFormula>;

}  // namespace cotangent::integrators
