// SPDX-License-Identifier: BSD-3-Clause
// What an ensemble would take: estimated by flying some of its trajectories, picked from all over it, for a
// fraction of a second.
#pragma once

#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"
#include "studies/program/report.hpp"

namespace cotangent::studies {

/// Time, memory and disk for the ensemble. All lanes of `flight` must be free; afterwards they hold
/// trajectories, so that `flight` serves for nothing else. Not collective.
Estimate estimate(const Plan& plan, const Ensemble& ensemble, sections::TrajectoryBatch& flight,
                  const io::FileOptions& options);

}  // namespace cotangent::studies
