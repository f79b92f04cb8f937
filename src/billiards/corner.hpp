// SPDX-License-Identifier: BSD-3-Clause
// Where walls meet. At a point where a particle has come to its own wall, other walls pass within
// `corner_width`. One that is tangent to it there counts as the same wall, whosoever set's it is: an edge
// that two sets share, the stadium's smooth joins. With one of another direction it makes a corner where both
// shape the domain. Where the other alone does, the particle's own wall lies within the domain.
#pragma once

#include <span>

#include "billiards/domain.hpp"

namespace cotangent::billiards {

inline constexpr double corner_width = 1e-12;  ///< relative to Passage::extent

/// The number of each lane's own wall; -1: none.
using LaneWalls = std::array<int, numerics::native_width>;

/// Each lane's contact with its own wall.
template <int D>
Contact<D> own_contact(const Domain<D>& domain, const LaneWalls& own, const Point<D>& x, const Pack& t,
                       PackMask lanes);

/// Lanes that have come to their own wall and would go on with a velocity.
template <int D>
struct Passage {
  PackMask lanes;
  LaneWalls own;
  Pack sign;  ///< of omega of their own wall, where they go on
  Point<D> x, v;
  Pack t;
  Pack extent;  ///< what their points' round-off, and that of walls' formulas there, is relative to
};

/// Which walls lanes are on, of each wall a number.
struct Surroundings {
  std::vector<Pack> side;       ///< of the sign that omega has where they go on
  std::vector<PackMask> on;     ///< the lanes that are on it
  std::vector<PackMask> along;  ///< those whose own wall it coincides with, inside being on the same side
};
/// Given omega at the lanes' points as their sides; of walls along their own it stays, as one of the two may
/// be left a little later. Returns the lanes that are on walls of several directions. `contact`: with their
/// own.
template <int D>
PackMask look_around(const Domain<D>& domain, const Passage<D>& passage, const Contact<D>& contact,
                     Surroundings& around);

/// What shapes the domain about the points of these lanes, which are on walls of several directions.
struct Junction {
  PackMask corner;    ///< their own wall and another
  LaneWalls instead;  ///< a wall that does where their own doesn't; -1: none
};
template <int D>
Junction junction(const Domain<D>& domain, const Passage<D>& passage, std::span<const PackMask> on);

}  // namespace cotangent::billiards
