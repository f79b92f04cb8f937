// study = "work-precision": what a method's precision costs, for many methods on the same trajectories.
//
// Each of `[[methods]]` flies the ensemble to `[stop] time` with each of its steps or tolerances. Precision
// is the largest |E - E0|, the drift of the energy (the slope of the least squares line through the maxima of
// |E - E0| over 32 intervals), and the distance at the end from a reference: Gauss collocation, flown twice,
// so that its own error is known. Work is steps, and seconds of one core: CPU time of the thread, the least
// of several flights. Seconds differ from run to run, so they stand in /run, which comparisons of results
// leave out. Limits: starts and ends of all flights are held in memory; a run that is stopped begins again.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>

#include "integrators/methods.hpp"
#include "io/result_file.hpp"
#include "parallel/mpi.hpp"
#include "studies/plan.hpp"
#include "studies/starts.hpp"
#include "studies/work_precision_flights.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* example =
    R"(# Energy kept, and at what cost: collocation, Runge-Kutta and Verlet on Henon-Heiles at E = 1/12.
study = "work-precision"

[model]
name = "henon-heiles"        # cotangent --list

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

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// --- the deck ---

std::string label_of(const io::Table& entry, const integrators::MethodOptions& method) {
  std::string text = method.name;
  if (entry.has("stages")) text += fmt::format(" {}", method.stages);
  if (entry.has("treatment")) text += " " + method.treatment;
  if (entry.has("projection")) text += " " + method.projection;
  if (entry.has("onto")) text += " " + method.onto;
  return text;
}

void read_method_entry(const io::Table& entry, Comparison& c) {
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
    c.settings.push_back({static_cast<int>(c.names.size()), index++, method});
  }
  c.names.push_back(label);
}

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
  for (const io::Table& entry : entries) read_method_entry(entry, c);
  c.time = task.deck.table("stop").positive("time");
  c.file = task.deck.table("output").text("file", "work_precision.h5");
  const Ensemble ensemble(task, c.model, read_section(task, *c.model.problem));
  task.deck.finish();
  ensemble.refuse_if_none_feasible();
  for (std::int64_t id = 0; id < ensemble.size(); ++id) {
    const EnsembleStart start = ensemble[id];
    if (start.feasible) c.starts.push_back(start.start);
  }
  if (c.starts.empty()) throw task.deck.table("ensemble").error("no start is feasible");
  return c;
}

// --- the result ---

/// One setting, over all starts that reached the end.
struct Verdict {
  std::int64_t steps = 0, arrived = 0, failed = 0;
  double energy_error = nan, constraint_error = nan, drift = nan, position_error = nan, order = nan;
};

/// The larger one, of which NaN is none.
double larger(double a, double b) {
  return std::isnan(a) || b > a ? b : a;
}

std::vector<Verdict> verdicts(const Comparison& c, const Flights& flights) {
  const auto dim = static_cast<std::size_t>(c.model.problem->dim());
  std::vector<Verdict> result;
  for (std::size_t s = 0; s < c.settings.size(); ++s) {
    Verdict v;
    for (std::size_t k = 0; k < c.starts.size(); ++k) {
      v.steps += static_cast<std::int64_t>(flights.at(s, k, Row::steps));
      v.failed += flights.at(s, k, Row::failed) != 0 ? 1 : 0;
      if (flights.at(s, k, Row::arrived) == 0) continue;
      ++v.arrived;
      v.energy_error = larger(v.energy_error, flights.at(s, k, Row::energy_error));
      v.constraint_error = larger(v.constraint_error, flights.at(s, k, Row::constraint_error));
      v.drift = std::isnan(v.drift) || std::abs(flights.at(s, k, Row::drift)) > std::abs(v.drift)
                    ? flights.at(s, k, Row::drift)
                    : v.drift;
      if (flights.at(1, k, Row::arrived) == 0) continue;
      double square = 0;
      for (std::size_t n = 0; n < dim; ++n) {
        const double off = flights.at(s, k, Row::state + n) - flights.at(1, k, Row::state + n);
        square += off * off;
      }
      v.position_error = larger(v.position_error, std::sqrt(square));
    }
    const Setting& now = c.settings[s];
    if (now.index > 0 && !now.options.tolerance) {
      const double step_ratio = c.settings[s - 1].options.step / now.options.step;
      v.order = std::log(result.back().position_error / v.position_error) / std::log(step_ratio);
      if (!std::isfinite(v.order)) v.order = nan;
    }
    result.push_back(v);
  }
  return result;
}

