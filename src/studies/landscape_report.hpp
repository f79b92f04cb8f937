// What a survey of landscapes says to its user.
#pragma once

#include "studies/landscape_survey.hpp"

namespace cotangent::studies {

/// One landscape with all it has, several with their wells and lowest passes; then the changes. On rank 0.
void print_findings(const LandscapeSurvey& survey, const LandscapeFindings& findings, double seconds);

/// What would run, and what it would take by the speed of the potential. On rank 0.
void print_estimate(const LandscapeSurvey& survey, std::int64_t grid_bytes);

}  // namespace cotangent::studies
