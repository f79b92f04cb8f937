// SPDX-License-Identifier: BSD-3-Clause
// Where walls meet: a particle on one wall of a domain is in a corner where another wall, of another
// direction, passes within `corner_width` and shapes the domain there. Where walls join smoothly (the
// stadium's) is none.
#pragma once

#include <span>

#include "billiards/domain.hpp"

namespace cotangent::billiards {

inline constexpr double corner_width = 1e-12;  ///< relative to 1 + |x|

/// The number of each lane's own wall; -1: none.
using LaneWalls = std::array<int, numerics::native_width>;

/// Each lane's contact with its own wall.
template <int D>
Contact<D> own_contact(const Domain<D>& domain, const LaneWalls& own, const Point<D>& x, const Pack& t,
                       PackMask lanes);

/// The lanes that are in a corner; of each wall its value there, of each lane its contact with its own.
template <int D>
PackMask corners(const Domain<D>& domain, const LaneWalls& own, std::span<const Pack> values,
                 const Point<D>& x, const Pack& t, const Contact<D>& contact, PackMask lanes);

}  // namespace cotangent::billiards