std::vector<io::DataSetSpec> data_sets(const Comparison& c) {
  using io::DataType;
  const std::int64_t m = c.rows(), n = std::ssize(c.starts), dim = c.model.problem->dim();
  std::vector<std::string> columns;
  for (const auto& q : c.model.problem->coordinates()) columns.push_back(q.name);
  for (const auto& q : c.model.problem->coordinates()) columns.push_back(q.name + "_dot");
  std::vector<io::DataSetSpec> sets{
      {"/comparison/method",
       DataType::int32,
       {m},
       "1",
       "the method, as an index into names",
       {{"names", c.names}}},
      {"/comparison/setting",
       DataType::int32,
       {m},
       "1",
       "index of the step or tolerance among those of the method"},
      {"/comparison/step", DataType::float64, {m}, "1", "fixed step; NaN where the step is controlled"},
      {"/comparison/tolerance", DataType::float64, {m}, "1", "tolerance; NaN where the step is fixed"},
      {"/comparison/steps", DataType::int64, {m}, "1", "steps taken, all starts together"},
      {"/comparison/arrived", DataType::int64, {m}, "1", "starts that reached the end; errors are theirs"},
      {"/comparison/energy_error", DataType::float64, {m}, "1", "largest |E - E0| over all steps and starts"},
      {"/comparison/constraint_error",
       DataType::float64,
       {m},
       "1",
       "largest |g| / |grad g| over all steps and starts, a length"},
      {"/comparison/energy_drift",
       DataType::float64,
       {m},
       "1",
       "slope in time of the maxima of |E - E0| over 32 intervals, that of the start where it is steepest"},
      {"/comparison/position_error",
       DataType::float64,
       {m},
       "1",
       "largest distance |q - q_reference| at the end"},
      {"/comparison/order",
       DataType::float64,
       {m},
       "1",
       "order by the position error of this step and the one before; NaN for the first"},
      {"/comparison/reference_error",
       DataType::float64,
       {},
       "1",
       "largest distance at the end between the reference and the same with twice its step"},
      {"/comparison/initial",
       DataType::float64,
       {n, 2 * dim},
       "1",
       "states at t = 0: q, then v",
       {{"columns", columns}}},
      {"/comparison/reference",
       DataType::float64,
       {n, 2 * dim},
       "1",
       "states of the reference at the end: q, then v",
       {{"columns", columns}}},
      {"/run/comparison_seconds", DataType::float64, {m}, "s", "CPU time of one core, all starts together"},
      {"/run/comparison_rate", DataType::float64, {m}, "1/s", "units of orbit time in a second of one core"}};
  if (c.model.problem->multipliers() == 0) {
    std::erase_if(sets,
                  [](const io::DataSetSpec& set) { return set.path == "/comparison/constraint_error"; });
  }
  return sets;
}

/// Units of orbit time in a second.
double rate(const Comparison& c, const Verdict& v, double seconds) {
  return static_cast<double>(v.arrived) * c.time / seconds;
}

void write(io::ResultFile& file, const Comparison& c, const Flights& flights,
           const std::vector<Verdict>& all) {
  const auto put = [&]<class Number>(const char* path, std::int64_t row, Number value) {
    file.write_rows(file.data_set(path), row, 1, &value);
  };
  for (std::int64_t row = 0; row < c.rows(); ++row) {
    const auto s = static_cast<std::size_t>(row + Comparison::references);
    const Setting& setting = c.settings[s];
    const Verdict& v = all[s];
    put("/comparison/method", row, static_cast<std::int32_t>(setting.method));
    put("/comparison/setting", row, static_cast<std::int32_t>(setting.index));
    put("/comparison/step", row, setting.options.tolerance ? nan : setting.options.step);
    put("/comparison/tolerance", row, setting.options.tolerance.value_or(nan));
    put("/comparison/steps", row, v.steps);
    put("/comparison/arrived", row, v.arrived);
    put("/comparison/energy_error", row, v.energy_error);
    if (c.model.problem->multipliers() > 0) put("/comparison/constraint_error", row, v.constraint_error);
    put("/comparison/energy_drift", row, v.drift);
    put("/comparison/position_error", row, v.position_error);
    put("/comparison/order", row, v.order);
    put("/run/comparison_seconds", row, flights.seconds(s));
    put("/run/comparison_rate", row, rate(c, v, flights.seconds(s)));
  }
  put("/comparison/reference_error", 0, all[0].position_error);
  for (std::size_t k = 0; k < c.starts.size(); ++k) {
    std::vector<double> initial = c.starts[k].q, reference;
    initial.insert(initial.end(), c.starts[k].v.begin(), c.starts[k].v.end());
    for (std::size_t n = 0; n < initial.size(); ++n) reference.push_back(flights.at(1, k, Row::state + n));
    file.write_rows(file.data_set("/comparison/initial"), static_cast<std::int64_t>(k), 1, initial.data());
    file.write_rows(file.data_set("/comparison/reference"), static_cast<std::int64_t>(k), 1,
                    reference.data());
  }
}

