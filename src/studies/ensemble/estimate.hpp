// What an ensemble would take, from a fraction of a second's flight of feasible starts out of the
// whole of it.
#pragma once

#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"
#include "studies/program/report.hpp"

namespace cotangent::studies {

/// Time, memory and disk for the ensemble; the lanes of `flight` are free, and are left loaded. Not
/// collective.
Estimate estimate(const Plan& plan, const Ensemble& ensemble, sections::TrajectoryBatch& flight);

}  // namespace cotangent::studies
