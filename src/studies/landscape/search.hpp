// SPDX-License-Identifier: BSD-3-Clause
// What the search over all ranks finds. Searches are shared out as ranks come free: a task is one landscape,
// or one step of the changing parameter. A task's answer depends on the deck alone, and every rank has all
// answers in the end: some kilobytes for each landscape.
#pragma once

#include "run/driver.hpp"
#include "studies/landscape/deck.hpp"
#include "studies/landscape/lists.hpp"

namespace cotangent::studies {

/// All lists, and for each landscape whether it is complete.
struct LandscapeFindings {
  List stationary, boundary, passes, changes;
  std::vector<std::int32_t> complete;
  std::vector<std::int64_t> first_point, first_edge, first_pass;  ///< rows of each landscape, and the end

  std::int64_t incomplete() const;  ///< landscapes that may miss stationary points
  std::int64_t astray() const;      ///< descents from passes whose end isn't known
  std::int64_t unresolved() const;  ///< changes
  /// Those that the survey asked for.
  std::vector<const List*> lists(const LandscapeSurvey& survey) const;
};

/// Collective.
LandscapeFindings search(const LandscapeSurvey& survey, const run::Settings& settings);

}  // namespace cotangent::studies
