// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/stages.hpp"

#include <algorithm>
#include <cmath>

#include "integrators/convergence.hpp"
#include "integrators/stage_algebra.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::lattice {

void stage_positions(const Lattice& lattice, double h, std::span<const double> a, const SiteField& q,
                     const SiteField& velocities, int components, SiteField& positions) {
  const int stages = velocities.components() / components;
  integrators::Stages<Pack, 1> velocity, way;
  for (int c = 0; c < lattice.dim; ++c) {
    for (std::int64_t x = 0; x < lattice.own(); x += pack) {
      for (int j = 0; j < stages; ++j)
        velocity[static_cast<std::size_t>(j)][0] = load(velocities[j * components + c] + x);
      integrators::apply<Pack, 1>(a.data(), stages, stages, velocity.data(), way.data());
      for (int i = 0; i < stages; ++i)
        store(load(q[c] + x) + Pack(h) * way[static_cast<std::size_t>(i)][0],
              positions[i * components + c] + x, lattice.own() - x);
    }
  }
}

double step_scale(const Lattice& lattice, double h, const SiteField& q, const SiteField& v) {
  double scale = 0;
  for (int c = 0; c < lattice.dim; ++c) {
    for (std::int64_t x = 0; x < lattice.own(); ++x)
      scale = std::max({scale, std::abs(h * v[c][x]), 0x1p-1 * std::abs(q[c][x])});
  }
  return parallel::maximum(scale);
}

Newton solve_stages(double scale, double settled, int most_iterations,
                    const std::function<double(std::string& failure)>& correct) {
  integrators::Convergence<double> convergence(true, 0x1p-57, 0x1p-46);
  convergence.measure_against(scale);
  Newton newton;
  double last = HUGE_VAL;
  while (newton.failure.empty() && convergence.open()) {
    if (++newton.iterations > most_iterations) {
      newton.failure = "Newton's method used up its iterations";
      break;
    }
    const double change = correct(newton.failure);
    if (!newton.failure.empty()) break;
    // Of a start at rest, no velocity says how far the step goes.
    if (newton.iterations == 1) convergence.measure_against(scale = std::max(scale, change));
    convergence.close(change);
    if (!std::isfinite(change))
      newton.failure = "an iterate became infinite or NaN";
    else if (newton.iterations > 4 && convergence.open() && change > 2 * last && change > settled * scale)
      newton.failure = "Newton's method diverges";
    last = change;
  }
  return newton;
}

}  // namespace cotangent::lattice
