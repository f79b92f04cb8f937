// SPDX-License-Identifier: BSD-3-Clause
// The leapfrog of A. Morita, "Reinventing the wheel: simulating collisions" (blog KakkoKari), or the explicit
// Euler step that stands beside it there, with its linearised collisions, for comparison: after a step to x',
// which is outside,
//   lambda = -omega(x) / ((x' - x) . grad omega(x)), n at x + lambda (x' - x), and
//   x'' = x' - 2 (1 - lambda) ((x' - x) . n) n,   v'' = v* - 2 (v* . n) n,
// v* the velocity at lambda dt. So the velocity is that of the collision and the position that of the end;
// the mended one adds the missing kick, (1 - lambda) dt g. First order in energy, and second order mended;
// Euler's step itself gains g^2 dt^2 / 2, which nothing mends. A particle belongs to the first set in the
// list that holds it; a wall is that of the set it was in last. Limits: sets of one wall each, at rest; one
// reflection a step; what is outside then stays so.
#pragma once

#include "billiards/domain.hpp"

namespace cotangent::billiards {

template <int D>
struct Falling {
  Vector<D> x, v;
  int set = -1;  ///< -1: outside of all
};

/// How a particle falls in a step.
enum class Fall { leapfrog, euler };

/// The first member that holds the point; -1 where none does.
template <int D>
int first_member(const Domain<D>& domain, const Vector<D>& x);

/// One step of length dt. Returns the wall that was hit, or -1.
template <int D>
int linearised_step(const Domain<D>& domain, const Vector<D>& gravity, Fall fall, double dt, bool mended,
                    Falling<D>& particle);

}  // namespace cotangent::billiards
