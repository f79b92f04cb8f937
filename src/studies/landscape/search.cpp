// SPDX-License-Identifier: BSD-3-Clause
#include "studies/landscape/search.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "studies/program/shared_out.hpp"

namespace cotangent::studies {

namespace {

/// "; this is at alpha = 18", of all parameters.
std::string where_text(const LandscapeSurvey& survey, const std::vector<double>& values) {
  const std::string text = survey.parameters_text(values);
  return text.empty() ? "" : "; this is at " + text;
}

Answer landscape_answer(const LandscapeSurvey& survey, std::int64_t k) {
  const auto& values = survey.parameters[static_cast<std::size_t>(k)];
  const landscapes::Potential potential = [&](double x, double y) { return survey.potential(x, y, values); };
  const landscapes::Domain domain = [&](double x, double y) { return survey.domain(x, y, values); };
  landscapes::Landscape found;
  try {
    found = landscapes::landscape(potential, domain, survey.window(), survey.search, survey.passes);
  } catch (const Error& error) {
    throw Error(error.what() + where_text(survey, values) +
                    "; or ask for the grid alone: [landscape] stationary = false",
                error.code());
  }
  const LandscapeRows rows = rows_of(found, k, survey.passes);
  Answer answer{found.stationary.complete() ? 1.0 : 0.0};
  for (const auto* list : {&rows.stationary, &rows.boundary, &rows.passes}) {
    answer.push_back(static_cast<double>(list->size()));
    answer.insert(answer.end(), list->begin(), list->end());
  }
  return answer;
}

/// The changes in one of the steps, so that the answer doesn't depend on who took its neighbours.
Answer changes_answer(const LandscapeSurvey& survey, std::int64_t step) {
  const auto& [parameter, range] = *survey.changes;
  std::vector<double> values = survey.parameters.front();
  values[parameter] = range.first;
  const landscapes::PotentialFamily family = [&, parameter = parameter](double x, double y, double value) {
    values[parameter] = value;
    return survey.potential(x, y, values);
  };
  // The boundary stays where it is while the parameter changes.
  const landscapes::Domain domain = [&survey, fixed = values](double x, double y) {
    return survey.domain(x, y, fixed);
  };
  const auto bound = [&, &range = range](std::int64_t i) {
    return i == range.steps ? range.last
                            : range.first + (range.last - range.first) * static_cast<double>(i) / range.steps;
  };
  try {
    return rows_of(landscapes::bifurcations(family, domain, survey.window(),
                                            {bound(step), bound(step + 1), 1}, survey.search));
  } catch (const Error& error) {
    throw Error(error.what() + where_text(survey, values), error.code());
  }
}

}  // namespace

LandscapeFindings search(const LandscapeSurvey& survey, const run::Settings& settings) {
  const PlaneUnits units{survey.x.units, survey.y.units};
  const std::int64_t landscapes = survey.stationary ? survey.count() : 0;
  const std::int64_t steps = survey.changes ? survey.changes->range.steps : 0;
  const auto answers = shared_out(landscapes + steps, settings, [&](std::int64_t k) {
    return k < landscapes ? landscape_answer(survey, k) : changes_answer(survey, k - landscapes);
  });
  const auto parameter_infos = survey.statement->parameters();
  std::string parameter_units = survey.changes ? parameter_infos[survey.changes->parameter].unit : "";
  if (parameter_units.empty()) parameter_units = "1";
  LandscapeFindings all{stationary_list(units, survey.passes),
                        boundary_list(units),
                        pass_list(units),
                        change_list(units, parameter_units),
                        {},
                        {0},
                        {0},
                        {0}};
  for (std::int64_t k = 0; k < landscapes; ++k) {
    const Answer& answer = answers[static_cast<std::size_t>(k)];
    auto at = answer.begin();
    all.complete.push_back(static_cast<std::int32_t>(*at++));
    const auto next = [&] {
      const auto length = static_cast<std::ptrdiff_t>(*at++);
      at += length;
      return std::vector<double>(at - length, at);
    };
    const auto points = next(), edges = next();
    append_passes(all.passes, next(), all.stationary.size(), all.boundary.size());
    all.stationary.rows.insert(all.stationary.rows.end(), points.begin(), points.end());
    all.boundary.rows.insert(all.boundary.rows.end(), edges.begin(), edges.end());
    all.first_point.push_back(all.stationary.size());
    all.first_edge.push_back(all.boundary.size());
    all.first_pass.push_back(all.passes.size());
  }
  for (std::int64_t step = 0; step < steps; ++step) {
    const auto& range = survey.changes->range;
    append_changes(all.changes, answers[static_cast<std::size_t>(landscapes + step)], survey.window(),
                   range.last - range.first);
  }
  return all;
}

std::int64_t LandscapeFindings::incomplete() const {
  return std::ranges::count(complete, 0);
}

std::int64_t LandscapeFindings::astray() const {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < passes.size(); ++row) {
    for (const char* side : {"from_kind", "to_kind"}) count += passes.word(row, side) == "astray" ? 1 : 0;
  }
  return count;
}

std::int64_t LandscapeFindings::unresolved() const {
  std::int64_t count = 0;
  for (std::int64_t row = 0; row < changes.size(); ++row)
    count += changes.word(row, "kind") == "unresolved" ? 1 : 0;
  return count;
}

std::vector<const List*> LandscapeFindings::lists(const LandscapeSurvey& survey) const {
  std::vector<const List*> asked;
  if (survey.stationary) asked.push_back(&stationary);
  if (survey.stationary && survey.functions->has_domain()) asked.push_back(&boundary);
  if (survey.passes) asked.push_back(&passes);
  if (survey.changes) asked.push_back(&changes);
  return asked;
}

}  // namespace cotangent::studies
