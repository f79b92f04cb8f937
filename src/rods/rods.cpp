// SPDX-License-Identifier: BSD-3-Clause
#include "rods/rods.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "rods/refuse.hpp"

namespace cotangent::rods {

using detail::refuse;
namespace {

template <int D>
double product(const std::array<double, D>& a, const std::array<double, D>& b) {
  double sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

}  // namespace

template <int D>
void HoldingSurface<D>::find(const Levels& points) const {
  if (levels) return levels(points);
  for (std::size_t i = 0; i < points.count; ++i) {
    Vector q;
    for (int d = 0; d < D; ++d) q[d] = points.q[d][i];
    const auto [value, gradient] = level(q);
    points.value[i] = value;
    for (int d = 0; d < D; ++d) points.gradient[d][i] = gradient[d];
  }
}

template <int D>
std::vector<std::size_t> RodSystem<D>::molecules() const {
  std::vector<std::size_t> towards(position.size());
  std::iota(towards.begin(), towards.end(), std::size_t{0});
  const auto root = [&](std::int64_t point) {
    auto i = static_cast<std::size_t>(point);
    while (towards[i] != i) i = towards[i] = towards[towards[i]];
    return i;
  };
  for (const Rod& rod : rods) {
    if (!rod.holds()) towards[root(rod.second)] = root(rod.first);
  }
  for (std::size_t i = 0; i < towards.size(); ++i) towards[i] = root(static_cast<std::int64_t>(i));
  return towards;
}

template <int D>
double RodSystem<D>::longest_molecule() const {
  const std::vector<std::size_t> molecule = molecules();
  double longest = 0;
  std::vector<double> sum(position.size(), 0.0);
  for (const Rod& rod : rods) {
    double& whole = sum[molecule[static_cast<std::size_t>(rod.first)]];
    whole += rod.length;
    longest = std::max(longest, whole);
  }
  return longest;
}

template <int D>
double RodSystem<D>::extent() const {
  double largest = longest_molecule();
  for (const Vector& q : position) {
    for (const double x : q) largest = std::max(largest, std::abs(x));
  }
  return largest;
}

template <int D>
void RodSystem<D>::hold_on(const HoldingSurface<D>& holding) {
  surface = holding;
  std::vector<char> held(mass.size(), 0);
  std::vector<Rod> all;
  for (const Rod& rod : rods) {
    for (const std::int64_t end : {rod.first, rod.second}) {
      const auto i = static_cast<std::size_t>(end);
      if (held[i] == 0 && mass[i] != fixed) all.push_back({end, nowhere, 0.0});
      held[i] = 1;
    }
    all.push_back(rod);
  }
  rods = all;
}

const std::array<double, 3>& SurfaceWalk::step(double length) {
  using Vector = std::array<double, 3>;
  const auto plus = [](const Vector& a, double s, const Vector& b) {
    return Vector{a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
  };
  const auto scaled = [](const Vector& a) {
    const double size = std::sqrt(product<3>(a, a));
    return Vector{a[0] / size, a[1] / size, a[2] / size};
  };
  const auto bends = [this] {
    refuse("rod ", steps_,
           " doesn't fit on the surface: it bends too much for its length, or the direction is "
           "that of its normal");
  };
  const Vector normal = scaled(surface_.level(at_).gradient);
  const Vector along = plus(direction_, -product<3>(direction_, normal), normal);
  if (!(product<3>(along, along) > 1e-12 * product<3>(direction_, direction_))) bends();
  const Vector tangent = scaled(along);
  // q = at + l (cos a tangent + sin a normal): Newton's method for g(q) = 0 in the angle a.
  double angle = 0, correction = 1;
  Vector q{};
  for (int k = 0; k < 50 && !(std::abs(correction) < 1e-15); ++k) {
    const double c = std::cos(angle), s = std::sin(angle);
    q = plus(plus(at_, length * c, tangent), length * s, normal);
    const auto [value, slope] = surface_.level(q);
    correction = value / (length * (c * product<3>(slope, normal) - s * product<3>(slope, tangent)));
    angle -= correction;
    if (!(std::abs(angle) < 1.0)) bends();
  }
  // Round-off of places is as large an angle as the rod is short.
  const double far = std::max({std::abs(at_[0]), std::abs(at_[1]), std::abs(at_[2]), length});
  const double noise = 16 * std::numeric_limits<double>::epsilon() * far / length;
  if (!(std::abs(correction) < std::max(1e-12, noise))) bends();
  direction_ = plus(q, -1.0, at_);
  at_ = q;
  ++steps_;
  return at_;
}

void lay_along(RodSystem<3>& chain, const HoldingSurface<3>& surface, std::array<double, 3> from,
               std::array<double, 3> direction) {
  chain.position[0] = from;
  SurfaceWalk walk(surface, from, direction);
  for (const Rod& rod : chain.rods)
    chain.position[static_cast<std::size_t>(rod.second)] = walk.step(rod.length);
}

template <int D>
void walk_chain(std::int64_t rods, double length, double angle, bool closed,
                const std::function<void(std::int64_t point, const std::array<double, D>& q)>& visit) {
  std::array<double, D> at{};
  const double turn = closed ? 2 * std::numbers::pi / static_cast<double>(rods) : 0.0;
  double across = std::sin(angle), down = std::cos(angle);
  for (std::int64_t k = 0; k <= rods - (closed ? 1 : 0); ++k) {
    visit(k, at);
    if (closed) {
      const double direction = angle + turn * static_cast<double>(k);
      across = std::sin(direction);
      down = std::cos(direction);
    }
    at[0] += length * across;
    at[D - 1] -= length * down;
  }
}

template <int D>
RodSystem<D> rod_chain(std::int64_t rods, double length, double mass, double gravity, double angle,
                       bool closed) {
  RodSystem<D> chain;
  chain.gravity[D - 1] = -gravity;
  walk_chain<D>(rods, length, angle, closed, [&](std::int64_t k, const std::array<double, D>& q) {
    chain.position.push_back(q);
    chain.mass.push_back(k == 0 ? fixed : mass);
  });
  chain.velocity.assign(chain.position.size(), {});
  const std::int64_t points = std::ssize(chain.position);
  for (std::int64_t k = 0; k < rods; ++k) chain.rods.push_back({k, (k + 1) % points, length});
  return chain;
}

template void walk_chain<2>(std::int64_t, double, double, bool,
                            const std::function<void(std::int64_t, const std::array<double, 2>&)>&);
template void walk_chain<3>(std::int64_t, double, double, bool,
                            const std::function<void(std::int64_t, const std::array<double, 3>&)>&);
template struct HoldingSurface<2>;
template struct HoldingSurface<3>;
template struct RodSystem<2>;
template struct RodSystem<3>;
template RodSystem<2> rod_chain(std::int64_t, double, double, double, double, bool);
template RodSystem<3> rod_chain(std::int64_t, double, double, double, double, bool);

}  // namespace cotangent::rods
