// SPDX-License-Identifier: BSD-3-Clause
// What a result of study = "particles" holds, and what all particles have together.
#pragma once

#include <array>

#include "particles/particle_dynamics.hpp"
#include "run/evolution.hpp"
#include "run/sample_sums.hpp"
#include "studies/particles/deck.hpp"

namespace cotangent::studies {

/// What all particles have together, the same bits on any number of ranks.
struct ParticleTotals {
  double kinetic = 0.0, potential = 0.0;  ///< energies
  std::array<double, 6> momentum{};       ///< Px, Py, Pz, Lx, Ly, Lz
  double squared_ways = 0.0;              ///< |q - q(0)|^2
  double constraint_error = 0.0;          ///< no sum: the largest so far
};

class ParticleRecords {
 public:
  /// The surface that particles are spread over, and as the result shows it. All must outlive it.
  ParticleRecords(const ParticlePlan& plan, const geometry::Triangulation& surface,
                  const geometry::Triangulation& shown);

  /// The data set of momenta names those that the surface's symmetry conserves.
  std::vector<io::DataSetSpec> data_sets() const;
  /// Before the first sample: by one rank, the surface.
  void write_start(run::Records& records) const;
  /// What all particles have together, the same bits on any number of ranks, and a frame where one is due.
  /// Collective, as all that follows.
  void sample(run::Records& records, const particles::ParticleDynamics& dynamics);
  /// Makes the sums of samples that still wait for them.
  void hand_over();
  /// How each particle ended, and NaN where nothing was reached.
  void finish(run::Records& records, const particles::ParticleDynamics& dynamics) const;

  /// A checkpoint's fields: what the samples have shown, and the particles, by id; to read, there is no
  /// motion yet, and this rank's even share of the particles comes back.
  std::vector<particles::Particle> visit(run::StateFields& state,
                                         const particles::ParticleDynamics* dynamics);
  /// Lines on how it went, up to this state, with so many particles failed, and so many seconds of motion
  /// since the step at which this start of the program began.
  std::vector<run::Line> describe(const particles::ParticleDynamics& dynamics, std::int64_t failed,
                                  std::int64_t resumed_at, double seconds) const;

 private:
  void enter(run::Records& records, std::int64_t row, double time, const ParticleTotals& all);
  void write_pair_correlation(run::Records& records, std::int64_t samples) const;

  const ParticlePlan& plan_;
  const geometry::Triangulation &surface_, &shown_;
  run::SampleSums sums_;
  std::vector<double> pair_counts_;
  std::vector<std::int64_t> own_pair_counts_;  // this rank's, that aren't among those yet
  double start_energy_ = 0, energy_error_ = 0, kinetic_sum_ = 0, constraint_error_ = 0;
};

/// Refuses particles so close that their energy isn't a number. Collective.
void judge_start(const particles::ParticleDynamics& dynamics, const particles::Potential& potential);

}  // namespace cotangent::studies
