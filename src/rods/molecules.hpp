// SPDX-License-Identifier: BSD-3-Clause
// Many molecules from one: copies of a system of rods, each put somewhere by a trial of its own, no two
// points of different molecules closer than a distance. From a seed, the same on any number of ranks, of
// which each makes a share of the trials and holds those kept in its blocks of space (molecule_sieve.hpp).
// Limits: molecules are put at random; dense crowds can't be found so.
#pragma once

#include "particles/starts.hpp"
#include "rods/share.hpp"

namespace cotangent::rods {

using particles::Periods;
using particles::SurfacePoints;

/// The draw-th trial to put a molecule somewhere: its points; nothing where it doesn't fit.
template <int D>
using MoleculeTrial = std::function<std::optional<std::vector<std::array<double, D>>>(std::uint64_t draw)>;

/// So many molecules, their points and rods one molecule after the other, at rest and all where the first is.
template <int D>
RodSystem<D> copies(const RodSystem<D>& molecule, std::int64_t count);

/// Takes a point, by its number among all.
template <int D>
using PutPoint = std::function<void(std::int64_t point, const std::array<double, D>& q)>;

/// Puts so many molecules somewhere, no two points of different ones closer than `apart`; each rank is given
/// the points that it keeps. Throws Error where there is no room for them. Collective.
template <int D>
void scatter(std::int64_t count, double apart, const Periods& periods, const MoleculeTrial<D>& trial,
             const parallel::Partition& points, const PutPoint<D>& put);

/// So many copies of a molecule, each put somewhere, at rest; all of them on each rank. Throws Error where
/// there is no room for them. Collective.
template <int D>
RodSystem<D> scattered(const RodSystem<D>& molecule, std::int64_t count, double apart, const Periods& periods,
                       const MoleculeTrial<D>& trial);

/// Anywhere in a box from the origin to `box`, by its middle, turned anyhow.
template <int D>
MoleculeTrial<D> in_box(const RodSystem<D>& molecule, const std::array<double, D>& box, std::uint64_t seed);

/// Laid along a surface from anywhere by its area in any direction; not where a chain comes back to within a
/// rod's length of itself. All arguments outlive the trials.
MoleculeTrial<3> along_surface(const RodSystem<3>& chain, const HoldingSurface<3>& surface,
                               const SurfacePoints& points, std::uint64_t seed);

/// Gives all points that move velocities of a temperature, each component normal with variance
/// temperature / mass, whatever the constraints: made tangent, they are those of that temperature.
template <int D>
void heat(RodSystem<D>& system, double temperature, std::uint64_t seed);
template <int D>
void heat(RodShare<D>& share, double temperature, std::uint64_t seed);

extern template RodSystem<2> copies<2>(const RodSystem<2>&, std::int64_t);
extern template RodSystem<3> copies<3>(const RodSystem<3>&, std::int64_t);
extern template RodSystem<2> scattered<2>(const RodSystem<2>&, std::int64_t, double, const Periods&,
                                          const MoleculeTrial<2>&);
extern template RodSystem<3> scattered<3>(const RodSystem<3>&, std::int64_t, double, const Periods&,
                                          const MoleculeTrial<3>&);
extern template MoleculeTrial<2> in_box<2>(const RodSystem<2>&, const std::array<double, 2>&, std::uint64_t);
extern template MoleculeTrial<3> in_box<3>(const RodSystem<3>&, const std::array<double, 3>&, std::uint64_t);
extern template void scatter<2>(std::int64_t, double, const Periods&, const MoleculeTrial<2>&,
                                const parallel::Partition&, const PutPoint<2>&);
extern template void scatter<3>(std::int64_t, double, const Periods&, const MoleculeTrial<3>&,
                                const parallel::Partition&, const PutPoint<3>&);
extern template void heat(RodSystem<2>&, double, std::uint64_t);
extern template void heat(RodSystem<3>&, double, std::uint64_t);
extern template void heat(RodShare<2>&, double, std::uint64_t);
extern template void heat(RodShare<3>&, double, std::uint64_t);

}  // namespace cotangent::rods
