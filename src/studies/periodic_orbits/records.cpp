// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/records.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "sections/lone_flight.hpp"
#include "studies/billiard/records.hpp"
#include "studies/program/surface.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

using io::DataType;

const std::vector<std::string> stabilities{"unstable", "stable", "inverse"};

/// The numbers of an orbit that are one each.
struct Column {
  const char *name, *meaning;
  double (*of)(const chaos::ClosedOrbit&);
};
constexpr std::array<Column, 6> columns{{
    {"period", "period T", [](const chaos::ClosedOrbit& orbit) { return orbit.period; }},
    {"energy", "energy at the section", [](const chaos::ClosedOrbit& orbit) { return orbit.energy; }},
    {"action",
     "integral of p dq over the period; of other methods than gauss of order 9 in the step at most, and 4 "
     "with fewer "
     "than 15 steps from plane to plane",
     [](const chaos::ClosedOrbit& orbit) { return orbit.action; }},
    {"trace", "trace of the return map's derivative, across the flow and within the energy surface",
     [](const chaos::ClosedOrbit& orbit) { return orbit.trace(); }},
    {"residue", "Greene's residue (2 - trace)/4",
     [](const chaos::ClosedOrbit& orbit) { return orbit.residue(); }},
    {"error", "|phi_T(x) - x|, how far off closing it is",
     [](const chaos::ClosedOrbit& orbit) { return orbit.error; }},
}};

std::vector<double> state_of(const chaos::ClosedOrbit& orbit) {
  std::vector<double> state(orbit.q);
  state.insert(state.end(), orbit.v.begin(), orbit.v.end());
  return state;
}

std::int64_t families(const OrbitSurvey& survey, const FoundOrbits& found) {
  return std::ssize(found.orbits) * (1 + survey.offspring);
}

void enter_at(run::Records& records, const std::string& group, std::int64_t row, std::int64_t place,
              const chaos::ClosedOrbit& orbit) {
  const auto one = [&](const std::string& name, double value) {
    const std::array<std::int64_t, 2> offset{row, place}, count{1, 1};
    records.slab(group + name, offset, count, &value);
  };
  for (const Column& column : columns) one(column.name, column.of(orbit));
  one("value", orbit.value());
  const auto state = state_of(orbit);
  const std::array<std::int64_t, 3> offset{row, place, 0}, count{1, 1, std::ssize(state)};
  records.slab(group + "state", offset, count, state.data());
}

/// Of the families and of the bifurcations that they pass.
std::vector<io::DataSetSpec> family_data_sets(const OrbitSurvey& survey, const FoundOrbits& found) {
  const CoordinateColumns state(survey.problem().coordinates());
  const std::int64_t width = survey.states();
  std::vector<io::DataSetSpec> sets;
  const std::int64_t all = families(survey, found);
  for (const auto& [group, extent] :
       {std::pair{"/families/", survey.points}, {"/bifurcations/", survey.bifurcations}}) {
    const std::string path = group;
    for (const Column& column : columns)
      sets.push_back({path + column.name, DataType::float64, {all, extent}, "1", column.meaning});
    sets.push_back({path + "value",
                    DataType::float64,
                    {all, extent},
                    survey.value_unit,
                    "what is continued, " + survey.value_name,
                    {{"name", {survey.value_name}}}});
    sets.push_back({path + "state",
                    DataType::float64,
                    {all, extent, width},
                    state.state_units(),
                    "on the section",
                    {{"columns", state.state_names()}}});
  }
  sets.push_back({"/families/stability",
                  DataType::int32,
                  {all, survey.points},
                  "1",
                  "of the orbits that there are",
                  {{"names", stabilities}}});
  sets.push_back({"/families/end",
                  DataType::int32,
                  {all},
                  "1",
                  "how it ended",
                  {{"names", {"none", "reached", "lost", "full"}}}});
  sets.push_back({"/families/points", DataType::int32, {all}, "1", "how many of its orbits are known"});
  sets.push_back({"/families/returns", DataType::int32, {all}, "1", "of its first orbit"});
  sets.push_back({"/families/parent", DataType::int32, {all}, "1", "the family that it branches off, or -1"});
  sets.push_back(
      {"/families/bifurcations", DataType::int32, {all}, "1", "how many of those that it passes are told"});
  sets.push_back({"/bifurcations/n",
                  DataType::int32,
                  {all, survey.bifurcations},
                  "1",
                  "multipliers exp(+- 2 pi i k / n) there; 0: none"});
  sets.push_back({"/bifurcations/k", DataType::int32, {all, survey.bifurcations}, "1", "k of these"});
  sets.push_back({"/bifurcations/fold",
                  DataType::int32,
                  {all, survey.bifurcations},
                  "1",
                  "1 where the value turns back, of n = 1"});
  return sets;
}

}  // namespace

