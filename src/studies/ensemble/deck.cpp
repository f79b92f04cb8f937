// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/deck.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/names.hpp"
#include "integrators/method_list.hpp"
#include "studies/program/formula_model.hpp"
#include "studies/program/method_options.hpp"
#include "studies/program/multipliers.hpp"

namespace cotangent::studies {

namespace {

using integrators::MethodOptions;
using integrators::Option;

bool takes(const integrators::MethodInfo& method, const Option& option) {
  return std::ranges::count(method.options, option) > 0;
}

}  // namespace

MethodOptions read_options(const io::Table& table, const sections::Problem& problem, bool named) {
  const auto methods = integrators::method_list();
  std::vector<std::string> names;
  for (const auto& method : methods) names.push_back(method.name);
  MethodOptions options;
  const auto own = problem.methods();
  const bool free = problem.multipliers() == 0;
  const std::string usual = free ? options.name : own.front();
  options.name = named ? table.choice("name", names) : table.choice("name", usual, names);
  const auto& chosen = *std::ranges::find(methods, options.name, &integrators::MethodInfo::name);
  if (!own.empty() && std::ranges::count(own, options.name) == 0) {
    std::string suited;
    for (const auto& name : own) suited += (suited.empty() ? "" : ", ") + name;
    throw table.error("name", fmt::format("the motion of {} {}, which '{}' doesn't take: choose one of {}",
                                          called(problem.name()), problem.motion(), options.name, suited));
  }
  for (const auto& other : methods) {
    for (const Option& option : other.options) {
      if (!table.has(option.name)) continue;
      if (option.table != "method")
        throw table.error(option.name, fmt::format("is an option of [{}]", option.table));
      if (takes(chosen, option)) continue;
      std::string taken;
      for (const Option& known : chosen.options) {
        if (known.table != "method") continue;
        taken += (taken.empty() ? "" : ", ") + std::string(known.name);
      }
      throw table.error(option.name,
                        "is no option of the method '" + options.name + "', which takes " + taken);
    }
  }
  for (const Option& option : chosen.options) {
    if (option.table == "method" && option != integrators::option::step &&
        option != integrators::option::tolerance)
      read(table, option, options);
  }
  if (!options.onto.empty() && options.projection == "none")
    throw table.error("onto",
                      "says what is projected onto: projection = \"standard\" or \"symmetric\" is missing");
  return options;
}

void read_method(Task& task, Plan& plan) {
  const io::Table table = task.deck.table("method");
  plan.method = read_options(table, *plan.model.problem, false);
  if (table.has("tolerance")) {
    read(table, integrators::option::tolerance, plan.method);
    warn_of_rounding(task, "[method] tolerance", plan.method);
    plan.method.step = integrators::default_first_step;
    read(table, integrators::option::step, plan.method);
  } else if (table.has("step")) {
    read(table, integrators::option::step, plan.method);
  } else {
    throw table.error("give step (fixed) or tolerance (adaptive)");
  }
  plan.lanes = static_cast<int>(table.integer_at_least("lanes", 0, 0));
  std::vector<std::string> takers;
  for (const auto& method : integrators::method_list()) {
    if (takes(method, integrators::option::multipliers)) takers.push_back(method.name);
  }
  plan.method.multipliers = read_multipliers(task, plan.method.name, takers);
}

std::int64_t whole(const io::Table& table, const std::string& key, double time, double step,
                   const std::string& of) {
  const double count = std::round(time / step);
  if (!(count < 0x1p53))
    throw table.error(key, fmt::format("{:.3g} {} of {} can't be counted: fewer", count, of, step));
  if (count < 1 || std::abs(count * step - time) > 1e-9 * time)
    throw table.error(key, fmt::format("must be a whole number of {} of {}: try {:.15g}", of, step,
                                       std::max(1.0, count) * step));
  return static_cast<std::int64_t>(count);
}

double end_at(double time, const sections::Ticks& ticks) {
  if (!(ticks.every() > 0 && time / ticks.every() < 0x1p53)) return time;
  const double next = ticks[ticks.after(time)];
  return next - time <= 0x1p-50 * time ? next : time;
}

std::int64_t samples_until(const io::Table& output, double time, double every) {
  if (!(time / every < 0x1p53))
    throw output.error(
        "every", fmt::format("{:.3g} samples can't be counted: fewer, or a shorter stop.time", time / every));
  auto samples = static_cast<std::int64_t>(std::floor(time / every)) + 1;
  // The last sample may fall to either side of the time limit by rounding: it is counted if it is due.
  while (static_cast<double>(samples - 1) * every > time) --samples;
  while (static_cast<double>(samples) * every <= time) ++samples;
  return samples;
}

void read_plot(Task& task, Plan& plan, bool whole_states) {
  if (!task.deck.root().has("plot")) return;
  const io::Table table = task.deck.table("plot");
  if (whole_states && table.integer_at_least("skip", 0, 0) >= plan.watch.stop.crossings)
    throw table.error("skip", "leaves none of the crossings to draw");
  if (!table.has("axes") && table.has("skip")) return;
  const std::vector<std::string> axes = table.texts("axes");
  auto known = plan.model.problem->variable_names();  // coordinates, velocities, momenta, parameters
  const auto dim = static_cast<std::size_t>(plan.model.problem->dim());
  std::vector<std::string> swept;
  for (std::size_t k = 0; k < plan.model.axes.size(); ++k) {
    if (whole_states && plan.model.axes[k].size() > 1) swept.push_back(known[3 * dim + k]);
  }
  known.resize((whole_states ? 3 : 1) * dim);
  known.insert(known.end(), swept.begin(), swept.end());
  if (axes.size() != 2) throw table.error("axes", "give two names: what is drawn across, then upwards");
  for (const std::string& name : axes)
    if (std::ranges::count(known, name) == 0) unknown_name("column", name, known, table.where("axes"));
  if (axes[0] == axes[1]) throw table.error("axes", "names the same column twice");
  const auto momentum = [&](const std::string& name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(known, name) - known.begin());
    return at >= 2 * dim && at < 3 * dim;
  };
  if (std::ranges::any_of(axes, momentum)) plan.plot_axes = axes;
}

void read_surface(Task& task, Plan& plan) {
  if (plan.model.problem->surface() == nullptr) return;
  const io::Table table = task.deck.table("output");
  plan.surface_cells = table.integer_at_least("surface_cells", 0, 40);
  if (plan.surface_cells > 1000)
    throw table.error("surface_cells", "at most 1000 cubes fill the longest side");
}

}  // namespace cotangent::studies
