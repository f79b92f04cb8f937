// SPDX-License-Identifier: BSD-3-Clause
#include "sections/energy_roots.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cotangent::sections {

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
  if (velocity[i] = 0; !(a > 0)) {
    const double mass = problem.mass_matrix(q, velocity, parameters)[i * velocity.size() + i];
    if (!(mass > 0)) return std::nullopt;
    probe = std::sqrt(2 * std::abs(at_zero) / mass);
    look();
  }
  const double discriminant = b * b - 4 * a * at_zero;
  if (!(discriminant >= 0) || !(a > 0)) return std::nullopt;
  const double far = -0.5 * (b + std::copysign(std::sqrt(discriminant), b));
  std::vector<double> roots{far / a};
  roots.push_back(far != 0 ? at_zero / far : -roots[0]);
  std::sort(roots.rbegin(), roots.rend());
  for (double root : roots) {
    for (int iteration = 0; iteration < 4; ++iteration) {
      const double value = excess(root);
      const auto mass = problem.mass_matrix(q, velocity, parameters);
      double slope = 0;
      for (std::size_t j = 0; j < velocity.size(); ++j) slope += mass[i * velocity.size() + j] * velocity[j];
      if (!(std::abs(slope) > 1e-9 * std::abs(mass[i * velocity.size() + i]))) break;
      const double next = root - value / slope;
      if (next == root || !std::isfinite(next)) break;
      root = next;
    }
    if (accept(root)) return root;
  }
  return std::nullopt;
}

}  // namespace cotangent::sections
