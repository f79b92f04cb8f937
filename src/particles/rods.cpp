#include "particles/rods.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <sstream>

#include "core/error.hpp"

namespace cotangent::particles {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  text.precision(10);
  (text << ... << parts);
  throw Error(text.str());
}

template <int D>
double product(const std::array<double, D>& a, const std::array<double, D>& b) {
  double sum = 0;
  for (int d = 0; d < D; ++d) sum += a[d] * b[d];
  return sum;
}

template <int D>
std::array<double, D> difference(const std::array<double, D>& a, const std::array<double, D>& b) {
  std::array<double, D> result;
  for (int d = 0; d < D; ++d) result[d] = a[d] - b[d];
  return result;
}

}  // namespace

template <int D>
double RodSystem<D>::extent() const {
  double largest = 0;
  for (const Vector& q : position) {
    for (const double x : q) largest = std::max(largest, std::abs(x));
  }
  // Of each molecule all rods, at the point that stands for it.
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
  std::vector<double> sum(position.size(), 0.0);
  for (const Rod& rod : rods) {
    double& whole = sum[root(rod.first)];
    whole += rod.length;
    largest = std::max(largest, whole);
  }
  return largest;
}

template <int D>
void RodSystem<D>::check() const {
  const std::int64_t n = static_cast<std::int64_t>(mass.size());
  if (rods.empty()) refuse("there is no rod");
  if (std::ssize(position) != n || std::ssize(velocity) != n)
    refuse(n, " masses, ", position.size(), " positions and ", velocity.size(),
           " velocities don't go together");
  for (std::int64_t i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (!(mass[at] > 0)) refuse("point ", i, ": mass = ", mass[at], " must be positive");
    for (int d = 0; d < D; ++d) {
      if (!std::isfinite(position[at][d]) || !std::isfinite(velocity[at][d]))
        refuse("point ", i, ": a position or velocity that isn't finite");
    }
    if (mass[at] == fixed && product<D>(velocity[at], velocity[at]) > 0)
      refuse("point ", i, " is fixed and can't have a velocity");
  }
  std::vector<char> joined(static_cast<std::size_t>(n), 0);
  for (std::int64_t k = 0; k < std::ssize(rods); ++k) {
    const Rod& rod = rods[static_cast<std::size_t>(k)];
    if (rod.holds()) {
      if (!surface) refuse("rod ", k, " holds a point on a surface, and there is none");
      if (rod.first < 0 || rod.first >= n) refuse("rod ", k, " holds point ", rod.first, "; there are ", n);
      if (mass[static_cast<std::size_t>(rod.first)] == fixed)
        refuse("rod ", k, " holds a point that is fixed");
      joined[static_cast<std::size_t>(rod.first)] = 1;
      continue;
    }
    if (!(rod.length > 0) || !std::isfinite(rod.length))
      refuse("rod ", k, ": length = ", rod.length, " must be positive");
    for (const std::int64_t end : {rod.first, rod.second}) {
      if (end < 0 || end >= n) refuse("rod ", k, " ends at point ", end, "; there are ", n);
      joined[static_cast<std::size_t>(end)] = 1;
    }
    if (rod.first == rod.second) refuse("rod ", k, " joins point ", rod.first, " to itself");
    if (mass[static_cast<std::size_t>(rod.first)] == fixed &&
        mass[static_cast<std::size_t>(rod.second)] == fixed)
      refuse("rod ", k, " joins two fixed points");
  }
  const auto lonely = std::ranges::find(joined, 0);
  if (lonely != joined.end()) refuse("point ", lonely - joined.begin(), " has no rod");
}

