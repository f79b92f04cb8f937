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
  std::int64_t collisions = 0, earlier = 0;  ///< all; those before this start of the run
  double energy_error = 0;                   ///< the largest, relative
};
/// Of an even share of the systems, when a run goes on.
HardSpheresDone hard_spheres_done(const run::Records& records, const HardSpheresPlan& plan);
/// Whether a system has come to its end.
bool is_done(const run::Records& records, std::int64_t system);
/// What a run says at its end, of all ranks' systems; this start took so many seconds. Collective.
std::vector<run::Line> hard_spheres_summary(const HardSpheresPlan& plan, const HardSpheresDone& done,
                                            double seconds);

/// A system's energy at its start, and its virial after the warm-up, NaN before that.
struct HardSphereReference {
  double energy = 0, virial = 0;
};
/// Enters the rows of a system that has come to its end, and adds it to what is done.
template <int D>
void enter(run::Records& records, const HardSpheresPlan& plan, std::int64_t system,
           const billiards::HardSpheres<D>& spheres, const HardSphereReference& reference,
           HardSpheresDone& done);

extern template void enter(run::Records&, const HardSpheresPlan&, std::int64_t,
                           const billiards::HardSpheres<2>&, const HardSphereReference&, HardSpheresDone&);
extern template void enter(run::Records&, const HardSpheresPlan&, std::int64_t,
                           const billiards::HardSpheres<3>&, const HardSphereReference&, HardSpheresDone&);

}  // namespace cotangent::studies
