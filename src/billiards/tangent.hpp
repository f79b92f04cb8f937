// SPDX-License-Identifier: BSD-3-Clause
// How two neighbouring motions part: the displacement (dx, dv) that flights and reflections carry along.
// Over an elastic hit on a wall at rest both are mirrored, and dv turns with the normal at the displaced hit,
// dx + v dt. Reference: Dellago, Posch, Hoover, Phys. Rev. E 53 (1996) 1485.
#pragma once

#include "billiards/wall.hpp"

namespace cotangent::billiards {

template <int D>
struct Tangent {
  Point<D> x, v;

  /// Over hits with this inward normal n and velocity before.
  void reflect(const Contact<D>& contact, const Pack& sign, const Point<D>& n, const Point<D>& velocity,
               const Vector<D>& g, PackMask hits);
  /// Makes those of these lanes unit vectors; returns the sizes that they had.
  Pack normalise(PackMask lanes);
};

}  // namespace cotangent::billiards
