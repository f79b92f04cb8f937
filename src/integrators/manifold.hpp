// SPDX-License-Identifier: BSD-3-Clause
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
#include "integrators/newton.hpp"

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

/// base + sum_k lambda_k direction_k
template <class System>
[[gnu::always_inline]] inline auto along(typename System::Vector base, const Directions<System>& directions,
                                         const typename System::Multipliers& lambda) {
  for (int k = 0; k < System::constraints; ++k) {
    for (int n = 0; n < System::dim; ++n) base[n] = fma(lambda[k], directions[k][n], base[n]);
  }
  return base;
}

/// Newton's correction of the multipliers, where the constraints are known.
template <class System>
[[gnu::always_inline]] inline auto correction(const typename System::Constraint& at,
                                              const Directions<System>& directions) {
  auto change = at.value;
  auto coupling = products<System>(at.gradient, directions);
  solve_multipliers<System>(coupling, change);
  return change;
}

/// mask ? a : b, lane by lane.
template <class Mask, class R, std::size_t N>
[[gnu::always_inline]] inline std::array<R, N> select_each(Mask mask, const std::array<R, N>& a,
                                                           const std::array<R, N>& b) {
  std::array<R, N> result;
  for (std::size_t n = 0; n < N; ++n) result[n] = select(mask, a[n], b[n]);
  return result;
}
template <class Mask, class Constraint>
[[gnu::always_inline]] inline Constraint select_constraint(Mask mask, const Constraint& a,
                                                           const Constraint& b) {
  Constraint result{select_each(mask, a.value, b.value), {}};
  for (std::size_t k = 0; k < a.gradient.size(); ++k) {
    result.gradient[k] = select_each(mask, a.gradient[k], b.gradient[k]);
  }
  return result;
}

/// What a correction did to the error: the same for a lane whichever loop below it is in.
template <class System>
struct Progress {
  using R = typename System::Real;
  using Constraint = typename System::Constraint;
  using Mask = numerics::mask_of<R>;
  typename Constraint::Errors errors;
  Mask shrinking;

  [[gnu::always_inline]] Progress(const Constraint& before, const Constraint& after)
      : Progress(before.errors_squared(after)) {}
  [[gnu::always_inline]] explicit Progress(const typename Constraint::Errors& found)
      : errors(found), shrinking(errors.there < R(0.06) * errors.here) {}
  /// The same where gradients may be of any size.
  static Progress of_any_size(const Constraint& before, const Constraint& after) {
    return Progress(before.errors_of_any_size(after));
  }

  [[gnu::always_inline]] Mask closer() const { return errors.there < errors.here; }
  /// Errors of the size of round-off that stop shrinking.
  [[gnu::always_inline]] Mask stalled(const typename System::Vector& base) const {
    R noise(0.0);
    for (int n = 0; n < System::dim; ++n) noise += numerics::absolute(base[n]) * R(0x1p-48);
    return (numerics::lesser(errors.here, errors.there) <= noise * noise * errors.unit) & !shrinking;
  }
};

/// What the search found, and the lanes in which it didn't.
template <class System>
struct Found {
  typename System::Multipliers lambda{};
  ManifoldPoint<System> point{};
  numerics::mask_of<typename System::Real> open;

  [[gnu::always_inline]] void take(numerics::mask_of<typename System::Real> lanes,
                                   const typename System::Multipliers& by, const typename System::Vector& q,
                                   const typename System::Constraint& at) {
    lambda = select_each(lanes, by, lambda);
    point.q = select_each(lanes, q, point.q);
    point.at = select_constraint(lanes, at, point.at);
  }
};

constexpr int most_looks = 50;

/// By steps halved as long as they lead away. A lane for which none is halved does here what it does below.
template <class System>
[[gnu::noinline, gnu::cold]] Found<System> onto_manifold_damped(
    const System& system, typename System::Vector base, Directions<System> directions,
    typename System::Real target, numerics::mask_of<typename System::Real> active,
    typename System::Multipliers from) {
  using R = typename System::Real;
  Found<System> found;
  auto& open = found.open = active;
  auto stalled = active & !active;
  R damping(1.0);
  auto at = system.constraint_by_call(along<System>(base, directions, from));
  for (int look = 1; look < most_looks && any(open); ++look) {
    const auto change = correction<System>(at, directions);
    auto trial = from;
    for (int k = 0; k < System::constraints; ++k) trial[k] -= change[k];
    const auto near = open & (at.within(target) | stalled);
    found.take(near, trial, along<System>(base, directions, trial), at);
    open = open & !near;
    for (int k = 0; k < System::constraints; ++k) trial[k] = from[k] - damping * change[k];
    const auto there = system.constraint_by_call(along<System>(base, directions, trial));
    const auto progress = Progress<System>::of_any_size(at, there);
    const auto closer = progress.closer() | there.within(target);
    stalled = progress.stalled(base);
    damping = select(closer, numerics::lesser(R(2.0) * damping, R(1.0)), R(0.5) * damping);
    from = select_each(closer, trial, from);
    at = select_constraint(closer, there, at);
  }
  return found;
}

