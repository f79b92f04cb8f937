// SPDX-License-Identifier: BSD-3-Clause
// One trajectory flown to its end, where an ensemble would be too much.
#pragma once

#include "sections/flight.hpp"

namespace cotangent::sections {

/// What it leaves behind; its status is no longer pending. Throws like Flights::fly().
TrajectoryRecord fly_alone(const Flights& flights, const integrators::MethodOptions& method,
                           const Observation& watch, const Start& start);

}  // namespace cotangent::sections
