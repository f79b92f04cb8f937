// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "hard-spheres" says: independent systems of hard discs or spheres in periodic boxes,
// over packing fractions and seeds.
#pragma once

#include <cstdint>
#include <vector>

#include "studies/program/report.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

struct HardSpheresPlan {
  int dimension = 2;
  int lattice = 0;              ///< cells along each side
  std::vector<double> packing;  ///< area or volume taken
  std::int64_t systems = 1;     ///< at each packing
  std::uint64_t seed = 1;
  double warm_up = 0, time = 0;  ///< until virials count; until the end
  std::int64_t count() const { return static_cast<std::int64_t>(packing.size()) * systems; }
  /// Particles of a system.
  std::int64_t size() const {
    const auto side = static_cast<std::int64_t>(lattice);
    return dimension == 2 ? side * side : 4 * side * side * side;
  }
  /// The packing of a system.
  double packing_of(std::int64_t system) const { return packing[static_cast<std::size_t>(system / systems)]; }
  Estimate estimate() const;
};

/// Reads `[model]` and `[stop]`.
HardSpheresPlan read_hard_spheres(Task& task);

/// A commented deck that runs as it is.
extern const char* const hard_spheres_example;

}  // namespace cotangent::studies
