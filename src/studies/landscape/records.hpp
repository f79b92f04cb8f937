// SPDX-License-Identifier: BSD-3-Clause
// What a result of study = "landscape" holds: /landscape, the grids of energies and of the admissible region
// over the window, and the lists of what the search has found.
#pragma once

#include "studies/landscape/search.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> landscape_grids(const LandscapeSurvey& survey);
/// The grids and all that the survey asked for.
std::vector<io::DataSetSpec> landscape_data_sets(const LandscapeSurvey& survey,
                                                 const LandscapeFindings& findings);
/// All but the grids, by one rank.
void enter_findings(run::Records& records, const LandscapeSurvey& survey, const LandscapeFindings& findings);
/// A row of the grids, of all landscapes' rows one after the other: U and the admissible points along y.
void enter_grid_row(run::Records& records, const LandscapeSurvey& survey, std::int64_t row);

}  // namespace cotangent::studies