template <int D>
void RodSystem<D>::check_start(double tolerance) const {
  const double far_off = tolerance * extent();
  for (std::int64_t k = 0; k < std::ssize(rods); ++k) {
    const Rod& rod = rods[static_cast<std::size_t>(k)];
    const auto a = static_cast<std::size_t>(rod.first), b = static_cast<std::size_t>(rod.second);
    if (rod.holds()) {
      const auto [value, slope] = surface->level(position[a]);
      const double size = std::sqrt(product<D>(slope, slope)), rate = product<D>(slope, velocity[a]) / size;
      if (!(std::abs(value) <= far_off * size)) refuse("point ", a, " is off the surface by ", value / size);
      if (!(std::abs(rate) <= tolerance * std::sqrt(product<D>(velocity[a], velocity[a]))))
        refuse("point ", a, " would leave the surface at a rate of ", rate, ": its velocity isn't tangent");
      continue;
    }
    const Vector r = difference<D>(position[a], position[b]), w = difference<D>(velocity[a], velocity[b]);
    const double apart = std::sqrt(product<D>(r, r));
    if (!(std::abs(apart - rod.length) <= tolerance * rod.length))
      refuse("rod ", k, " is ", rod.length, " long, and its points ", rod.first, " and ", rod.second, " are ",
             apart, " apart");
    const double along = product<D>(r, w) / apart;
    const double speed =
        std::sqrt(product<D>(velocity[a], velocity[a])) + std::sqrt(product<D>(velocity[b], velocity[b]));
    if (!(std::abs(along) <= tolerance * speed))
      refuse("rod ", k, " would change its length at a rate of ", along,
             ": the velocities of its points aren't tangent");
  }
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

void lay_along(RodSystem<3>& chain, const HoldingSurface<3>& surface, std::array<double, 3> from,
               std::array<double, 3> direction) {
  using Vector = std::array<double, 3>;
  const auto plus = [](const Vector& a, double s, const Vector& b) {
    return Vector{a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
  };
  const auto scaled = [](const Vector& a) {
    const double size = std::sqrt(product<3>(a, a));
    return Vector{a[0] / size, a[1] / size, a[2] / size};
  };
  const auto bends = [](std::int64_t k) {
    refuse("rod ", k,
           " doesn't fit on the surface: it bends too much for its length, or the direction is "
           "that of its normal");
  };
  chain.position[0] = from;
  std::int64_t laid = 0;
  for (const auto& rod : chain.rods) {
    const Vector at = chain.position[static_cast<std::size_t>(rod.first)],
                 normal = scaled(surface.level(at).gradient);
    const Vector along = plus(direction, -product<3>(direction, normal), normal);
    if (!(product<3>(along, along) > 1e-12 * product<3>(direction, direction))) bends(laid);
    const Vector tangent = scaled(along);
    // q = at + l (cos a tangent + sin a normal): Newton's method for g(q) = 0 in the angle a.
    double angle = 0, correction = 1;
    Vector q{};
    for (int k = 0; k < 50 && !(std::abs(correction) < 1e-15); ++k) {
      const double c = std::cos(angle), s = std::sin(angle);
      q = plus(plus(at, rod.length * c, tangent), rod.length * s, normal);
      const auto [value, slope] = surface.level(q);
      correction = value / (rod.length * (c * product<3>(slope, normal) - s * product<3>(slope, tangent)));
      angle -= correction;
      if (!(std::abs(angle) < 1.0)) bends(laid);
    }
    if (!(std::abs(correction) < 1e-12)) bends(laid);
    chain.position[static_cast<std::size_t>(rod.second)] = q;
    direction = plus(q, -1.0, at);
    ++laid;
  }
}

template <int D>
RodSystem<D> rod_chain(std::int64_t rods, double length, double mass, double gravity, double angle,
                       bool closed) {
  RodSystem<D> chain;
  chain.gravity[D - 1] = -gravity;
  std::array<double, D> at{};
  const double turn = closed ? 2 * std::numbers::pi / static_cast<double>(rods) : 0.0;
  for (std::int64_t k = 0; k <= rods - (closed ? 1 : 0); ++k) {
    chain.position.push_back(at);
    chain.mass.push_back(k == 0 ? fixed : mass);
    const double direction = angle + turn * static_cast<double>(k);
    at[0] += length * std::sin(direction);
    at[D - 1] -= length * std::cos(direction);
  }
  chain.velocity.assign(chain.position.size(), {});
  const std::int64_t points = std::ssize(chain.position);
  for (std::int64_t k = 0; k < rods; ++k) chain.rods.push_back({k, (k + 1) % points, length});
  return chain;
}

template struct RodSystem<2>;
template struct RodSystem<3>;
template RodSystem<2> rod_chain(std::int64_t, double, double, double, double, bool);
template RodSystem<3> rod_chain(std::int64_t, double, double, double, double, bool);

}  // namespace cotangent::particles
