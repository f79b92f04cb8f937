// SPDX-License-Identifier: BSD-3-Clause
#include "sections/energy_roots.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cotangent::sections {

namespace {
constexpr int most_halvings = 60;
}

std::optional<double> velocity_of_energy(const StateFunctions& problem, Values q, Values v, int index,
                                         Values parameters, double energy,
                                         const std::function<bool(double)>& accept) {
  std::vector<double> velocity(v.begin(), v.end());
  const auto i = static_cast<std::size_t>(index);
  const auto excess = [&](double x) {
    velocity[i] = x;
    return problem.energy(q, velocity, parameters) - energy;
  };
  // a v^2 + b v + at_zero, a and b from velocities that are large enough to show beside the potential.
  const double at_zero = excess(0);
  double probe = 1, a = 0, b = 0;
  const auto look = [&] {
    const double above = excess(probe), below = excess(-probe);
    a = (0.5 * (above + below) - at_zero) / (probe * probe);
    b = 0.5 * (above - below) / probe;
  };
  look();
  if (velocity[i] = 0; !(a > 0 && std::isfinite(a))) {
    const double mass = problem.mass_matrix(q, velocity, parameters)[i * velocity.size() + i];
    if (!(mass > 0)) return std::nullopt;
    probe = std::sqrt(2 * std::abs(at_zero) / mass);
    // Speeds may have a bound, beyond which there is no energy.
    for (int k = 0; k < most_halvings && !std::isfinite(excess(probe) + excess(-probe)); ++k) probe /= 2;
    look();
  }
  const double discriminant = b * b - 4 * a * at_zero;
  if (!(discriminant >= 0) || !(a > 0)) return std::nullopt;
  const double far = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  std::vector<double> roots{far / a};
  roots.push_back(far != 0 ? at_zero / far : -roots[0]);
  std::sort(roots.rbegin(), roots.rend());
  for (double root : roots) {
    double value = excess(root), size = 0;
    for (int k = 0; k < most_halvings && !std::isfinite(value); ++k) value = excess(root /= 2);
    for (int iteration = 0; iteration < 50; ++iteration) {
      const auto mass = problem.mass_matrix(q, velocity, parameters);
      const double own_mass = std::abs(mass[i * velocity.size() + i]);
      size = std::abs(energy) + std::abs(at_zero) + own_mass * root * root;
      if (iteration >= 4 && std::abs(value) <= 1e-14 * size) break;
      double slope = 0;
      for (std::size_t j = 0; j < velocity.size(); ++j) slope += mass[i * velocity.size() + j] * velocity[j];
      if (!(std::abs(slope) > 1e-9 * own_mass)) break;
      double next = root - value / slope, there = excess(next);
      for (int k = 0; k < most_halvings && !std::isfinite(there); ++k)
        there = excess(next = 0.5 * (root + next));
      if (next == root || !std::isfinite(there)) break;
      root = next;
      value = there;
    }
    if (std::abs(value) <= 1e-9 * size && accept(root)) return root;
  }
  return std::nullopt;
}

std::optional<double> factor_of_energy(const StateFunctions& problem, Values q, Values least, Values v,
                                       Values parameters, double energy) {
  std::vector<double> velocity(v.begin(), v.end());
  const auto energy_at = [&](double factor) {
    for (std::size_t k = 0; k < v.size(); ++k) velocity[k] = least[k] + factor * (v[k] - least[k]);
    return problem.energy(q, velocity, parameters);
  };
  const double lowest = problem.energy(q, least, parameters);
  double unit = 1, given = problem.energy(q, v, parameters);
  for (int k = 0; k < most_halvings && !std::isfinite(given); ++k) given = energy_at(unit /= 2);
  // E - lowest grows as the square of the factor, or nearly does.
  const double factor = unit * std::sqrt((energy - lowest) / (given - lowest));
  if (!std::isfinite(factor)) return std::nullopt;
  const double size = std::abs(energy) + std::abs(lowest);
  if (std::abs(energy_at(factor) - energy) <= 1e-12 * size) return factor;
  double low = 0, high = factor;  // without an energy is above it
  for (int k = 0; k < most_halvings && energy_at(high) < energy; ++k) low = high, high *= 2;
  for (double middle = 0.5 * (low + high); low < middle && middle < high; middle = 0.5 * (low + high))
    (energy_at(middle) <= energy ? low : high) = middle;
  if (std::abs(energy_at(low) - energy) <= 1e-9 * size) return low;
  return std::nullopt;
}

}  // namespace cotangent::sections
