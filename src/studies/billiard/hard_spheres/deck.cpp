// SPDX-License-Identifier: BSD-3-Clause
#include "studies/billiard/hard_spheres/deck.hpp"

#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace cotangent::studies {

const char* const hard_spheres_example = R"(# The equation of state of hard discs.
study = "hard-spheres"

[model]
dimension = 2
lattice = 20                 # cells along each side: 400 discs; in space 4 spheres a cell
packing = [0.1, 0.3, 0.5]    # area or volume taken, a number, a list or a range
systems = 2                  # independent ones at each packing
seed = 1

[stop]
warm_up = 10.0               # in units of lattice length and thermal speed
time = 40.0

[output]
file = "hard_spheres.h5"
)";

HardSpheresPlan read_hard_spheres(Task& task) {
  const io::Table model = task.deck.table("model"), stop = task.deck.table("stop");
  HardSpheresPlan plan;
  const int dimension = plan.dimension = read_dimension(model);
  // A periodic side is at least four diameters long, also of the densest packing.
  const std::int64_t lattice = model.integer_at_least("lattice", dimension == 2 ? 6 : 4);
  // Particles are counted by 32 bits, twice as many have to fit: the cubic lattice has four in a cell.
  if (const int most = dimension == 2 ? 4000 : 645; lattice > most)
    throw model.error("lattice", fmt::format("at most {} cells along a side", most));
  if (dimension == 2 && lattice % 2 != 0) throw model.error("lattice", "must be even, for its rows to close");
  plan.lattice = static_cast<int>(lattice);
  plan.packing = model.axis("packing");
  const double densest = std::numbers::pi / (dimension == 2 ? std::sqrt(12.0) : std::sqrt(18.0));
  for (const double packing : plan.packing) {
    if (!(packing > 0 && packing < densest))
      throw model.error(
          "packing", fmt::format("overlapping: a lattice takes less than {:.4f}, and more than 0", densest));
  }
  plan.systems = model.integer_at_least("systems", 1, 1);
  if (plan.systems > std::int64_t{1} << 40) throw model.error("systems", "at most 2^40");
  plan.seed = static_cast<std::uint64_t>(model.integer("seed", 1));
  plan.warm_up = stop.at_least("warm_up", 0.0, 10.0);
  plan.time = stop.positive("time");
  if (!(plan.time > plan.warm_up)) throw stop.error("time", "must be beyond warm_up");
  return plan;
}

Estimate HardSpheresPlan::estimate() const {
  Estimate estimate;
  estimate.orbits = count();
  const std::int64_t n = size();
  estimate.file_bytes = 8 * count() * (2 * dimension * n + 5);
  // Particles, heap and cells; a checkpoint's copies of the state.
  estimate.rank_bytes = program_bytes() + (60 + 16 * dimension + 4 * 8 * (2 * dimension + 7)) * n;
  return estimate;
}

}  // namespace cotangent::studies
