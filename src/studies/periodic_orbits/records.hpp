// SPDX-License-Identifier: BSD-3-Clause
// What the result of a study of periodic orbits holds:
//   /orbits/...        a row for each orbit found, and /orbits/points, where it meets the section or a wall
//   /families/...      a row for each family, of so many orbits: those of the orbits found, each followed by
//                      those that branch off it; NaN where there are none
//   /bifurcations/...  what each family passes, in order
#pragma once

#include "run/records.hpp"
#include "studies/periodic_orbits/search.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> orbit_data_sets(const OrbitSurvey& survey, const FoundOrbits& found);

/// By one rank.
void enter_orbits(run::Records& records, const OrbitSurvey& survey, const FoundOrbits& found);
/// An orbit's path, flown anew.
void enter_path(run::Records& records, const OrbitSurvey& survey, std::int64_t row, const FoundOrbit& found);
/// The rows of a family, and of what it passes, before anything is known of them: NaN. By the rank that will
/// enter the others, so that none overtakes another.
void blank_family(run::Records& records, const OrbitSurvey& survey, std::int64_t family);
/// Orbit number `point` of a family.
void enter_family(run::Records& records, std::int64_t family, std::int64_t point,
                  const chaos::ClosedOrbit& orbit);
void enter_bifurcation(run::Records& records, std::int64_t family, std::int64_t number,
                       const chaos::Bifurcation& bifurcation);

/// How a family ended.
enum class FamilyEnd { none = 0, reached = 1, lost = 2, full = 3 };
/// What is known of a family as a whole.
struct FamilyRow {
  int end = 0, points = 0, bifurcations = 0, returns = 0, parent = -1;
};
void enter_family_row(run::Records& records, std::int64_t family, const FamilyRow& row);

}  // namespace cotangent::studies
