// SPDX-License-Identifier: BSD-3-Clause
#include "sections/lone_flight.hpp"

#include <utility>

namespace cotangent::sections {

TrajectoryRecord fly_alone(const Flights& flights, const integrators::MethodOptions& method,
                           const Observation& watch, const Start& start) {
  const auto batch = flights.fly(method, watch, 1);
  batch->load(0, start);
  while (batch->flown(0).status == Status::pending) batch->advance(10'000);
  return std::move(batch->flown(0));
}

}  // namespace cotangent::sections
