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
  double step = 0;                         ///< of Morita's method (leapfrog.hpp); 0: exact flights
  Fall fall = Fall::leapfrog;              ///< in such a step
  bool mended = false;                     ///< Morita's method with the kick that he leaves out
};

/// TrajectoryRecord::tallies holds of each member of the domain the impulse that its walls took and the
/// number of samples inside it; and the Lyapunov exponent where it is watched.
template <int D>
std::unique_ptr<sections::Problem> make_billiard(const Domain<D>& domain, const BilliardRules<D>& rules);

}  // namespace cotangent::billiards
