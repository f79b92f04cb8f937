// SPDX-License-Identifier: BSD-3-Clause
// One rank's particles: own ones, filled up to whole units, then copies of other ranks' that they
// may feel (ghosts), then one point far away, which serves as the neighbour that isn't there.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/status.hpp"
#include "numerics/aligned.hpp"
#include "particles/surface_motion.hpp"

namespace cotangent::particles {

/// Particles that walk down their neighbour lists together.
inline constexpr int pack = numerics::native_width;
/// Particles that move together, a number of packs.
inline constexpr int unit = surface_pack;
/// Particles among which packs for the neighbour lists are chosen, a number of units.
inline constexpr int group = 64;
static_assert(group % unit == 0);
/// Where the point far away lies, along each axis.
inline constexpr double far_away = 1e30;

/// All of a particle that goes with it from rank to rank and into a checkpoint.
struct Particle {
  std::int64_t id = -1;
  std::array<double, 3> q{}, v{}, start{};  ///< start: where it was at t = 0
  double multiplier = 0.0;
  std::int64_t status = 0;
};

struct ParticleArrays {
  int own = 0, padded = 0, ghosts = 0;
  /// Rows of four: own, padding, ghosts, and the point far away. `next` is where a step writes.
  numerics::AlignedVector<double> position, next;
  std::array<numerics::AlignedVector<double>, 3> velocity, start;
  numerics::AlignedVector<double> multiplier;
  std::vector<std::int64_t> id;
  std::vector<std::int32_t> status;

  int far_row() const { return padded + ghosts; }
  Particle particle(int row) const;
  /// Replaces all particles by these, without ghosts. Padding rows are filled with particles at rest, far
  /// away.
  void assign(const std::vector<Particle>& particles);
  /// Its own particles become those of `rows`, in this order: numbers below `own` are rows as they are now,
  /// from `own` on they count through `come`. Ghosts are dropped.
  void arrange(std::span<const std::int32_t> rows, const std::vector<Particle>& come);
  /// Makes room for `count` ghosts behind the padding.
  void expect_ghosts(int count);

 private:
  /// Resizes all arrays but `next`; new rows hold padding.
  void resize(int rows);
  void put(int row, const Particle& particle);
  /// Makes the first `count` rows its own, pads them to whole units, and drops the ghosts.
  void fill_up(int count);
};

}  // namespace cotangent::particles
