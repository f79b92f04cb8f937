// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "particles" says: the surface, the potential, the method, how the particles begin,
// and what is stored.
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "geometry/triangulation.hpp"
#include "particles/particle_dynamics.hpp"
#include "sections/surface.hpp"
#include "studies/particles/pair_choice.hpp"
#include "studies/program/report.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Cells along the longest side of the surface's box, where no more are asked for.
inline constexpr std::int64_t least_surface_cells = 60;

struct ParticlePlan {
  const sections::Problem* problem = nullptr;
  std::vector<double> parameters;
  const particles::Surface* surface = nullptr;
  std::unique_ptr<particles::SurfaceMotion> motion;
  PairChoice pairs;
  particles::ParticleDynamicsOptions options;
  std::string multipliers = "lanes";  ///< who solves for the multipliers: "lanes" or "petsc"
  bool go_on = false;                 ///< the others go on when a particle fails
  std::int64_t count = 0;             ///< of particles
  std::int64_t steps = 0;             ///< until the time asked for
  std::int64_t sample_steps = 1;      ///< from one sample to the next
  std::int64_t samples = 0;           ///< the start among them
  std::int64_t frame_samples = 1;     ///< from one frame to the next, in samples
  std::int64_t frames = 0;
  int pair_bins = 0;  ///< of the pair correlation, up to options.correlation_cutoff
  std::int64_t surface_cells = 0;

  geometry::LevelFunction level() const {
    return [this](const geometry::SpacePoint& q) { return problem->surface()->level(q, parameters); };
  }
};

/// A commented deck that runs as it is.
extern const char* const particles_example;

/// Reads all of the deck but how the particles begin.
ParticlePlan read_particle_plan(Task& task);

/// Pairs are compared with an even spread, which an unbounded surface hasn't: there none are counted, or an
/// Error says so where the deck asks for them.
void count_pairs_where_bounded(Task& task, ParticlePlan& plan, const geometry::Triangulation& surface);

/// What a run would take, once the plan knows how many particles there are.
Estimate estimate(const ParticlePlan& plan, const io::FileOptions& options, std::size_t least_triangles);

/// How particles begin: read from `[particles]`, made when they are asked for. Each rank holds and makes a
/// share of them.
class ParticleStarts {
 public:
  /// Sets the plan's count. Throws Error where a particle that is given is off the surface. Collective.
  ParticleStarts(Task& task, ParticlePlan& plan);
  /// This rank's share: all ranks together hold each particle once. Collective.
  std::vector<particles::Particle> make(const geometry::Triangulation& surface) const;
  /// The surface within its periods, or about particles that are given where it is unbounded, with cubes of
  /// which `cells` fill its longest side. Collective.
  geometry::Triangulation surface(std::int64_t cells) const;

 private:
  enum class Kind { uniform, even, list, file, trajectory };
  void take(const std::vector<std::vector<double>>& rows, const std::string& key);
  void take(std::int64_t id, std::span<const double> numbers, const std::string& key);
  void read_file(const std::string& path);
  std::vector<std::vector<double>> along_trajectory() const;
  std::vector<geometry::SpacePoint> some_points() const;
  std::vector<geometry::SpacePoint> some_given() const;
  particles::Particle particle(std::int64_t id, std::array<double, 3> q, std::array<double, 3> v = {}) const;
  ParticlePlan& plan_;
  io::Table model_, table_;
  Kind kind_ = Kind::uniform;
  std::vector<particles::Particle> given_;  ///< by a list, a file or a trajectory: this rank's share
  std::uint64_t seed_ = 1;
  double temperature_ = 0.0;
  bool project_ = false;
};

}  // namespace cotangent::studies
