// Runs an ensemble over all ranks and writes it by trajectory id, whatever rank or lane flew which.
// Blocks of contiguous ids are taken from a shared counter; a lane that lands is refilled at once; rows go
// straight to their place in the file. Memory grows with the number of lanes, not with the ensemble or with
// the length of its trajectories. Stopped by a signal or by time, or killed, a run goes on to the same bits.
#pragma once

#include "studies/plan.hpp"
#include "studies/starts.hpp"

namespace cotangent::studies {

/// What all studies of ensembles do once they have read their deck: refuses the keys that nobody read, judges
/// the ensemble, flies it, writes the result, prints progress and a summary; or stops after judging
/// (--check), or says what it would take (--dry-run). Collective.
ExitCode run_ensemble(Task& task, const std::string& study, const Plan& plan, const Ensemble& ensemble);

}  // namespace cotangent::studies
