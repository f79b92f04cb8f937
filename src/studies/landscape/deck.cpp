// SPDX-License-Identifier: BSD-3-Clause
#include "studies/landscape/deck.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "studies/program/formula_model.hpp"

namespace cotangent::studies {

namespace {

WindowSide read_side(const io::Table& landscape, const char* key, std::size_t otherwise,
                     const sections::Statement& statement) {
  const auto coordinates = statement.coordinates();
  std::vector<std::string> names;
  for (const auto& c : coordinates) names.push_back(c.name);
  const io::Table table = landscape.table(key);
  WindowSide side{};
  side.name = table.choice("coordinate", names[otherwise], names);
  side.coordinate = static_cast<std::size_t>(std::ranges::find(names, side.name) - names.begin());
  const auto& coordinate = coordinates[side.coordinate];
  side.units = coordinate.unit.empty() ? "1" : coordinate.unit;
  side.from = coordinate.angle ? table.number("from", -std::numbers::pi) : table.number("from");
  side.to = coordinate.angle ? table.number("to", std::numbers::pi) : table.number("to");
  if (!(side.from < side.to)) throw table.error("to", fmt::format("must be above from = {}", side.from));
  side.count = table.integer_at_least("count", 2, 251);
  // 6.28319 is taken for 2 pi: a turn of an angle need not be written to the last digit.
  side.periodic = coordinate.angle && std::abs(side.to - side.from - 2 * std::numbers::pi) < 1e-4;
  return side;
}

ParameterChange read_changes(const io::Table& table, const ModelChoice& model,
                             const LandscapeSurvey& survey) {
  std::vector<std::string> names;
  for (const auto& p : model.problem->parameters()) names.push_back(p.name);
  if (names.empty())
    throw table.error(fmt::format("{} has no parameter to change", called(model.problem->name())));
  const std::string name = table.choice("parameter", names);
  ParameterChange changes{};
  changes.parameter = static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  changes.range = {table.number("from"), table.number("to"), 0};
  const std::int64_t steps = table.integer_at_least("steps", 1, 50);
  if (steps > 1'000'000) throw table.error("steps", "at most 1000000");
  changes.range.steps = static_cast<int>(steps);
  if (!(changes.range.first < changes.range.last)) {
    throw table.error("to", fmt::format("must be above from = {}", changes.range.first));
  }
  for (std::size_t k = 0; k < names.size(); ++k) {
    if (k != changes.parameter && model.axes[k].size() > 1) {
      throw table.error("parameter",
                        fmt::format("the changes with {} can be followed where {} has one value; it has {}",
                                    name, names[k], model.axes[k].size()));
    }
  }
  // Changes are followed along one boundary: it must not move with the parameter.
  std::vector<double> first = survey.parameters.front(), later = first;
  first[changes.parameter] = changes.range.first;
  constexpr int looks = 64;
  for (int look = 1; look <= looks; ++look) {
    later[changes.parameter] =
        look == looks ? changes.range.last
                      : changes.range.first + (changes.range.last - changes.range.first) * look / looks;
    for (int k = 0; k < 33 * 33; ++k) {
      const int column = k / 33, row = k % 33;
      const double x = survey.x.from + (survey.x.to - survey.x.from) * column / 32;
      const double y = survey.y.from + (survey.y.to - survey.y.from) * row / 32;
      const double before = survey.domain(x, y, first), after = survey.domain(x, y, later);
      if (std::abs(before - after) > 1e-12 * std::max(1.0, std::abs(before))) {
        throw table.error(
            "parameter",
            fmt::format("the admissible region moves with {0}, so changes can't be "
                        "followed: at ({1}, {2}) the domain is {3} for {0} = {4} and "
                        "{5} for {0} = {6}",
                        name, x, y, before, first[changes.parameter], after, later[changes.parameter]));
      }
    }
  }
  return changes;
}

}  // namespace

std::string LandscapeSurvey::parameters_text(const std::vector<double>& values) const {
  std::string text;
  const auto infos = statement->parameters();
  for (std::size_t p = 0; p < infos.size(); ++p)
    text += fmt::format("{}{} = {}", p == 0 ? "" : ", ", infos[p].name, values[p]);
  return text;
}

LandscapeSurvey read_survey(Task& task) {
  const ModelChoice model = read_model(task);
  const sections::Problem& problem = *model.problem;
  const io::Table table = task.deck.table("landscape");
  if (problem.dim() < 2) {
    throw task.deck.table("model").error("name", "a landscape needs two coordinates, the model has one");
  }
  if (problem.multipliers() > 0)
    throw task.deck.table("model").error("name",
                                         "a landscape is of free coordinates, the model's are constrained");
  LandscapeSurvey survey{};
  survey.statement = &problem;
  survey.functions = &problem;
  survey.formula = model.formula;
  // The product of all axes, the last one fastest.
  survey.parameters.emplace_back();
  for (const auto& axis : model.axes) {
    std::vector<std::vector<double>> longer;
    for (const auto& row : survey.parameters) {
      for (const double value : axis) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    }
    survey.parameters = std::move(longer);
  }
  const auto must_do = [&](const std::vector<double>& parameters) {
    if (const auto objection = problem.objection(parameters))
      throw task.deck.table("model").error(*objection);
  };
  std::ranges::for_each(survey.parameters, must_do);
  survey.x = read_side(table, "x", 0, problem);
  survey.y = read_side(table, "y", survey.x.coordinate == 1 ? 0 : 1, problem);
  if (survey.x.coordinate == survey.y.coordinate) {
    throw table.table("y").error("coordinate", "is the coordinate of x already");
  }
  const auto coordinates = problem.coordinates();
  const io::Table at = table.table("at");
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const bool varies = i == survey.x.coordinate || i == survey.y.coordinate;
    survey.place.push_back(varies ? 0.0 : at.number(coordinates[i].name, 0.0));
  }
  survey.stationary = table.boolean("stationary", true);
  survey.passes = table.boolean("passes", survey.stationary);
  if (survey.passes && !survey.stationary) throw table.error("passes", "needs stationary = true");
  const std::int64_t cells = table.integer_at_least("cells", 4, 64);
  if (cells > 4096) throw table.error("cells", "at most 4096");
  survey.search.cells = static_cast<int>(cells);
  if (table.has("cells") && !survey.stationary && !table.has("changes")) {
    throw table.error("cells",
                      "is of the search for stationary points, which needs stationary = true or changes");
  }
  if (table.has("changes")) {
    survey.changes = read_changes(table.table("changes"), model, survey);
    for (const double end : {survey.changes->range.first, survey.changes->range.last}) {
      std::vector<double> parameters = survey.parameters.front();
      parameters[survey.changes->parameter] = end;
      must_do(parameters);
    }
  }
  return survey;
}

const char* const landscape_example =
    R"(# Three magnetised balls, upright in one well or in two: the energy landscape as the magnets grow stronger.
study = "landscape"

[model]
name = "magnetic-chain"      # cotangent --list
alpha = [17, 18, 20]         # a number, a list or { from, to, count }: one landscape for each value
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"

[landscape]
x = { coordinate = "t", from = -3.14159, to = 3.14159, count = 101 }   # one full turn of an angle is periodic
y = { coordinate = "s", from = -3.14159, to = 3.14159, count = 101 }
# at = { r = 1.0 }           # where the other coordinates stay, in a model with more than two; else 0
stationary = true            # minima, saddles, maxima, and the extrema of U where the admissible region ends
passes = true                # where the ways down from each saddle lead, and the energy that leaves each well
cells = 64                   # the search begins with 64 x 64 cells
changes = { parameter = "alpha", from = 16, to = 20, steps = 8 }       # folds, forks, ... in between

[output]
file = "landscape.h5"
)";

}  // namespace cotangent::studies
