// SPDX-License-Identifier: BSD-3-Clause
// How a trajectory ended. Stored as an integer in the result file, with these names beside it.
#pragma once

#include <array>
#include <string_view>

namespace cotangent {

enum class Status : int {
  pending = 0,          ///< not yet run: what a fresh result file holds
  finished = 1,         ///< reached the crossings or the time asked for
  time_limit = 2,       ///< reached the time limit before the crossings asked for
  step_too_small = 3,   ///< the step control asked for a step below round-off of t
  newton_diverged = 4,  ///< the implicit equations of a step could not be solved
  left_domain = 5,      ///< the model's domain ended (contact, collision, escape)
  singular_mass_matrix = 6,
  infeasible_start = 7,      ///< no real velocity has this energy here, or the start is off its manifold
  non_finite = 8,            ///< a coordinate, velocity or derivative became infinite or NaN
  section_not_met = 9,       ///< no crossing for as many steps as the deck's patience allows
  singular_constraint = 10,  ///< a constraint's gradient vanishes, or constraints depend on one another
  corner = 11,               ///< hit where two walls meet, within round-off
  singular_wall = 12,        ///< hit a wall where its gradient vanishes: a cusp, or a crossing of itself
  grazing = 13,              ///< slides along a wall: hits follow one another within round-off of the time
  collapsed = 14,            ///< the same where bounces lose energy: infinitely many in a finite time
  decided = 15,              ///< known to be chaotic, and the deck asked for no more
  crowded_step = 16,  ///< a step grew so long that more samples or strobes fall into it than can be listed
};

inline constexpr std::array<std::string_view, 17> status_names = {"pending",
                                                                  "finished",
                                                                  "time_limit",
                                                                  "step_too_small",
                                                                  "newton_diverged",
                                                                  "left_domain",
                                                                  "singular_mass_matrix",
                                                                  "infeasible_start",
                                                                  "non_finite",
                                                                  "section_not_met",
                                                                  "singular_constraint",
                                                                  "corner",
                                                                  "singular_wall",
                                                                  "grazing",
                                                                  "collapsed",
                                                                  "decided",
                                                                  "crowded_step"};

/// The name of a status as messages and files write it.
constexpr std::string_view name(Status status) {
  return status_names[static_cast<std::size_t>(status)];
}

/// Whether a status says that the motion was followed as long as it was asked for.
constexpr bool is_whole(Status status) {
  return status == Status::finished || status == Status::time_limit || status == Status::decided;
}

/// Whether a status says that the numerics failed, not that the motion ended.
constexpr bool is_failure(Status status) {
  return status == Status::step_too_small || status == Status::newton_diverged ||
         status == Status::singular_mass_matrix || status == Status::non_finite ||
         status == Status::singular_constraint || status == Status::crowded_step;
}

}  // namespace cotangent
