// SPDX-License-Identifier: BSD-3-Clause
// `[indicators]` of a deck: what is watched of the deviations of an ensemble's trajectories, and its rows in
// the result, /indicators.
#pragma once

#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// In how many dimensions neighbours of a state may lie: 2 N, less two for each constraint and one for each
/// condition of rolling.
int phase_dimensions(const sections::Problem& problem);
/// Refuses methods without a tangent map, and names those that have one.
void judge_indicators(Task& task, const Plan& plan);
/// Reads `stop.decided`: whether an orbit ends as soon as it is known to be chaotic; not where it `leaves` by
/// exits.
void read_decided(Task& task, Plan& plan, bool leaves);
/// Reads `[indicators] list`, where the deck has it, into the plan.
void read_indicators(Task& task, Plan& plan, const Ensemble& ensemble);

/// The names of the methods that suit the problem and have a tangent map.
std::string methods_with_tangent(const sections::Problem& problem);

}  // namespace cotangent::studies
