// What an ensemble would take, from a fraction of a second's flight of feasible starts out of the
// whole of it.
#pragma once

#include "studies/plan.hpp"
#include "studies/report.hpp"
#include "studies/starts.hpp"

namespace cotangent::studies {

/// Time, memory and disk for the ensemble; the lanes of `flight` are free, and are left loaded. Not
/// collective.
Estimate estimate(const Plan& plan, const Ensemble& ensemble, sections::Flight& flight);

}  // namespace cotangent::studies
