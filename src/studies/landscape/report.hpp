// SPDX-License-Identifier: BSD-3-Clause
// What a survey of landscapes says to its user.
#pragma once

#include "studies/landscape/search.hpp"

namespace cotangent::studies {

/// One landscape with all it has, several with their wells and lowest passes; then the changes.
std::string findings_text(const LandscapeSurvey& survey, const LandscapeFindings& all);

/// What would run, and what it would take by the speed of the potential.
std::string estimate_text(const LandscapeSurvey& survey, const std::string& file, std::int64_t grid_bytes);

}  // namespace cotangent::studies
