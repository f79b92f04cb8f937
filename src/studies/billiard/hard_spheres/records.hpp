// SPDX-License-Identifier: BSD-3-Clause
// What a result of study = "hard-spheres" holds: a row for each system, entered when it comes to its end.
#pragma once

#include "billiards/hard_spheres.hpp"
#include "run/evolution.hpp"
#include "studies/billiard/hard_spheres/deck.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> hard_sphere_data_sets(const HardSpheresPlan& plan);

/// What systems that have come to their end add up to.
struct HardSpheresDone {
  std::int64_t collisions = 0;
  double energy_error = 0;  ///< the largest
};
/// Of an even share of the systems.
HardSpheresDone hard_spheres_done(const run::Records& records, const HardSpheresPlan& plan);

/// A system's energy at its start, and its virial after the warm-up, NaN before that.
struct HardSphereReference {
  double energy = 0, virial = 0;
};
/// The rows of a system that has come to its end; returns how far its energy is off, relative.
template <int D>
double enter(run::Records& records, const HardSpheresPlan& plan, std::int64_t system,
             const billiards::HardSpheres<D>& spheres, const HardSphereReference& reference);

extern template double enter(run::Records&, const HardSpheresPlan&, std::int64_t,
                             const billiards::HardSpheres<2>&, const HardSphereReference&);
extern template double enter(run::Records&, const HardSpheresPlan&, std::int64_t,
                             const billiards::HardSpheres<3>&, const HardSphereReference&);

}  // namespace cotangent::studies
