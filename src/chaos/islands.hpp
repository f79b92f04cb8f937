// SPDX-License-Identifier: BSD-3-Clause
// How many islands an orbit of an area-preserving map of the plane visits. About a periodic orbit of n points
// that is elliptic an orbit goes from island to island, on one closed curve in each: z_k, z_(k+n), z_(k+2n),
// ... stay on one, and go round its centre; those of another k are on another. The number is the largest n
// that is so, of the points known, in units of their spread along either axis:
//   the centres of any two curves are farther apart than the sum of their points' root mean square distances
//   from them, and on each the points turn about its centre by at least one whole turn in all.
// It is 1 where no n is so: one curve about a fixed point, along which every n-th point drifts, without
// going round, or fills it. How often that is wrong: studies/atlas/README.md.
#pragma once

#include <array>
#include <span>

namespace cotangent::chaos {

/// No more than one for eight points, and than 100.
int islands(std::span<const std::array<double, 2>> points);

}  // namespace cotangent::chaos