std::vector<io::DataSetSpec> orbit_data_sets(const OrbitSurvey& survey, const FoundOrbits& found) {
  const auto& problem = survey.problem();
  const CoordinateColumns state(problem.coordinates());
  const auto orbits = std::ssize(found.orbits);
  const std::int64_t width = survey.states();
  std::vector<io::DataSetSpec> sets;
  for (const Column& column : columns)
    sets.push_back({std::string("/orbits/") + column.name, DataType::float64, {orbits}, "1", column.meaning});
  sets.push_back(
      {"/orbits/state",
       DataType::float64,
       {orbits, width},
       state.state_units(),
       survey.billiard ? "where the orbit begins, between bounces" : "where the orbit begins, on the section",
       {{"columns", state.state_names()}}});
  sets.push_back({"/orbits/multipliers",
                  DataType::float64,
                  {orbits, survey.across(), 2},
                  "1",
                  "eigenvalues of the return map's derivative",
                  {{"columns", {"real", "imaginary"}}}});
  sets.push_back({"/orbits/stability",
                  DataType::int32,
                  {orbits},
                  "1",
                  "inverse: unstable by a multiplier below -1",
                  {{"names", stabilities}}});
  sets.push_back({"/orbits/returns", DataType::int32, {orbits}, "1", "after which it closes"});
  sets.push_back({"/orbits/start", DataType::int64, {orbits}, "1", "of the ensemble, that led to it"});
  sets.push_back({"/orbits/winding",
                  DataType::int64,
                  {orbits, problem.dim()},
                  "1",
                  "turns of each angle in a period",
                  {{"columns", state.names}}});
  std::vector<std::string> names;
  for (const auto& parameter : problem.parameters()) names.push_back(parameter.name);
  if (!names.empty())
    sets.push_back({"/orbits/parameters",
                    DataType::float64,
                    {orbits, std::ssize(names)},
                    parameter_units(problem.parameters(), names),
                    "of each orbit",
                    {{"columns", names}}});
  std::int64_t points = 0;
  for (const auto& orbit : found.orbits) points += orbit.returns;
  sets.push_back({"/orbits/points",
                  DataType::float64,
                  {points, width},
                  state.state_units(),
                  survey.billiard ? "states after bounces" : "states on the section",
                  {{"columns", state.state_names()}}});
  sets.push_back({"/orbits/points_orbit", DataType::int64, {points}, "1", "whose they are"});
  if (survey.path > 0)
    sets.push_back({"/orbits/path",
                    DataType::float64,
                    {orbits, survey.path + 1, width},
                    state.state_units(),
                    "states along the orbit, at equal parts of its period",
                    {{"columns", state.state_names()}}});
  if (survey.outline) sets.push_back(outline_set(*survey.outline).set);
  if (survey.surface)
    std::ranges::move(data_sets(*survey.surface, problem.coordinates()[0].unit), std::back_inserter(sets));
  if (survey.continued) std::ranges::move(family_data_sets(survey, found), std::back_inserter(sets));
  return sets;
}

