// What a result of study = "particles" holds, and what all particles have together.
#pragma once

#include <array>

#include "io/result_file.hpp"
#include "particles/swarm.hpp"
#include "studies/particle_plan.hpp"

namespace cotangent::studies {

/// Sums over all particles, the same bits on any number of ranks.
struct ParticleTotals {
  double kinetic = 0.0, potential = 0.0;  ///< energies
  std::array<double, 6> momentum{};       ///< Px, Py, Pz, Lx, Ly, Lz
  double squared_ways = 0.0;              ///< |q - q(0)|^2
};
/// Particles have one mass. Collective.
ParticleTotals totals(const particles::Swarm& swarm, double mass);

/// The data sets of a plan; those of momenta name the ones that the surface's symmetry keeps.
std::vector<io::DataSetSpec> particle_data_sets(const ParticlePlan& plan,
                                                const mechanics::Triangulation& surface);

}  // namespace cotangent::studies
