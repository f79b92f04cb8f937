// SPDX-License-Identifier: BSD-3-Clause
// A billiard as a problem that lets trajectories fly: a domain, gravity, and what is counted along the way.
#pragma once

#include <memory>

#include "billiards/gas.hpp"
#include "billiards/leapfrog.hpp"
#include "billiards/outline.hpp"
#include "sections/problem.hpp"

namespace cotangent::billiards {

/// What moves and what is counted, beyond the domain.
template <int D>
struct BilliardRules {
  Vector<D> gravity{};
  std::shared_ptr<const Field<D>> field;   ///< in which they fly; none: gravity alone
  std::uint64_t seed = 1;                  ///< of rough walls
  std::int64_t collisions = 0;             ///< recorded of each trajectory
  std::shared_ptr<const Outline> outline;  ///< for their arc length
  bool tangent = false;                    ///< watch how neighbours part
  SteppedFlight stepped;                   ///< Morita's method (leapfrog.hpp), where it has a step
  /// Parts of the wall that let particles out: how far beyond each exit's border a place (x, y, in space z)
  /// lies, above 0 in it. What arrives at the wall there leaves with its velocity, without a bounce.
  std::vector<expressions::Expression> exits;
};

/// What steps of Morita's method make of walls, each beside the exact flight from its own beginning.
struct SteppedComparison {
  static constexpr std::size_t numbers = 4;
  double missed = 0;    ///< hits of exact flights that steps have not
  double invented = 0;  ///< hits of steps that exact flights have not
  double off = 0;       ///< hits whose lambda isn't in [0, 1]
  double late = 0;      ///< the largest error of a hit's time, where both have one
};

/// TrajectoryRecord::tallies holds what the watch of deviations says, where there is one. Then of each member
/// of the domain the impulse that its walls took, the number of samples inside it and the number of bounces
/// off its walls. Then, where neighbours are watched, the Lyapunov exponent by time and for each member by
/// bounces off it (NaN where there was none); or of steps beside the exact flight the four numbers of
/// SteppedComparison. Last, where there are exits, the one taken (-1: none), when, and after how many bounces
/// (NaN: stayed). Deviations are watched where no wall is rough, arcs flown where walls are elastic and at
/// rest. The problem's parameters are those of the domain's sets (DomainFamily).
template <int D>
std::unique_ptr<sections::Problem> make_billiard(const Domain<D>& domain, const BilliardRules<D>& rules);

}  // namespace cotangent::billiards