/// As close as the last correction begins where gradients that are given before it serve after it.
inline double close_for_gradients(double tolerance) {
  return 0.0625 * tolerance;
}

/// lambda, a guess on entry, and the point that it leads to. Where the constraints hold to `close`, a length
/// no larger than the tolerance, the correction made there is the last one, without another look at g: it
/// moves the point about as far from where its constraints and gradients are given. Returns the lanes solved.
template <class System>
[[gnu::always_inline]] inline numerics::mask_of<typename System::Real> onto_manifold(
    const System& system, const typename System::Vector& base, const Directions<System>& directions,
    double close, numerics::mask_of<typename System::Real> active, typename System::Multipliers& lambda,
    ManifoldPoint<System>& point) {
  using R = typename System::Real;
  const R target(close * close);
  const auto guess = lambda;
  const typename System::Multipliers none{};
  point.q = along<System>(base, directions, lambda);
  point.at = system.constraint(point.q);
  auto open = active, near = point.at.within(target);
  for (int look = 1; look < most_looks; ++look) {
    // What is within the tolerance keeps this correction: its error is of second order.
    const auto change = select_each(open, correction<System>(point.at, directions), none);
    for (int k = 0; k < System::constraints; ++k) lambda[k] -= change[k];
    point.q = along<System>(base, directions, lambda);
    open = open & !near;
    if (!any(open)) return active;
    const auto there = system.constraint(point.q);
    near = there.within(target);
    if (any(open & !(near | Progress<System>(point.at, there).shrinking))) [[unlikely]] {
      const auto progress = Progress<System>::of_any_size(point.at, there);
      const auto stalled = progress.stalled(base);
      if (any(open & !(near | progress.shrinking | stalled))) break;
      open = open & (near | progress.closer());  // led away: the correction before stands
      near = near | stalled;
      if (!any(open)) return active;
    }
    point.at = select_constraint(open, there, point.at);
  }
  const auto found = onto_manifold_damped<System>(system, base, directions, target, active, guess);
  lambda = found.lambda;
  point = found.point;
  return active & !found.open;
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

/// Moves a state onto the manifold, as it is at the time 0, to 1e-12 or to what large positions round by, by
/// the Gauss-Newton method, each correction as short as can be, `held` aside (a coordinate, or -1); then its
/// velocity to where neither the manifold nor rolling forbids it, by the least kinetic energy taken out.
template <class System>
bool project_state(const System& system, std::span<double> q, std::span<double> v, int held) {
  constexpr int N = System::dim, C = System::constraints, K = System::multipliers;
  typename System::Vector x, velocity;
  std::copy_n(q.begin(), N, x.begin());
  std::copy_n(v.begin(), N, velocity.begin());
  // What positions round by moves constraints as much.
  const double rounding = 0x1p-48 * sum_of_sizes(x), enough = std::max(1e-24, rounding * rounding);
  double error = 0;
  if constexpr (C > 0) {
    double before = std::numeric_limits<double>::infinity();
    for (int iteration = 0; iteration < 100; ++iteration) {
      const auto at = system.constraint_by_call(x);
      error = at.error_squared();
      if (error == 0 || (error < enough && !(error < 0.25 * before))) break;
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
  }
  const auto mass = system.hessian(x, velocity, 0.0).vv;
  for (int twice = 0; twice < 2; ++twice) {
    const auto directions = system.force_directions(x, velocity, 0.0);
    std::array<typename System::Vector, K> responses;
    numerics::Matrix<double, K> coupling{};
    std::array<double, K> mu{};
    if constexpr (System::moving) {
      const auto rate = mechanics::constraint_rate<typename System::Model>(x, system.parameters, 0.0);
      std::copy_n(rate.begin(), C, mu.begin());
    }
    for (int k = 0; k < K; ++k) {
      responses[k] = numerics::solve<double, N>(mass, directions[k]);
      for (int n = 0; n < N; ++n) mu[k] += directions[k][n] * velocity[n];
    }
    if constexpr (System::rolls) {
      const auto slip = system.slip(x, velocity).value;
      std::copy_n(slip.begin(), K - C, mu.begin() + C);
    }
    for (int k = 0; k < K; ++k) {
      for (int l = 0; l < K; ++l) {
        for (int n = 0; n < N; ++n) coupling[k][l] += directions[k][n] * responses[l][n];
      }
    }
    numerics::solve_in_place<double>(K, coupling, mu);
    for (int k = 0; k < K; ++k) {
      for (int n = 0; n < N; ++n) velocity[n] -= mu[k] * responses[k][n];
    }
  }
  double sum = 0;
  for (int n = 0; n < N; ++n) sum += std::abs(x[n]) + std::abs(velocity[n]);
  std::copy_n(x.begin(), N, q.begin());
  std::copy_n(velocity.begin(), N, v.begin());
  return std::isfinite(sum) && error < enough;
}

}  // namespace cotangent::integrators
