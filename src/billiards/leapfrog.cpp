// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/leapfrog.hpp"

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

}  // namespace

template <int D>
int first_member(const Domain<D>& domain, const Vector<D>& x) {
  for (std::size_t m = 0; m < domain.members().size(); ++m) {
    if (domain.omega(domain.members()[m].region, spread<D>(x), Pack(0.0))[0] > 0) return static_cast<int>(m);
  }
  return -1;
}

template <int D>
int linearised_step(const Domain<D>& domain, const Vector<D>& gravity, Fall fall, double dt, bool mended,
                    Falling<D>& p) {
  Falling<D> next = moved<D>(p, gravity, fall, dt);
  next.set = first_member<D>(domain, next.x);
  if (next.set >= 0) {
    p = next;
    return -1;
  }
  const int wall = domain.members()[static_cast<std::size_t>(p.set)].region.front().front().wall;
  const Wall<D>& here = *domain.walls()[static_cast<std::size_t>(wall)];
  const auto gradient_at = [&](const Vector<D>& x, double& value) {
    const Contact<D> c = here.contact(spread<D>(x), Pack(0.0));
    Vector<D> gradient;
    for (int d = 0; d < D; ++d) gradient[d] = c.gradient[d][0];
    value = c.value[0];
    return gradient;
  };
  Vector<D> dx, hit;
  for (int d = 0; d < D; ++d) dx[d] = next.x[d] - p.x[d];
  double omega = 0, ignored = 0;
  const Vector<D> slope = gradient_at(p.x, omega);
  const double lambda = -omega / dot<D>(dx, slope);
  for (int d = 0; d < D; ++d) hit[d] = p.x[d] + lambda * dx[d];
  Vector<D> n = gradient_at(hit, ignored);
  const double size = std::sqrt(dot<D>(n, n));
  for (double& component : n) component /= size;
  const Falling<D> at_hit = moved<D>(p, gravity, fall, lambda * dt);
  const double across = dot<D>(dx, n), speed = dot<D>(at_hit.v, n);
  for (int d = 0; d < D; ++d) {
    next.x[d] -= 2 * (1 - lambda) * across * n[d];
    next.v[d] = at_hit.v[d] - 2 * speed * n[d];
    if (mended) next.v[d] += gravity[d] * (1 - lambda) * dt;
  }
  next.set = p.set;  // as Morita leaves it
  p = next;
  return wall;
}

template int first_member<2>(const Domain<2>&, const Vector<2>&);
template int first_member<3>(const Domain<3>&, const Vector<3>&);
template int linearised_step<2>(const Domain<2>&, const Vector<2>&, Fall, double, bool, Falling<2>&);
template int linearised_step<3>(const Domain<3>&, const Vector<3>&, Fall, double, bool, Falling<3>&);

}  // namespace cotangent::billiards
