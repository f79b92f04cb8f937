// What a result of study = "particles" holds, and what all particles have together.
#pragma once

#include <array>

#include "particles/particle_dynamics.hpp"
#include "run/evolution.hpp"
#include "studies/particles/deck.hpp"

namespace cotangent::studies {

/// Sums over all particles, the same bits on any number of ranks.
struct ParticleTotals {
  double kinetic = 0.0, potential = 0.0;  ///< energies
  std::array<double, 6> momentum{};       ///< Px, Py, Pz, Lx, Ly, Lz
  double squared_ways = 0.0;              ///< |q - q(0)|^2
};
/// Particles have one mass. Collective.
ParticleTotals totals(const particles::ParticleDynamics& swarm, double mass);

/// The data sets of a plan; those of momenta name the ones that the surface's symmetry keeps.
std::vector<io::DataSetSpec> particle_data_sets(const ParticlePlan& plan,
                                                const geometry::Triangulation& surface);

/// Refuses particles so close that their energy isn't a number. Collective.
void judge_start(const particles::ParticleDynamics& swarm, const particles::Potential& potential);
/// Positions and velocities at a time, as a frame. Collective.
void write_frame(run::Records& records, const particles::ParticleArrays& cloud, double time,
                 std::int64_t frame);
/// NaN in all that lies beyond so many samples. Collective.
void blank_particle_rows(run::Records& records, const ParticlePlan& plan, std::int64_t samples);
/// The pairs counted in so many samples, over those of as many particles spread evenly. By one rank.
void write_pair_correlation(run::Records& records, const ParticlePlan& plan,
                            const std::vector<double>& pair_counts, double area, std::int64_t samples);
/// How each particle ended. Collective.
void write_statuses(run::Records& records, const particles::ParticleArrays& cloud);
/// The particles' fields of a checkpoint, by id: of a cloud, or read into an even share of so many.
std::vector<particles::Particle> visit_particles(run::State& state, std::int64_t count,
                                                 const particles::ParticleArrays* cloud);

}  // namespace cotangent::studies
