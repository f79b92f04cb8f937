// SPDX-License-Identifier: BSD-3-Clause
// How two neighbouring motions part: a displacement (dx, dv) that flights and reflections carry along. Over a
// hit on a wall that moves by c(t), with u = v - c' before it, inward normal n and restitution e, the
// displaced particle comes later by
//   dt = -n.dx / n.u,
// and where it meets the wall, dx + u dt from the point of the wall that it hits, the normal is turned by
//   dn = (1 - n n^T) H (dx + u dt) / |grad omega|.
// With v' = v - (1 + e) (n.u) n and accelerations a of the particle and c'' of the wall,
//   dx' = dx - (1 + e) (n.dx) n,
//   dv' = dv + a dt - (1 + e) ((n.(dv + (a - c'') dt) + u.dn) n + (n.u) dn) - a dt.
// Reference, for elastic walls at rest: Dellago, Posch, Hoover, Phys. Rev. E 53 (1996) 1485.
#pragma once

#include "billiards/wall.hpp"
#include "integrators/method.hpp"

namespace cotangent::billiards {

/// q: of the place; y: of the velocity.
template <int D>
using Displacement = integrators::Deviation<Pack, D>;

/// A particle that arrives at its wall.
template <int D>
struct Arrival {
  Contact<D> contact;
  Point<D> normal;                  ///< inward, a unit vector
  Point<D> velocity, acceleration;  ///< of the particle
  Pack sign, restitution;           ///< sign: of omega inside
};

/// Reflects displacements of these lanes' particles.
template <int D>
void reflect(const Arrival<D>& arrival, PackMask hits, Displacement<D>* displacements, std::size_t count);

/// Makes those of these lanes unit vectors; returns the sizes that they had.
template <int D>
Pack normalise(Displacement<D>& displacement, PackMask lanes);

}  // namespace cotangent::billiards
