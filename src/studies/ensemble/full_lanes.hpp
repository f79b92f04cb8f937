// SPDX-License-Identifier: BSD-3-Clause
// The lanes of a flight kept full: a lane whose trajectory has ended takes the next one, within the slice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sections/flight.hpp"

namespace cotangent::studies {

inline bool any_flying(const sections::TrajectoryBatch& flight) {
  for (int lane = 0; lane < flight.lanes(); ++lane) {
    if (!flight.free(lane)) return true;
  }
  return false;
}

/// Advances by so many steps, in each of which all lanes take one together. fill(lane, steps) puts the next
/// trajectory into a free lane, or says that there is none; steps are less by what it took. look(lane,
/// record) comes to each that flies, between slices of the flight's own, and releases the lanes of those that
/// ended.
template <class Fill, class Look>
void fly_full_lanes(sections::TrajectoryBatch& flight, std::int64_t steps, const Fill& fill,
                    const Look& look) {
  const int lanes = flight.lanes();
  std::vector<std::int64_t> before(static_cast<std::size_t>(lanes));
  while (steps > 0) {
    for (int lane = 0; lane < lanes; ++lane) {
      if (flight.free(lane) && !fill(lane, steps)) break;
    }
    if (!any_flying(flight)) return;
    for (int lane = 0; lane < lanes; ++lane)
      before[static_cast<std::size_t>(lane)] = flight.flown(lane).steps;
    flight.advance(std::max<std::int64_t>(steps, 1));
    std::int64_t flown_steps = 1;
    for (int lane = 0; lane < lanes; ++lane) {
      if (flight.free(lane)) continue;
      sections::TrajectoryRecord& flown = flight.flown(lane);
      flown_steps = std::max(flown_steps, flown.steps - before[static_cast<std::size_t>(lane)]);
      look(lane, flown);
    }
    steps -= flown_steps;
  }
}

}  // namespace cotangent::studies
