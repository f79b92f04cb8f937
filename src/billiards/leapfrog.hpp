// SPDX-License-Identifier: BSD-3-Clause
// The leapfrog of A. Morita, "Reinventing the wheel: simulating collisions" (blog KakkoKari), or the explicit
// Euler step that stands beside it there, with its linearised collisions, for comparison: after a step to x',
// which is outside,
//   lambda = -omega(x) / ((x' - x) . grad omega(x)), n at x + lambda (x' - x), and
//   x'' = x' - 2 (1 - lambda) ((x' - x) . n) n,   v'' = v* - 2 (v* . n) n,
// v* the velocity at lambda dt. So the velocity is that of the collision and the position that of the end;
// the mended one adds the missing kick, (1 - lambda) dt g. First order in energy, and second order mended;
// Euler's step itself gains g^2 dt^2 / 2, which nothing mends. A particle belongs to the first set in the
// list that holds it; a wall is that of the set it was in last.
//
// Morita leaves the search for lambda open to "an even more precise way: we could expand both around x_i and
// x_i+1 and combine the results". Here that is the cubic that has omega and its slope along x' - x at both
// ends: its first root is lambda, never off the way, and exact where omega is a quadric or cubic. It is
// looked for even where x' is inside, so that a wall is met that is crossed twice within a step, or on the
// way into another set. Limits: sets of one wall each, at rest; one reflection a step; what is outside then
// stays so.
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
/// Where omega is expanded to find its zero on the way.
enum class Expansion { start, both_ends };

/// What Morita's method leaves open.
struct SteppedFlight {
  double step = 0;  ///< its length; 0: exact flights instead
  Fall fall = Fall::leapfrog;
  Expansion expansion = Expansion::start;
  bool mended = false;   ///< with the kick that he leaves out
  bool compare = false;  ///< watch each step beside the exact flight
};

/// The wall that a step hits, or -1, and where on its way.
struct SteppedHit {
  int wall = -1;
  double lambda = 0;
};

/// Whether a member holds the point.
template <int D>
bool holds(const Domain<D>& domain, int member, const Vector<D>& x);
/// The first member that holds the point; -1 where none does.
template <int D>
int first_member(const Domain<D>& domain, const Vector<D>& x);

/// One step.
template <int D>
SteppedHit linearised_step(const Domain<D>& domain, const Vector<D>& gravity, const SteppedFlight& flight,
                           Falling<D>& particle);

}  // namespace cotangent::billiards
