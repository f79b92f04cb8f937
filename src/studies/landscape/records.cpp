// SPDX-License-Identifier: BSD-3-Clause
#include "studies/landscape/records.hpp"

#include <array>
#include <cmath>

#include "parallel/mpi.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

std::vector<io::DataSetSpec> landscape_grids(const LandscapeSurvey& survey) {
  using io::DataType;
  const auto& [x, y] = std::tie(survey.x, survey.y);
  std::vector<std::int64_t> grid{survey.count(), x.count, y.count};
  if (survey.count() == 1) grid.erase(grid.begin());
  std::vector<io::DataSetSpec> sets{
      {"/landscape/x", DataType::float64, {x.count}, x.units, "coordinate " + x.name, {{"name", {x.name}}}},
      {"/landscape/y", DataType::float64, {y.count}, y.units, "coordinate " + y.name, {{"name", {y.name}}}},
      {"/landscape/energy", DataType::float64, grid, "1",
       "potential energy U = -L(q, 0); NaN where not finite"},
      {"/landscape/admissible", DataType::int32, grid, "1",
       "1 in the model's domain where U is finite; 0 too where not yet computed"}};
  return sets;
}

std::vector<io::DataSetSpec> landscape_data_sets(const LandscapeSurvey& survey,
                                                 const LandscapeFindings& findings) {
  using io::DataType;
  std::vector<io::DataSetSpec> sets = landscape_grids(survey);
  std::vector<std::string> names;
  for (const auto& p : survey.statement->parameters()) names.push_back(p.name);
  if (!names.empty()) {
    sets.push_back({"/landscape/parameters",
                    DataType::float64,
                    {survey.count(), static_cast<std::int64_t>(names.size())},
                    parameter_units(survey.statement->parameters(), names),
                    "the parameters of each landscape",
                    {{"columns", names}}});
  }
  if (survey.stationary) {
    sets.push_back({"/landscape/complete",
                    DataType::int32,
                    {survey.count()},
                    "1",
                    "1 where no cell of the search stayed undecided and the indices of the points add up"});
  }
  for (const List* list : findings.lists(survey)) {
    for (auto& set : list->data_sets()) sets.push_back(std::move(set));
  }
  return sets;
}

void enter_findings(run::Records& records, const LandscapeSurvey& survey, const LandscapeFindings& findings) {
  if (parallel::rank() != 0) return;
  for (const auto& [path, side] : {std::pair{"/landscape/x", &survey.x}, {"/landscape/y", &survey.y}}) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < side->count; ++i) values.push_back((*side)[i]);
    records.rows(path, 0, side->count, values.data());
  }
  for (std::int64_t k = 0; k < survey.count() && !survey.parameters.front().empty(); ++k)
    records.one("/landscape/parameters", k, survey.parameters[static_cast<std::size_t>(k)].data());
  if (survey.stationary) records.rows("/landscape/complete", 0, survey.count(), findings.complete.data());
  for (const List* list : findings.lists(survey)) list->write(records);
}

void enter_grid_row(run::Records& records, const LandscapeSurvey& survey, std::int64_t row) {
  std::vector<double> energy(static_cast<std::size_t>(survey.y.count));
  std::vector<std::int32_t> admissible(energy.size());
  const std::int64_t k = row / survey.x.count, i = row % survey.x.count;
  const auto& values = survey.parameters[static_cast<std::size_t>(k)];
  for (std::size_t j = 0; j < energy.size(); ++j) {
    const double x = survey.x[i], y = survey.y[static_cast<std::int64_t>(j)];
    const double u = survey.potential(x, y, values).value;
    energy[j] = std::isfinite(u) ? u : std::numeric_limits<double>::quiet_NaN();
    admissible[j] = std::isfinite(u) && survey.domain(x, y, values) > 0 ? 1 : 0;
  }
  const std::array<std::int64_t, 3> offset{k, i, 0}, count{1, 1, survey.y.count};
  const std::size_t skip = survey.count() == 1 ? 1 : 0;
  records.slab("/landscape/energy", std::span(offset).subspan(skip), std::span(count).subspan(skip),
               energy.data());
  records.slab("/landscape/admissible", std::span(offset).subspan(skip), std::span(count).subspan(skip),
               admissible.data());
}

}  // namespace cotangent::studies
