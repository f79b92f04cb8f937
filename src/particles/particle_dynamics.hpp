// SPDX-License-Identifier: BSD-3-Clause
// Interacting particles on a surface, over all ranks: their motion step by step. The particles' neighbours
// are listed anew when one has moved half the skin since; between, each step is one walk through memory,
// block by block: forces from the positions, the end of the step, the beginning of the next, and the new
// positions to a place of their own. Blocks that other ranks see come first, and their positions travel while
// the rest is computed. A particle's bits depend on its start and on the deck alone: not on ranks, lists or
// checkpoints.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "particles/domain_decomposition.hpp"
#include "particles/pair_kernel.hpp"

namespace cotangent::particles {

/// How the particles move: step, neighbour lists, heat bath, solver.
struct ParticleDynamicsOptions {
  double step = 0.0;
  std::vector<double> composition_coefficients{
      1.0};  ///< a step's parts, for compositions; they add up to one
  std::optional<HeatBath> bath;
  double skin = 0.0;  ///< of the neighbour lists, a length; 0: chosen by how fast particles move
  double correlation_cutoff = 0.0;  ///< pairs are listed at least to this distance, for pair correlations
  Periods periods{};
  /// Of the multipliers of all particles on all ranks; none: some side by side for themselves.
  std::shared_ptr<integrators::MultiplierSolver> solver{};
};

/// What has been done, for reports.
struct ParticleEffort {
  std::int64_t steps = 0, lists = 0, cuts = 0;
  double listing_seconds = 0.0, waiting_seconds = 0.0;
};

class ParticleDynamics {
 public:
  /// Takes the particles of this rank, any part of all. The kernel and the motion must outlive this.
  /// `fresh` where they are at their start: velocities are then made tangent. Collective.
  ParticleDynamics(const SurfaceMotion& motion, const PairKernel& kernel,
                   const ParticleDynamicsOptions& options, std::vector<Particle> particles,
                   std::int64_t steps_done = 0);

  /// So many steps; fewer where particles failed and `go_on` is false. Afterwards positions and velocities
  /// belong to one time. Collective.
  void advance(std::int64_t steps, bool go_on);

  std::int64_t steps() const { return effort_.steps; }
  double time() const { return static_cast<double>(effort_.steps) * options_.step; }
  const ParticleArrays& particles() const { return particles_; }
  const ParticleEffort& effort() const { return effort_; }
  const NeighbourLists& lists() const { return lists_; }
  const Image& image() const { return image_; }
  /// Particles that have failed, on all ranks.
  std::int64_t failed() const { return failed_; }
  /// The largest |g| / |grad g| of any particle since the beginning, a length, on all ranks. Collective.
  double constraint_error() const;
  /// The same on this rank alone.
  double own_constraint_error() const;

  /// What a step of each own particle costs, in neighbours felt, as the lists are.
  std::vector<std::int32_t> work() const;
  /// Kinetic energies, and potential ones with half of each pair's, one for each own particle.
  void energies(std::vector<double>& kinetic, std::vector<double>& potential) const;
  /// Forces between particles on the own ones. For tests and starts.
  std::array<std::vector<double>, 3> forces() const;
  /// How many pairs lie in each of `bins` equal intervals of distance up to the correlation_cutoff, each pair
  /// counted twice, on this rank.
  std::vector<std::int64_t> pair_counts(int bins) const;

 private:
  /// Packs that are worked on together.
  struct Run {
    int first = 0, packs = 0;
  };
  enum class Half { open, close, both };
  void redistribute();
  void choose_skin(double way);
  void plan_runs();
  ParticleBlock block(Run run, std::array<double*, 3> force);
  template <Half half>
  void work(double h_close, double h_open, std::int64_t draw);
  /// After open(): the new positions become the positions.
  void move_on();
  double share(std::int64_t part) const;

  const SurfaceMotion& motion_;
  const PairKernel& kernel_;
  ParticleDynamicsOptions options_;
  Image image_;
  double range_, skin_;
  DomainDecomposition decomposition_;
  ParticleArrays particles_;
  NeighbourLists lists_;
  std::vector<Run> border_, inner_;
  numerics::AlignedVector<double> room_;          ///< forces and gradients, where all particles are one run
  std::array<std::vector<double>, 3> listed_at_;  ///< own positions when the lists were made
  std::int64_t moves_ = 0;                        ///< since the lists were made
  double allowance_ = 0.0;  ///< how far any particle may still go before the lists are looked at
  SurfaceReport report_;
  std::int64_t failed_ = 0;
  ParticleEffort effort_;
};

}  // namespace cotangent::particles
