// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/leapfrog.hpp"

#include <algorithm>
#include <cmath>

namespace cotangent::billiards {

namespace {

template <int D>
double dot(const Vector<D>& a, const Vector<D>& b) {
  double sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}
template <int D>
Falling<D> moved(const Falling<D>& p, const Vector<D>& g, Fall fall, double dt) {
  Falling<D> q = p;
  for (int d = 0; d < D; ++d) {
    if (fall == Fall::euler) {
      q.x[d] = p.x[d] + p.v[d] * dt;
      q.v[d] = p.v[d] + g[d] * dt;
      continue;
    }
    const double half = p.v[d] + g[d] * dt / 2;
    q.x[d] = p.x[d] + half * dt;
    q.v[d] = half + g[d] * dt / 2;
  }
  return q;
}

template <int D>
struct Level {
  double omega;
  Vector<D> gradient;
};

/// The first root in [0, 1] of the cubic with these values and slopes at 0 and 1; infinity where there is
/// none.
double first_zero(double value, double slope, double end_value, double end_slope) {
  const double rise = end_value - value;
  const double square = 3 * rise - 2 * slope - end_slope, cube = slope + end_slope - 2 * rise;
  const Coefficients c{Pack(value), Pack(slope), Pack(square), Pack(cube)};
  const double root = first_root(c, 3, {PackMask(true), PackMask(false), Pack(0.0), Pack(1.0)})[0];
  // Newton's last step, which first_root() leaves to its caller.
  const double left = value + root * (slope + root * (square + root * cube));
  const double steepness = slope + root * (2 * square + 3 * root * cube);
  return std::isfinite(root) && steepness < 0 ? std::min(1.0, root - left / steepness) : root;
}

/// Whether a member but this one holds the point.
template <int D>
bool in_another(const Domain<D>& domain, int set, const Vector<D>& x) {
  for (int m = 0; m < std::ssize(domain.members()); ++m) {
    if (m != set && holds<D>(domain, m, x)) return true;
  }
  return false;
}

}  // namespace

template <int D>
bool holds(const Domain<D>& domain, int member, const Vector<D>& x) {
  const auto& region = domain.members()[static_cast<std::size_t>(member)].region;
  return domain.omega(region, spread<D>(x), Pack(0.0))[0] > 0;
}

template <int D>
int first_member(const Domain<D>& domain, const Vector<D>& x) {
  for (int m = 0; m < std::ssize(domain.members()); ++m) {
    if (holds<D>(domain, m, x)) return m;
  }
  return -1;
}

template <int D>
SteppedHit linearised_step(const Domain<D>& domain, const Vector<D>& gravity, const SteppedFlight& flight,
                           Falling<D>& p) {
  const double dt = flight.step;
  const bool both_ends = flight.expansion == Expansion::both_ends;
  Falling<D> next = moved<D>(p, gravity, flight.fall, dt);
  next.set = first_member<D>(domain, next.x);
  if (next.set >= 0 && !both_ends) {
    p = next;
    return {};
  }
  const int wall = domain.members()[static_cast<std::size_t>(p.set)].region.front().front().wall;
  Vector<D> dx, hit;
  for (int d = 0; d < D; ++d) dx[d] = next.x[d] - p.x[d];
  const auto level = [&](const Vector<D>& x) {
    const Contact<D> c = domain.walls()[static_cast<std::size_t>(wall)]->contact(spread<D>(x), Pack(0.0));
    Level<D> result{c.value[0], {}};
    for (int d = 0; d < D; ++d) result.gradient[d] = c.gradient[d][0];
    return result;
  };
  const Level<D> here = level(p.x);
  const double slope = dot<D>(dx, here.gradient);
  double lambda = -here.omega / slope;
  if (both_ends && here.omega > 0) {
    const Level<D> there = level(next.x);
    lambda = first_zero(here.omega, slope, there.omega, dot<D>(dx, there.gradient));
  }
  for (int d = 0; d < D; ++d) hit[d] = p.x[d] + lambda * dx[d];
  if (next.set >= 0 && !(here.omega > 0 && lambda <= 1 && !in_another<D>(domain, p.set, hit))) {
    p = next;
    return {};
  }
  Vector<D> n = level(hit).gradient;
  const double size = std::sqrt(dot<D>(n, n));
  for (double& component : n) component /= size;
  const Falling<D> at_hit = moved<D>(p, gravity, flight.fall, lambda * dt);
  const double across = dot<D>(dx, n), speed = dot<D>(at_hit.v, n);
  for (int d = 0; d < D; ++d) {
    next.x[d] -= 2 * (1 - lambda) * across * n[d];
    next.v[d] = at_hit.v[d] - 2 * speed * n[d];
    if (flight.mended) next.v[d] += gravity[d] * (1 - lambda) * dt;
  }
  next.set = p.set;  // as Morita leaves it
  p = next;
  return {wall, lambda};
}

template bool holds<2>(const Domain<2>&, int, const Vector<2>&);
template bool holds<3>(const Domain<3>&, int, const Vector<3>&);
template int first_member<2>(const Domain<2>&, const Vector<2>&);
template int first_member<3>(const Domain<3>&, const Vector<3>&);
template SteppedHit linearised_step<2>(const Domain<2>&, const Vector<2>&, const SteppedFlight&, Falling<2>&);
template SteppedHit linearised_step<3>(const Domain<3>&, const Vector<3>&, const SteppedFlight&, Falling<3>&);

}  // namespace cotangent::billiards
