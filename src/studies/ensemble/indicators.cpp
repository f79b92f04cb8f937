// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/indicators.hpp"

#include <algorithm>
#include <cmath>

#include "chaos/indicators.hpp"
#include "integrators/method_list.hpp"

namespace cotangent::studies {

std::string methods_with_tangent(const sections::Problem& problem) {
  const auto suited = problem.methods();
  std::string names;
  for (const auto& method : integrators::method_list()) {
    if (method.tangent && std::ranges::count(suited, method.name) > 0)
      names += (names.empty() ? "" : ", ") + method.name;
  }
  return names;
}

int phase_dimensions(const sections::Problem& problem) {
  return 2 * (problem.dim() - problem.constraints()) - problem.rolling();
}

void judge_indicators(Task& task, const Plan& plan) {
  const sections::Problem& problem = *plan.model.problem;
  if (problem.methods().empty()) return;  // it flies by itself, and its neighbours too
  const auto methods = integrators::method_list();
  const auto chosen = std::ranges::find(methods, plan.method.name, &integrators::MethodInfo::name);
  if (!chosen->tangent)
    throw task.deck.table("method").error(
        "name", "indicators need a method with a tangent map: " + methods_with_tangent(problem));
  if (plan.method.projection != "none")
    throw task.deck.table("method").error("projection", "indicators need steps that aren't projected");
}

void read_decided(Task& task, Plan& plan, bool leaves) {
  const io::Table stop = task.deck.table("stop");
  plan.watch.stop.decided = stop.boolean("decided", false);
  if (!plan.watch.stop.decided) return;
  if (!plan.watch.growth)
    throw stop.error(
        "decided", "by what? Give [indicators] list = [\"lyapunov\"], say: it is for orbits with deviations");
  if (leaves) throw stop.error("decided", "an orbit that ends there takes no exit");
  if (plan.model.problem->has_friction())
    throw stop.error(
        "decided",
        "with friction, or walls that take energy, chaos may be a transient before regular motion: "
        "what an orbit is can only be known at the end");
}

namespace {

/// `history`: the time from row to row, up to the end that the deck gives.
void read_history(chaos::Indicators& indicators, double end, const io::Table& table) {
  indicators.history = table.positive("history");
  if (!std::isfinite(end)) throw table.error("history", "up to when? give stop.time");
  const double rows = std::floor(end / indicators.history * (1 + 1e-12));
  if (rows < 1) throw table.error("history", "is longer than stop.time");
  if (rows > 100'000) throw table.error("history", "makes more than 100 000 rows of each orbit");
  indicators.rows = static_cast<std::int64_t>(rows);
}

}  // namespace

void read_indicators(Task& task, Plan& plan, const Ensemble& ensemble) {
  if (!task.deck.root().has("indicators")) return;
  const io::Table table = task.deck.table("indicators");
  auto names = table.texts("list");
  if (names.empty()) throw table.error("list", R"(names no indicator: ["lyapunov", "megno"], say)");
  if (auto averages = read_averages(task, plan, names))
    plan.averages = std::make_shared<const Averages>(std::move(*averages));
  if (names.empty()) return;  // averages alone ask for no deviations
  const sections::Problem& problem = *plan.model.problem;
  const int dimensions = phase_dimensions(problem);
  auto indicators =
      chaos::read_indicators(names, dimensions, table.where("list"), {"rotation", "birkhoff", "frequencies"});
  if (table.has("history")) read_history(indicators, plan.watch.stop.time, table);
  judge_indicators(task, plan);
  plan.watch.growth = chaos::growth_rule(indicators, dimensions, problem.has_friction());
  for (const auto& column : chaos::columns(indicators, dimensions)) {
    std::vector<std::int64_t> extent{ensemble.size()};
    if (column.list) extent.push_back(column.numbers);
    io::DataSetSpec set{(column.history ? "/histories/" : "/indicators/") + column.name,
                        io::DataType::float64, extent, column.unit, column.meaning};
    if (!column.names.empty()) set.labels.emplace_back("names", column.names);
    plan.tallies.push_back(std::move(set));
  }
}

}  // namespace cotangent::studies
