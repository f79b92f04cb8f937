// SPDX-License-Identifier: BSD-3-Clause
// How a system of hard spheres begins: a close-packed lattice with Gaussian velocities at temperature 1, mean
// zero.
#pragma once

#include "billiards/hard_spheres.hpp"
#include "studies/billiard/hard_spheres/deck.hpp"

namespace cotangent::studies {

/// One of the plan's systems, the same on any rank.
template <int D>
billiards::HardSpheres<D> hard_spheres(const HardSpheresPlan& plan, std::int64_t system);

extern template billiards::HardSpheres<2> hard_spheres<2>(const HardSpheresPlan&, std::int64_t);
extern template billiards::HardSpheres<3> hard_spheres<3>(const HardSpheresPlan&, std::int64_t);

}  // namespace cotangent::studies
