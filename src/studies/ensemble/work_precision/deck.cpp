// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/work_precision/deck.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "run/state.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/section.hpp"
#include "studies/program/method_options.hpp"

namespace cotangent::studies {

const char* const work_precision_example =
    R"(# Energy kept, and at what cost: collocation, Runge-Kutta and Verlet on Henon-Heiles at E = 1/12.
study = "work-precision"

[model]
name = "henon-heiles"        # cotangent --list
# or of your own, by formulas: coordinates = ["x", "y"]   angles = ["x"]   parameters = { mu = 3.0 }
#   lagrangian = "x_dot^2/2 + y_dot^2/2 - mu*x*u"   where = { u = "x + y" }   domain = "u"
#   constraint = ["x^2 + y^2 - 1"]   force = { x = "-x_dot" }   dissipation = "y_dot^2"

[section]                    # where the starts lie, if given
where = "q1"

[ensemble]                   # a handful of starts; a multiple of 8 fills the lanes, of 16 under one constraint
energy = 0.08333333333333333
grid = { q2 = [-0.2, 0.3, 8], q2_dot = [0.0, 0.0, 1] }

[stop]
time = 200.0

[[methods]]                  # as in [method], with a list of steps or of tolerances
name = "gauss"
stages = 8
steps = [2.0, 1.0, 0.5]

[[methods]]
name = "dormand-prince-853"
tolerances = [1e-6, 1e-9, 1e-12]

[[methods]]
name = "stormer-verlet"
steps = [0.1, 0.05, 0.025]
# label = "Verlet"           # what tables and pictures call it

[reference]                  # Gauss collocation (RATTLE of order 6, constrained), at this step and at half of it
stages = 16
step = 0.25

[output]
file = "work_precision.h5"
)";

namespace {

/// The method's name with the options that the entry gives, but for those that differ from run to run.
std::string label_of(const io::Table& entry, const integrators::MethodOptions& method) {
  std::string text = method.name;
  for (const auto& option : options_of(method.name)) {
    if (entry.has(option.name) && option != integrators::option::step) text += " " + value_of(option, method);
  }
  std::erase(text, '"');
  return text;
}

void read_method_entry(Task& task, const io::Table& entry, Comparison& c) {
  integrators::MethodOptions method = read_options(entry, *c.model.problem, true);
  const bool adaptive = entry.has("tolerances");
  if (adaptive == entry.has("steps")) {
    throw entry.error(adaptive ? "give steps or tolerances, not both"
                               : "give steps (fixed) or tolerances (adaptive), a list of them");
  }
  std::string fallback = label_of(entry, method);
  if (adaptive && std::ranges::count(c.names, fallback) > 0) fallback += " adaptive";
  const std::string label = entry.text("label", fallback);
  if (std::ranges::count(c.names, label) > 0) {
    throw entry.error("two methods are called '" + label + "'; give this one a label of its own");
  }
  const char* key = adaptive ? "tolerances" : "steps";
  const std::vector<double> values = entry.axis(key);
  method.step = adaptive ? entry.positive("step", integrators::default_first_step) : 0.0;
  int index = 0;
  for (const double value : values) {
    if (!(value > 0)) throw entry.error(key, "must be positive");
    if (adaptive)
      method.tolerance = value;
    else
      method.step = value;
    try {
      c.model.problem->fly(method, {}, 1);
    } catch (const Error& e) {
      throw entry.error("name", e.what());
    }
    if (adaptive) warn_of_rounding(task, "[[methods]] tolerances", method);
    c.settings.push_back({static_cast<int>(c.names.size()), index++, method});
  }
  c.names.push_back(label);
}

}  // namespace

Comparison read_comparison(Task& task) {
  Comparison c;
  c.model = read_model(task);
  const io::Table reference = task.deck.table("reference");
  integrators::MethodOptions method;
  if (c.model.problem->multipliers() > 0) {
    const auto own = c.model.problem->methods();
    method.name = std::ranges::count(own, "rattle-kahan-li-6") > 0 ? "rattle-kahan-li-6" : "reduced-gauss";
  } else {
    method.stages = static_cast<int>(reference.integer_at_least("stages", 1, 16));
  }
  method.step = reference.positive("step", 0.1);
  try {
    c.model.problem->fly(method, {}, 1);
  } catch (const Error& e) {
    throw reference.error(e.what());
  }
  c.settings.push_back({-1, 0, method});
  method.step /= 2;
  c.settings.push_back({-1, 1, method});
  const auto entries = task.deck.root().tables("methods");
  if (entries.empty()) {
    throw task.deck.table("methods").error(
        "give the methods to compare, each as [[methods]] with name and with steps or tolerances");
  }
  for (const io::Table& entry : entries) read_method_entry(task, entry, c);
  c.time = task.deck.table("stop").positive("time");
  c.ensemble = std::make_unique<Ensemble>(task, c.model, read_section(task, *c.model.problem));
  return c;
}

void judge_starts(const io::Table& ensemble, Comparison& c) {
  c.ensemble->refuse_if_none_feasible();
  const auto share = run::Share::even(c.ensemble->size());
  std::vector<std::int64_t> feasible;
  for (std::int64_t id = share.first; id < share.first + share.count; ++id) {
    if ((*c.ensemble)[id].feasible) feasible.push_back(id);
  }
  std::vector<std::vector<std::int64_t>> to(static_cast<std::size_t>(parallel::size()), feasible);
  c.starts = parallel::exchange(std::move(to));
  if (c.starts.empty()) throw ensemble.error("no start is feasible");
}

}  // namespace cotangent::studies
