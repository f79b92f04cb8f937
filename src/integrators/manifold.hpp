// Onto the constraint manifold: multipliers lambda such that
//   q = base + sum_k lambda_k direction_k,   g(q) = 0,
// by Newton's method, with steps halved as long as they lead away. A lane has converged when each constraint
// holds to the tolerance, a length, |g_k| / |grad g_k|, or when errors of the size of round-off stop
// shrinking. One constraint: closed form; several: dense elimination, in lanes either way. Reference: Hairer,
// Lubich, Wanner (2006), VII.1.4; Leimkuhler, Reich (2004), 7.2.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "integrators/method.hpp"

namespace cotangent::integrators {

/// A point with the constraints and their gradients there.
template <class System>
struct ManifoldPoint {
  typename System::Vector q;
  typename System::Constraint at;
};

template <class System>
using Directions = std::array<typename System::Vector, static_cast<std::size_t>(System::constraints)>;

/// Solves A x = b for as many unknowns as there are constraints, in place of b.
template <class System, class Matrix, class Multipliers>
[[gnu::always_inline]] inline void solve_multipliers(Matrix& a, Multipliers& b) {
  if constexpr (System::constraints == 1) {
    b[0] = b[0] / a[0][0];
  } else {
    numerics::solve_in_place<typename System::Real>(System::constraints, a, b);
  }
}

/// gradients_k . directions_l
template <class System>
[[gnu::always_inline]] inline auto products(const Directions<System>& gradients,
                                            const Directions<System>& directions) {
  using R = typename System::Real;
  numerics::Matrix<R, System::constraints> result;
  for (int k = 0; k < System::constraints; ++k) {
    for (int l = 0; l < System::constraints; ++l) {
      R sum = gradients[k][0] * directions[l][0];
      for (int n = 1; n < System::dim; ++n) sum = fma(gradients[k][n], directions[l][n], sum);
      result[k][l] = sum;
    }
  }
  return result;
}

/// lambda, a guess on entry, and the point that it leads to. Without another look at g, a last correction
/// moves the point from where its constraints and gradients are given, by a sixteenth of the tolerance at
/// most. Returns the lanes solved.
template <class System>
[[gnu::always_inline]] inline numerics::mask_of<typename System::Real> onto_manifold(
    const System& system, const typename System::Vector& base, const Directions<System>& directions,
    double tolerance, numerics::mask_of<typename System::Real> active, typename System::Multipliers& lambda,
    ManifoldPoint<System>& point) {
  using R = typename System::Real;
  constexpr int N = System::dim, C = System::constraints;
  constexpr int limit = 50;
  const auto along = [&](const typename System::Multipliers& by) [[gnu::always_inline]] {
    auto q = base;
    for (int k = 0; k < C; ++k) {
      for (int n = 0; n < N; ++n) q[n] = fma(by[k], directions[k][n], q[n]);
    }
    return q;
  };
  const R target(0x1p-8 * tolerance * tolerance);
  const auto corrected = [&](const typename System::Multipliers& by) [[gnu::always_inline]] {
    auto result = lambda;
    for (int k = 0; k < C; ++k) result[k] -= by[k];
    return result;
  };
  point = ManifoldPoint<System>{along(lambda), {}};
  point.at = system.constraint(point.q);
  auto open = active, stalled = active & !active;
  R damping(1.0), noise(0.0);
  for (int iteration = 0; iteration < limit && any(open); ++iteration) {
    auto change = point.at.value;
    auto coupling = products<System>(point.at.gradient, directions);
    solve_multipliers<System>(coupling, change);
    const auto near = open & (point.at.within(target) | stalled);
    if (any(near)) {
      // One more correction, whose error is of second order in what is within the tolerance.
      const auto last = corrected(change);
      const auto q = along(last);
      const bool every = all(near);
      for (int k = 0; k < C; ++k) lambda[k] = every ? last[k] : select(near, last[k], lambda[k]);
      for (int n = 0; n < N; ++n) point.q[n] = every ? q[n] : select(near, q[n], point.q[n]);
      open = open & !near;
      if (!any(open)) break;
    }
    for (int k = 0; k < C; ++k) change[k] = damping * change[k];
    const auto trial = corrected(change);
    ManifoldPoint<System> there{along(trial), {}};
    there.at = system.constraint(there.q);
    auto take = open;
    if (iteration > 0 || any(open & !there.at.within(target))) {
      // Away from the manifold: from the same place by a shorter step; near, by full ones.
      for (int n = 0; n < N && iteration == 0; ++n) noise += numerics::absolute(base[n]) * R(0x1p-48);
      const R error = point.at.error_squared(), reached = there.at.error_squared();
      const auto closer = reached < error;
      const auto at_noise = numerics::lesser(error, reached) <= noise * noise;
      stalled = at_noise & !(reached < R(0.06) * error);
      damping = select(closer, numerics::lesser(R(2.0) * damping, R(1.0)), R(0.5) * damping);
      take = open & closer;
    }
    if (all(take)) {
      lambda = trial;
      point = there;
    } else {
      for (int k = 0; k < C; ++k) {
        lambda[k] = select(take, trial[k], lambda[k]);
        point.at.value[k] = select(take, there.at.value[k], point.at.value[k]);
        for (int n = 0; n < N; ++n) {
          point.at.gradient[k][n] = select(take, there.at.gradient[k][n], point.at.gradient[k][n]);
        }
      }
      for (int n = 0; n < N; ++n) point.q[n] = select(take, there.q[n], point.q[n]);
    }
  }
  return active & !open;
}

/// Takes out of a velocity what isn't tangent: v -= responses (G responses)^-1 G v, responses = M^-1 G^T.
template <class System>
[[gnu::always_inline]] inline void make_tangent(const Directions<System>& gradients,
                                                const Directions<System>& responses,
                                                typename System::Vector& v) {
  using R = typename System::Real;
  auto coupling = products<System>(gradients, responses);
  typename System::Multipliers mu;
  for (int k = 0; k < System::constraints; ++k) {
    R sum = gradients[k][0] * v[0];
    for (int n = 1; n < System::dim; ++n) sum = fma(gradients[k][n], v[n], sum);
    mu[k] = sum;
  }
  solve_multipliers<System>(coupling, mu);
  for (int k = 0; k < System::constraints; ++k) {
    for (int n = 0; n < System::dim; ++n) v[n] = fma(-mu[k], responses[k][n], v[n]);
  }
}

/// Moves a state onto the manifold by the Gauss-Newton method, each correction as short as can be, `held`
/// aside (a coordinate, or -1); then its velocity into the tangent space, by the least kinetic energy taken
/// out.
template <class System>
bool project_state(const System& system, std::span<double> q, std::span<double> v, int held) {
  constexpr int N = System::dim, C = System::constraints;
  typename System::Vector x, velocity;
  std::copy_n(q.begin(), N, x.begin());
  std::copy_n(v.begin(), N, velocity.begin());
  double error = 0, before = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < 100; ++iteration) {
    const auto at = system.constraint(x);
    error = at.error_squared();
    if (error == 0 || (error < 1e-24 && !(error < 0.25 * before))) break;
    before = error;
    auto free = at.gradient;
    if (held >= 0) {
      for (auto& row : free) row[static_cast<std::size_t>(held)] = 0;
    }
    auto coupling = products<System>(at.gradient, free);
    auto lambda = at.value;
    solve_multipliers<System>(coupling, lambda);
    for (int k = 0; k < C; ++k) {
      for (int n = 0; n < N; ++n) x[n] -= lambda[k] * free[k][n];
    }
  }
  const auto gradients = system.constraint(x).gradient;
  const auto mass = system.hessian(x, velocity, 0.0).vv;
  Directions<System> responses;
  for (int k = 0; k < C; ++k) responses[k] = numerics::solve<double, N>(mass, gradients[k]);
  for (int twice = 0; twice < 2; ++twice) make_tangent<System>(gradients, responses, velocity);
  double sum = 0;
  for (int n = 0; n < N; ++n) sum += std::abs(x[n]) + std::abs(velocity[n]);
  std::copy_n(x.begin(), N, q.begin());
  std::copy_n(velocity.begin(), N, v.begin());
  return std::isfinite(sum) && error < 1e-24;
}

}  // namespace cotangent::integrators
