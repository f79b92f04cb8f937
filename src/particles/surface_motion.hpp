// SPDX-License-Identifier: BSD-3-Clause
// Particles on a surface that feel forces from outside: what whoever knows the particles needs to know of
// their motion. A step has two halves, between which the forces are found; surface_motion_of.hpp has the
// formulas.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "integrators/multipliers.hpp"
#include "numerics/lanes.hpp"

namespace cotangent::particles {

/// Some particles' numbers, side by side in memory: a multiple of surface_pack of them. Every array has
/// `count` entries, one a particle, but for positions, which have rows of four; arrays of three have one
/// for each axis.
struct ParticleBlock {
  int count = 0;
  const double* position = nullptr;  ///< four numbers a particle, the last without meaning
  double* next = nullptr;            ///< where open() puts the new positions, in the same layout
  std::array<double*, 3> velocity{};
  double* multiplier = nullptr;          ///< the last step's lambda, from which the next one's search begins
  const std::int64_t* id = nullptr;      ///< for random numbers
  std::int32_t* status = nullptr;        ///< a Status each; only those that are pending move
  std::array<const double*, 3> force{};  ///< from outside
  /// The surface's gradient at the positions, from close() for the open() that follows, if there is one.
  std::array<double*, 3> gradient{};
  /// Of the multipliers of all in the block, collective if it is; none: some side by side for themselves.
  /// With one, there is no heat bath.
  integrators::MultiplierSolver* solver = nullptr;
};

/// How many particles are advanced together: two registers' worth, since one waits for its divisions.
inline constexpr int surface_pack = 2 * numerics::native_width;

/// A heat bath: friction is a rate, temperature an energy.
struct HeatBath {
  double friction = 0.0, temperature = 0.0;
  std::uint64_t seed = 1;
};

/// The largest values over particles that move.
struct SurfaceReport {
  double moved_squared = 0.0;  ///< by open(), |q' - q|^2
  double error_squared = 0.0;  ///< of the constraint, (|g| / |grad g|)^2
  bool failed = false;         ///< a particle's status was set

  void take(const SurfaceReport& other) {
    moved_squared = std::max(moved_squared, other.moved_squared);
    error_squared = std::max(error_squared, other.error_squared);
    failed = failed || other.failed;
  }
};

/// The motion on one surface, behind a boundary as coarse as a block of particles.
class SurfaceMotion {
 public:
  virtual ~SurfaceMotion() = default;
  /// Ends a step of length h.
  virtual SurfaceReport close(const ParticleBlock& block, double h) const = 0;
  /// Begins a step of length h, the `step`-th; with a heat bath where there is one.
  virtual SurfaceReport open(const ParticleBlock& block, double h, const HeatBath* bath,
                             std::int64_t step) const = 0;
  /// Makes velocities tangent, and gives lambda its first value.
  virtual void begin(const ParticleBlock& block) const = 0;
  /// Kinetic energies, and potential energies without the force from outside: one number a particle each.
  virtual void energies(const ParticleBlock& block, double* kinetic, double* potential) const = 0;
  virtual double mass() const = 0;
};

/// A surface, ready for many particles: that of the model of this name, in which there is one.
class Surface {
 public:
  virtual ~Surface() = default;
  virtual std::string name() const = 0;
  /// Each step ends within `tolerance` of the surface, a length.
  virtual std::unique_ptr<SurfaceMotion> motion(std::span<const double> parameters,
                                                double tolerance) const = 0;
};

/// The built-in surfaces, in the order of their list.
std::vector<std::unique_ptr<Surface>> built_in_surfaces();

}  // namespace cotangent::particles