std::string table(const Comparison& c, const Flights& flights, const std::vector<Verdict>& all) {
  std::size_t width = 8;
  for (const auto& name : c.names) width = std::max(width, name.size());
  std::string text =
      fmt::format("{:<{}}{:>10}{:>12}{:>11}{:>12}{:>11}{:>11}{:>11}{:>7}\n", "method", width, "setting",
                  "steps", "seconds", "time/s", "|E - E0|", "drift", "position", "order");
  const bool constrained = c.model.problem->multipliers() > 0;
  if (constrained) text.insert(text.size() - 1, fmt::format("{:>11}", "|g|/|g'|"));
  for (std::size_t s = Comparison::references; s < c.settings.size(); ++s) {
    const Setting& setting = c.settings[s];
    const Verdict& v = all[s];
    text += fmt::format("{:<{}}{:>10.3g}{:>12}{:>11.3g}{:>12.3g}{:>11.2e}{:>11.2e}{:>11.2e}{:>7}",
                        setting.index == 0 ? c.names[static_cast<std::size_t>(setting.method)] : "", width,
                        setting.options.tolerance.value_or(setting.options.step), v.steps, flights.seconds(s),
                        rate(c, v, flights.seconds(s)), v.energy_error, v.drift, v.position_error,
                        std::isnan(v.order) ? "" : fmt::format("{:.2f}", v.order));
    if (constrained) text += fmt::format("{:>11.2e}", v.constraint_error);
    const std::int64_t lost = std::ssize(c.starts) - v.arrived;
    text += lost > 0 ? fmt::format("   {} of {} did not arrive\n", lost, c.starts.size()) : "\n";
  }
  text += fmt::format("reference uncertain by {:.2g}\n", all[0].position_error);
  return text;
}

void say(const std::string& text) {
  if (parallel::rank() != 0) return;
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

ExitCode run(Task& task) {
  const Comparison c = read_comparison(task);
  if (task.check) return exit_success;
  Flights flights(c);
  if (task.dry_run) {
    const double seconds = flights.estimate();
    say(
        fmt::format("would run       {} methods with {} steps or tolerances in all, on {} starts\n"
                    "result file     {}\ntime            about {:.2g} s on {} ranks\n",
                    c.names.size(), c.rows(), c.starts.size(), c.file, seconds, parallel::size()));
    return exit_success;
  }
  const double started = parallel::wall_time();
  io::ResultContent content;
  content.study = "work-precision";
  content.deck = task.deck.resolved();
  content.data_sets = data_sets(c);
  content.command_line = task.command_line;
  io::ResultFile file = io::ResultFile::create(c.file, content);
  flights.run();
  const std::vector<Verdict> all = verdicts(c, flights);
  parallel::on_rank_zero([&] { write(file, c, flights, all); });
  const double seconds = parallel::wall_time() - started;
  file.close({seconds, {}});
  say(table(c, flights, all) + fmt::format("result          {}\ntime            {:.3g} s on {} ranks\n",
                                           c.file, seconds, parallel::size()));
  const bool failed = std::ranges::any_of(all, [](const Verdict& v) { return v.failed > 0; });
  return failed ? exit_trajectories_failed : exit_success;
}

}  // namespace

Study work_precision_study() {
  return {"work-precision", "what the precision of methods costs, on one ensemble", run, example};
}

}  // namespace cotangent::studies
