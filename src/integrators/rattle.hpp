// SPDX-License-Identifier: BSD-3-Clause
// RATTLE: Stormer-Verlet on the cotangent bundle of a constraint manifold. With G = grad g(q), G' = grad
// g(q'),
//   V = v + h/2 M^-1 (f(q) + G^T lambda),   q' = q + h V,   g(q') = 0,
//   v' = V + h/2 M^-1 (f(q') + G'^T mu),    G' v' = 0.
// Order 2, symplectic, symmetric. Newton's method for lambda starts from the line through its last two
// values; gradients and forces at a step's end serve the next one's beginning. The mass matrix is constant.
// Reference: Andersen, J. Comput. Phys. 52 (1983) 24; Leimkuhler, Skeel, J. Comput. Phys. 112 (1994) 117;
// Hairer, Lubich, Wanner (2006), VII.1.4.
#pragma once

#include "integrators/manifold_batch.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct RattleFormula : ConstrainedFormula {
  static constexpr std::string_view name = "rattle";
  static constexpr std::string_view about =
      "RATTLE, order 2: symplectic and symmetric on the constraint manifold, energy error bounded";
  static constexpr int order = 2;
  static constexpr bool has_tangent = true;  // on the tangent bundle of the manifold
  static constexpr std::array options{option::step, option::constraint_tolerance, option::multipliers};

  template <class System>
  struct StageCache {
    typename System::Multipliers lambda, lambda_before;
    typename System::Vector acceleration;  ///< M^-1 f
    typename System::Constraint at;
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>& motion, const State<R, N>& x) {
    const auto lambda = system.multiplier(x.q, x.v, x.t);
    return {lambda, lambda, motion.free_acceleration(system, x.q, x.t), system.constraint_by_call(x.q)};
  }

  /// On dual numbers, the multipliers' guess without deviations: Newton's method finds those.
  template <class System, class R, int N, class Cache>
  static StageCache<System> lift(const System& system, const Motion<System>& motion, const Beginning<R, N>& x,
                                 const Cache& cache) {
    StageCache<System> result{{}, {}, motion.free_acceleration(system, x.q, x.t), system.constraint(x.q)};
    for (int k = 0; k < System::constraints; ++k) {
      result.lambda[k] = R(cache.lambda[k]);
      result.lambda_before[k] = R(cache.lambda_before[k]);
    }
    return result;
  }

  template <class System, class R, int N, class Mask>
  [[gnu::always_inline]] static Mask step(const System& system, const Motion<System>& motion, const R& h,
                                          const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                          Dense<System>&, const StageCache<System>& last,
                                          StageCache<System>& next, const MethodOptions& options) {
    constexpr int C = System::constraints;
    const R half = R(0.5) * h;
    Directions<System> response, direction;
    for (int k = 0; k < C; ++k) {
      response[k] = motion.over_mass(last.at.gradient[k]);
      for (int n = 0; n < N; ++n) direction[k][n] = (h * half) * response[k][n];
    }
    std::array<R, N> base, v;
    for (int n = 0; n < N; ++n) {
      v[n] = fma(half, last.acceleration[n], x.v[n]);
      base[n] = fma(h, v[n], x.q[n]);
    }
    typename System::Multipliers lambda;
    for (int k = 0; k < C; ++k) lambda[k] = fma(R(2.0), last.lambda[k], -last.lambda_before[k]);
    ManifoldPoint<System> to;
    const double close = close_for_gradients(options.constraint_tolerance);
    // Deviations are each lane's own affair.
    MultiplierSolver* const solver = numerics::is_dual<R> ? nullptr : options.solver.get();
    Mask solved;
    if (!solver) {
      solved = onto_manifold(system, base, direction, close, active, lambda, to);
    } else if constexpr (!numerics::is_dual<R>) {
      // By copies: what another function may reach stays in memory.
      const auto from = base;
      const auto directions = direction;
      auto found = lambda;
      ManifoldPoint<System> there;
      solved = onto_manifold_by(*solver, system, from, directions, close, active, found, there);
      lambda = found;
      to = there;
    }

    const auto acceleration = motion.free_acceleration(system, to.q, x.t + h);
    for (int n = 0; n < N; ++n) {
      for (int k = 0; k < C; ++k) v[n] = fma(half * lambda[k], response[k][n], v[n]);
      change.q[n] = h * v[n];
      v[n] = fma(half, acceleration[n], v[n]);
    }
    for (int k = 0; k < C; ++k) response[k] = motion.over_mass(to.at.gradient[k]);
    if (!solver) {
      make_tangent<System>(to.at.gradient, response, v);
    } else if constexpr (!numerics::is_dual<R>) {
      const auto gradients = to.at.gradient, responses = response;
      auto velocity = v;
      make_tangent_by<System>(*solver, gradients, responses, solved, velocity);
      v = velocity;
    }
    for (int n = 0; n < N; ++n) change.y[n] = v[n] - x.v[n];
    // Member by member: an aggregate would go through memory.
    next.lambda = lambda;
    next.lambda_before = last.lambda;
    next.acceleration = acceleration;
    next.at = to.at;
    return solved;
  }
};

template <class System>
using Rattle = OneStep<System, RattleFormula>;

}  // namespace cotangent::integrators
