// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/deck.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chaos/return_map.hpp"
#include "core/names.hpp"
#include "integrators/method_list.hpp"
#include "studies/billiard/deck.hpp"
#include "studies/billiard/records.hpp"
#include "studies/ensemble/indicators.hpp"
#include "studies/ensemble/section.hpp"
#include "studies/program/formula_reader.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

const char* const periodic_orbits_example =
    R"(# The straight orbit of Henon-Heiles on q1 = 0, from E = 0.05 to its cascade below E = 1/6.
study = "periodic-orbits"

[model]
name = "henon-heiles"        # cotangent --list
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"

# or, instead of [model], [method] and [section], a billiard's [domain] and [forces] (cotangent --template
#   billiard): walls elastic and at rest; returns then are bounces, starts whole states anywhere inside

[method]
name = "gauss"               # one with a tangent map, of fixed steps
stages = 8
step = 0.25                  # at most: an orbit has whole steps

[section]
where = "q2"                 # a coordinate; or "t", every = ..., of what is driven or kicked
direction = "up"

[ensemble]                   # where the search begins, as in a poincare deck
energy = 0.05
points = [{ q1 = 0.0, q1_dot = 0.0 }]

[orbits]
returns = 1                  # to the section, after which an orbit closes; or a list
path = 200                   # steps of equal time in which each orbit's path is stored; 0: not at all
# recurrences = 2000         # returns flown from each start: searches begin where these come near to themselves
# closest = 20               # so many of them, for each start and number of returns
# reversal = { q1_dot = "-q1_dot" }   # starts are in order on the line that it leaves where it is, and time
#                              turned back is motion too: searches begin where that line's image crosses it

[continuation]               # may be left out
parameter = "energy"         # or one of the model's, or of a billiard's set: "stadium.a"
to = 0.16662
step = 0.02                  # of the arc in (q, v, T, energy), at first
largest_step = 0.2
trace_step = 0.5             # how far the trace may move in a step, of 1 + |trace|
points = 200                 # of a family at most
turns = [1, 2]               # located: trace = 2 cos(2 pi k / n) for these n
bifurcations = 20            # of a family at most
offspring = 0                # families followed that branch off each orbit's own
branch = 0.01                # how far from the branching they begin

# [manifolds]                # of hyperbolic orbits: of two degrees of freedom, of one that is driven, or of a plane billiard
# length = 10.0              # of each, in the columns of its points
# bend = 0.2                 # radians at most, between chords that meet
# spacing = 0.1              # of neighbouring points at most
# points = 20000             # of each at most
# orbits = [0]               # rows of /orbits; left out: all that are hyperbolic
# homoclinic = 200           # where two manifolds cross, at most; 0: not looked for

[output]
file = "periodic_orbits.h5"
)";

namespace {

void read_continuation(Task& task, OrbitSurvey& survey) {
  if (!task.deck.root().has("continuation")) return;
  const io::Table table = task.deck.table("continuation");
  const auto parameters = survey.problem().parameters();
  std::vector<std::string> names;
  if (!survey.section.strobe) names.emplace_back("energy");
  for (const auto& parameter : parameters) names.push_back(parameter.name);
  survey.value_name = table.choice("parameter", names);
  survey.value_unit = "1";
  survey.continued = -1;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    if (parameters[k].name != survey.value_name) continue;
    survey.continued = static_cast<int>(k);
    if (!parameters[k].unit.empty()) survey.value_unit = parameters[k].unit;
  }
  auto& rule = survey.rule;
  rule.to = table.number("to");
  rule.step = table.positive("step", rule.step);
  rule.largest = table.positive("largest_step", std::max(rule.largest, rule.step));
  if (rule.largest < rule.step) throw table.error("largest_step", "is shorter than step, the first one");
  rule.trace = table.positive("trace_step", rule.trace);
  rule.turns.clear();
  for (const double n : table.numbers("turns", {1, 2})) {
    if (!(n >= 1) || n != std::floor(n) || n > 1000)
      throw table.error("turns", "whole numbers from 1 on: [1, 2, 3], say");
    if (std::ranges::count(rule.turns, static_cast<int>(n)) > 0)
      throw table.error("turns", "names a number twice");
    rule.turns.push_back(static_cast<int>(n));
  }
  survey.points = table.integer_at_least("points", 2, 200);
  survey.bifurcations = table.integer_at_least("bifurcations", 1, 20);
  survey.offspring = table.integer_at_least("offspring", 0, 0);
  survey.branch = table.positive("branch", 0.01);
}

void read_manifolds(Task& task, OrbitSurvey& survey) {
  if (!task.deck.root().has("manifolds")) return;
  const io::Table table = task.deck.table("manifolds");
  if (chaos::ReturnMap::columns(survey.problem(), survey.section).empty())
    throw table.error(
        "manifolds are curves where a return map is one of two dimensions: of two degrees of freedom (what "
        "constraints leave is counted) that keep their energy, on a section; of one that is driven or "
        "kicked, "
        "where = \"t\", every = ...; of a billiard in the plane");
  chaos::ManifoldRule rule;
  rule.length = table.positive("length");
  rule.bend = table.positive("bend", rule.bend);
  if (rule.bend > 1) throw table.error("bend", "an angle in radians, 1 at most");
  rule.spacing = table.positive("spacing", rule.spacing);
  rule.points = table.integer_at_least("points", 100, rule.points);
  for (const double row : table.numbers("orbits", {})) {
    if (!(row >= 0) || row != std::floor(row) || row > 1e9)
      throw table.error("orbits", "rows of /orbits: whole numbers from 0 on");
    survey.manifolds_of.push_back(static_cast<std::int64_t>(row));
  }
  survey.homoclinic = table.integer_at_least("homoclinic", 0, 200);
  survey.manifolds = rule;
}

