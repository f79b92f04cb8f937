// SPDX-License-Identifier: BSD-3-Clause
#include "sections/flight.hpp"

namespace cotangent::sections {

void TrajectoryRecord::begin(const Start& start) {
  TrajectoryRecord next;
  next.id = start.id;
  next.q = start.q;
  next.v = start.v;
  crossings.clear();
  samples.clear();
  next.crossings = std::move(crossings);
  next.samples = std::move(samples);
  *this = std::move(next);
}

}  // namespace cotangent::sections
