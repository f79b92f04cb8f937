// SPDX-License-Identifier: BSD-3-Clause
// Flies an ensemble over all ranks and writes it by trajectory id, whatever rank or lane flew which: what the
// studies of ensembles (poincare, trajectory, billiard) have in common.
#pragma once

#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// Throws Error where the mass matrix or the constraints are singular at every start.
void refuse_if_all_singular(const Task& task, const Plan& plan, const Ensemble& ensemble);
/// Throws Error where more samples, or times of a strobe, fall into a fixed step than can be listed. A step
/// that adapts isn't known before: there the trajectory ends, with status crowded_step.
void refuse_crowded_steps(const Task& task, const Plan& plan, const Ensemble& ensemble);

/// What all studies of ensembles do once they have read their part of the deck: reads how the result is
/// written, refuses the keys that nobody read, judges the ensemble and flies it; or stops after judging
/// (--check), or says what it would take (--dry-run). Collective.
ExitCode run_ensemble(Task& task, const std::string& study, Plan plan, const Ensemble& ensemble);

}  // namespace cotangent::studies
