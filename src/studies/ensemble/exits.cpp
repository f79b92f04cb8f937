// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/exits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sections/lone_flight.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

using expressions::Expression;
using expressions::Graph;
using expressions::Node;
using expressions::Operation;
using expressions::Tree;

/// A condition's signed function.
Graph::Id signed_function(Graph& graph, const Tree& condition) {
  const auto leaf = [&](const Node& node) {
    return node.operation == Operation::name ? graph.name(node.name) : graph.number(node.number);
  };
  const auto one = [&](const Node& node, Graph::Id a) {
    if (node.operation == Operation::negation) return graph.apply(Operation::negate, a);
    if (node.operation == Operation::fixed_power)
      return graph.apply(Operation::power, a, graph.number(node.number));
    return graph.apply(node.operation, a);
  };
  const auto two = [&](const Node& node, Graph::Id a, Graph::Id b) {
    switch (node.operation) {
      case Operation::less:
      case Operation::less_equal:
        return graph.apply(Operation::subtract, b, a);
      case Operation::greater:
      case Operation::greater_equal:
        return graph.apply(Operation::subtract, a, b);
      case Operation::conjunction:
        return graph.apply(Operation::min, a, b);
      case Operation::disjunction:
        return graph.apply(Operation::max, a, b);
      case Operation::equal:
      case Operation::unequal:
        throw Error("an exit has two sides, which == and != don't tell: \"x < -2\", say");
      default:
        return graph.apply(node.operation, a, b);
    }
  };
  return condition.fold<Graph::Id>(leaf, one, two);
}

}  // namespace

std::size_t Exits::nearest(std::span<const double> variables) const {
  std::size_t best = 0;
  for (std::size_t k = 1; k < depths.size(); ++k) {
    if (depths[k].evaluate(variables) > depths[best].evaluate(variables)) best = k;
  }
  return best;
}

Exits read_named_exits(const io::Table& table, const Parts& parts) {
  Graph all;
  std::vector<std::string> names;
  std::vector<Expression> depths;
  Graph::Id largest = 0;
  for (const std::string& name : table.keys()) {
    const std::string text = table.text(name);
    const Tree condition = parts.read(table, name, text, expressions::Language::condition);
    try {
      Graph own;
      depths.emplace_back(text, own.tree(signed_function(own, condition)));
      const Graph::Id id = signed_function(all, condition);
      largest = names.empty() ? id : all.apply(Operation::max, largest, id);
    } catch (const Error& e) {
      throw table.error(name, e.what());
    }
    names.push_back(name);
  }
  if (names.empty()) throw table.error("names no exit: left = \"x < -2\", say");
  return {std::move(names), std::move(depths), Expression("exits", all.tree(largest))};
}

void read_exits(Task& task, Plan& plan) {
  if (!task.deck.root().has("exits")) return;
  const io::Table table = task.deck.table("exits");
  if (!std::isfinite(plan.watch.stop.time))
    throw table.error("what never leaves has to end too: give stop.time");
  Parts parts(plan.model.problem->variable_names());
  parts.read_what_fits(task.deck.table("model").table("where"));
  plan.exits = std::make_shared<const Exits>(read_named_exits(table, parts));
  sections::Section section;
  section.expression = plan.exits->depth;
  section.direction = 1;
  plan.watch.section = section;
  plan.watch.stop.crossings = 1;
  plan.watch.stop.patience = std::numeric_limits<std::int64_t>::max() / 2;
}

std::vector<io::DataSetSpec> exit_tallies(const std::vector<std::string>& names, std::int64_t trajectories) {
  io::DataSetSpec exit{"/exits/exit",
                       io::DataType::float64,
                       {trajectories},
                       "1",
                       "the exit that the trajectory took, counted from 0; -1 where it stayed"};
  exit.labels.emplace_back("names", names);
  return {std::move(exit),
          {"/exits/time", io::DataType::float64, {trajectories}, "1", "when it left, NaN where it stayed"}};
}

void tally_exits(Plan& plan, const Ensemble& ensemble) {
  if (!plan.exits) return;
  const auto sets = exit_tallies(plan.exits->names, ensemble.size());
  plan.tallies.insert(plan.tallies.end(), sets.begin(), sets.end());
}

bool starts_outside(const Plan& plan, const sections::Start& start) {
  if (!plan.exits) return false;
  const auto depth = [&](const std::vector<double>& q, const std::vector<double>& v, double time) {
    return plan.exits->depth.evaluate(plan.model.problem->variables(q, v, start.parameters, time));
  };
  const double here = depth(start.q, start.v, 0);
  if (!(here <= 0)) return here > 0;
  // On the edge, to round-off, a start isn't a crossing; it is outside if a step leads there.
  sections::Observation step;
  step.stop.time = plan.method.tolerance ? 1e-4 * plan.watch.stop.time : plan.method.step;
  auto ahead = start.q;
  for (std::size_t k = 0; k < ahead.size(); ++k) ahead[k] += step.stop.time * start.v[k];
  if (-here > 1e-8 * std::max(1.0, std::abs(depth(ahead, start.v, step.stop.time)))) return false;
  const auto flown = sections::fly_alone(*plan.model.problem, plan.method, step, start);
  return flown.status == Status::finished && -here <= 1e-10 * depth(flown.q, flown.v, flown.t);
}

sections::TrajectoryRecord ended_at(const Plan& plan, const sections::Start& start) {
  sections::TrajectoryRecord record;
  record.begin(start);
  record.status = Status::finished;
  record.crossing_count = 1;
  record.energy = plan.model.problem->energy(start.q, start.v, start.parameters);
  std::size_t numbers = 0;
  for (const auto& tally : plan.tallies)
    numbers += tally.dims.size() > 1 ? static_cast<std::size_t>(tally.dims[1]) : 1;
  record.tallies.assign(numbers - std::min<std::size_t>(numbers, 2),
                        std::numeric_limits<double>::quiet_NaN());
  return record;
}

void name_exit(const Plan& plan, const std::vector<double>& parameters, sections::TrajectoryRecord& flown) {
  if (!plan.exits || flown.status == Status::infeasible_start) return;
  const bool escaped = flown.status == Status::finished && flown.crossing_count > 0;
  double exit = -1;
  if (escaped)
    exit = static_cast<double>(
        plan.exits->nearest(plan.model.problem->variables(flown.q, flown.v, parameters, flown.t)));
  flown.tallies.push_back(exit);
  flown.tallies.push_back(escaped ? flown.t : std::numeric_limits<double>::quiet_NaN());
  if (escaped) flown.status = Status::left_domain;
  if (flown.status == Status::time_limit) flown.status = Status::finished;
  flown.crossings.clear();
}

}  // namespace cotangent::studies
