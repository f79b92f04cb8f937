#include "particles/rods.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
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
  double largest = 0, sum = 0;
  for (const Vector& q : position) {
    for (const double x : q) largest = std::max(largest, std::abs(x));
  }
  for (const Rod& rod : rods) sum += rod.length;
  return std::max(largest, sum);
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
  for (std::int64_t k = 0; k < std::ssize(rods); ++k) {
    const Rod& rod = rods[static_cast<std::size_t>(k)];
    const auto a = static_cast<std::size_t>(rod.first), b = static_cast<std::size_t>(rod.second);
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