void enter_orbits(run::Records& records, const OrbitSurvey& survey, const FoundOrbits& found) {
  if (survey.outline) {
    const auto [set, values] = outline_set(*survey.outline);
    records.rows(set.path, 0, set.dims.front(), values.data());
  }
  if (survey.surface) write(records, *survey.surface);
  std::int64_t row = 0, point = 0;
  for (const auto& [start, returns, closure, orbit, points] : found.orbits) {
    for (const Column& column : columns) {
      const double value = column.of(orbit);
      records.rows(std::string("/orbits/") + column.name, row, 1, &value);
    }
    records.rows("/orbits/state", row, 1, state_of(orbit).data());
    std::vector<double> multipliers;
    for (const auto& multiplier : orbit.multiplier) {
      multipliers.push_back(multiplier.real());
      multipliers.push_back(multiplier.imag());
    }
    records.rows("/orbits/multipliers", row, 1, multipliers.data());
    const auto stable = static_cast<std::int32_t>(chaos::stability(orbit));
    records.rows("/orbits/stability", row, 1, &stable);
    const std::int32_t count = returns;
    records.rows("/orbits/returns", row, 1, &count);
    records.rows("/orbits/start", row, 1, &start);
    records.rows("/orbits/winding", row, 1, orbit.winding.data());
    if (!orbit.parameters.empty()) records.rows("/orbits/parameters", row, 1, orbit.parameters.data());
    records.rows("/orbits/points", point, returns, points.data());
    const std::vector<std::int64_t> whose(static_cast<std::size_t>(returns), row);
    records.rows("/orbits/points_orbit", point, returns, whose.data());
    point += returns;
    ++row;
  }
}

void enter_path(run::Records& records, const OrbitSurvey& survey, std::int64_t row, const FoundOrbit& found) {
  if (survey.path == 0) return;
  const auto dim = static_cast<std::size_t>(survey.problem().dim());
  const auto rows = static_cast<std::size_t>(survey.path) + 1;
  sections::Observation watch;
  watch.sample_every = found.orbit.period / static_cast<double>(survey.path);
  watch.stop.time = found.orbit.period * (1 + 1e-9);  // the last sample is in it
  const auto& [q, v, parameters] = std::tie(found.orbit.q, found.orbit.v, found.orbit.parameters);
  const auto flown = sections::fly_alone(survey.problem(), closed_method(survey.method, found.orbit), watch,
                                         {0, q, v, parameters});
  const auto& samples = flown.samples;
  std::vector<double> path(rows * 2 * dim, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < std::min(rows, samples.count()); ++k) {
    std::copy_n(&samples.q[k * dim], dim, &path[2 * k * dim]);
    std::copy_n(&samples.v[k * dim], dim, &path[(2 * k + 1) * dim]);
  }
  records.rows("/orbits/path", row, 1, path.data());
}

void blank_family(run::Records& records, const OrbitSurvey& survey, std::int64_t family) {
  for (const auto& [group, extent] :
       {std::pair{"/families/", survey.points}, {"/bifurcations/", survey.bifurcations}}) {
    const std::string path = group;
    const std::vector<double> blank(static_cast<std::size_t>(extent * survey.states()),
                                    std::numeric_limits<double>::quiet_NaN());
    for (const Column& column : columns) records.rows(path + column.name, family, 1, blank.data());
    records.rows(path + "value", family, 1, blank.data());
    records.rows(path + "state", family, 1, blank.data());
  }
  enter_family_row(records, family, {});
}

void enter_family(run::Records& records, std::int64_t family, std::int64_t point,
                  const chaos::ClosedOrbit& orbit) {
  enter_at(records, "/families/", family, point, orbit);
  const auto stable = static_cast<std::int32_t>(chaos::stability(orbit));
  const std::array<std::int64_t, 2> offset{family, point}, count{1, 1};
  records.slab("/families/stability", offset, count, &stable);
}

void enter_bifurcation(run::Records& records, std::int64_t family, std::int64_t number,
                       const chaos::Bifurcation& bifurcation) {
  enter_at(records, "/bifurcations/", family, number, bifurcation.orbit);
  const std::array<std::int64_t, 2> offset{family, number}, count{1, 1};
  const std::int32_t n = bifurcation.n, k = bifurcation.k, fold = bifurcation.fold;
  records.slab("/bifurcations/n", offset, count, &n);
  records.slab("/bifurcations/k", offset, count, &k);
  records.slab("/bifurcations/fold", offset, count, &fold);
}

void enter_family_row(run::Records& records, std::int64_t family, const FamilyRow& row) {
  const auto one = [&](const char* name, std::int32_t value) {
    records.rows(std::string("/families/") + name, family, 1, &value);
  };
  one("end", row.end);
  one("points", row.points);
  one("returns", row.returns);
  one("parent", row.parent);
  one("bifurcations", row.bifurcations);
}

}  // namespace cotangent::studies