/// Where searches begin, if not at each start.
void read_guesses(Task& task, OrbitSurvey& survey) {
  const io::Table table = task.deck.table("orbits");
  survey.recurrences = table.integer_at_least("recurrences", 0, 0);
  survey.closest = table.integer_at_least("closest", 1, 10);
  if (survey.recurrences == 0 && table.has("closest"))
    throw table.error("closest", "is of recurrences: give these, too");
  if (survey.recurrences > 0 && survey.recurrences < *std::ranges::max_element(survey.returns))
    throw table.error("recurrences", "fewer than the returns after which orbits shall close");
  if (!table.has("reversal")) return;
  if (survey.recurrences > 0)
    throw table.error("reversal", "searches begin on its line or at recurrences: give one of both");
  const auto& problem = survey.problem();
  if (survey.billiard || chaos::ReturnMap::columns(problem, survey.section).empty())
    throw table.error("reversal", "symmetry lines are of models whose return map is one of two dimensions");
  if (survey.starts->random())
    throw table.error("reversal", "starts along its line are in order: a grid, points or a list");
  Parts parts(problem.variable_names());
  parts.read_what_fits(task.deck.table("model").table("where"));
  const auto names = problem.variable_names();
  const std::vector<std::string> state(names.begin(), names.begin() + survey.states());
  const io::Table images = table.table("reversal");
  for (const std::string& name : images.keys()) {
    const auto place = std::ranges::find(state, name);
    if (place == state.end()) unknown_name("coordinate or velocity", name, state, images.where(name));
    const std::string text = images.text(name);
    survey.reversal.emplace_back(
        place - state.begin(),
        expressions::Expression(text, parts.read(images, name, text, expressions::Language::value)));
  }
  if (survey.reversal.empty())
    throw table.error("reversal", "names what it changes: { q1_dot = \"-q1_dot\" }, say");
}

/// What closes is a model's motion, on a section.
void read_motion(Task& task, OrbitSurvey& survey) {
  survey.model = read_model(task, true);
  const auto& problem = survey.problem();
  if (problem.rolling() > 0)
    throw task.deck.table("model").error("periodic orbits are searched for where nothing rolls");
  const io::Table method = task.deck.table("method");
  survey.method = read_options(method, problem, false);
  if (method.has("tolerance"))
    throw method.error("tolerance", "periodic orbits need steps of one length: give step alone");
  survey.method.step = method.positive("step");
  const auto methods = integrators::method_list();
  const auto chosen = std::ranges::find(methods, survey.method.name, &integrators::MethodInfo::name);
  if (!chosen->tangent)
    throw method.error("name",
                       "periodic orbits need a method with a tangent map: " + methods_with_tangent(problem));
  if (survey.method.projection != "none")
    throw method.error("projection", "periodic orbits need steps that aren't projected");

  const auto section = read_section(task, problem);
  const io::Table where = task.deck.table("section");
  if (!section) throw where.error("orbits close on a section: where = \"q1\", say");
  survey.section = *section;
  if (!section->strobe && section->coordinate < 0)
    throw where.error("where",
                      "for periodic orbits a section is a coordinate, or t where it is driven or kicked");
  if (!section->strobe && (problem.driven() || problem.kicked()))
    throw where.error("where", "what is driven or kicked has its period given: where = \"t\", every = ...");
  if (section->strobe && section->strobe->phase.text() != "0")
    throw where.error("value", "orbits are closed from t = 0 on: leave it out");
  if (survey.across() == 0)
    throw task.deck.table("model").error(
        "motion of one degree of freedom closes at every energy: there is nothing to search");
  survey.starts = std::make_unique<Ensemble>(task, survey.model, section);
  Plan plan;
  plan.model = survey.model;
  plan.method = survey.method;
  read_surface(task, plan);
  survey.surface = surface_of(plan, *survey.starts);
}

/// What closes is a particle's way between walls, after so many bounces.
template <int D>
void read_bounces(Task& task, OrbitSurvey& survey) {
  BilliardSetting<D> setting = read_setting<D>(task);
  if (!setting.still)
    throw task.deck.table("domain").error("periodic orbits are searched for between elastic walls at rest");
  setting.rules.collisions = std::numeric_limits<std::int64_t>::max();
  survey.billiard = billiards::make_billiard<D>(setting.domain, setting.rules);
  survey.model.problem = survey.billiard.get();
  survey.model.axes = setting.axes;
  survey.starts = std::make_unique<Ensemble>(task, survey.model, std::nullopt);
  if constexpr (D == 2) {
    if (!survey.model.swept()) {
      const auto [low, high] = box_of<D>(setting.domain, *survey.starts);
      survey.outline = std::make_shared<const billiards::Outline>(setting.domain, low, high, 600);
    }
  }
}

}  // namespace

OrbitSurvey read_orbit_survey(Task& task) {
  OrbitSurvey survey;
  if (task.deck.root().has("domain")) {
    read_dimension(task.deck.table("domain")) == 2 ? read_bounces<2>(task, survey)
                                                   : read_bounces<3>(task, survey);
  } else {
    read_motion(task, survey);
  }

  for (const double n : task.deck.table("orbits").axis("returns", 1)) {
    if (!(n >= 1) || n != std::floor(n) || n > 1e6)
      throw task.deck.table("orbits").error("returns", "a whole number from 1 on, or a list of such");
    survey.returns.push_back(static_cast<int>(n));
  }
  survey.path = task.deck.table("orbits").integer_at_least("path", 0, 200);
  read_guesses(task, survey);
  read_continuation(task, survey);
  read_manifolds(task, survey);
  return survey;
}

}  // namespace cotangent::studies
