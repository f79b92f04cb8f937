// study = "work-precision": what a method's precision costs, for many methods on the same trajectories.
//
// Each of `[[methods]]` flies the ensemble to `[stop] time` with each of its steps or tolerances. Precision
// is the largest |E - E0|, the drift of the energy (the slope of the least squares line through the maxima of
// |E - E0| over 32 intervals), and the distance at the end from a reference: Gauss collocation, flown twice,
// so that its own error is known. Work is steps, and seconds of one core: CPU time of the thread, the least
// of several flights. Seconds differ from run to run, so they stand in /run, which comparisons of results
// leave out. Starts are spread over the ranks; all know the ids of those that are feasible, eight bytes each.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "integrators/methods.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/work_precision/flights.hpp"
#include "studies/program/report.hpp"
#include "studies/program/settings.hpp"

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
  c.ensemble = std::make_unique<Ensemble>(task, c.model, read_section(task, *c.model.problem));
  return c;
}

/// Each rank judges an equal share of the starts, and all learn which are feasible.
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

// --- the result ---

/// One setting, over all starts that reached the end.
struct Verdict {
  std::int64_t steps = 0, arrived = 0, failed = 0;
  double energy_error = nan, constraint_error = nan, drift = nan, position_error = nan, order = nan;
};

/// Numbers of which the largest over all starts counts, and NaN is none.
class Largest {
 public:
  void see(double value) {
    if (!std::isnan(value)) value_ = std::max(value_, value);
  }
  double seen() const { return value_; }
  static double of_all(double seen) { return seen > -infinity ? seen : nan; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  double value_ = -infinity;
};

/// Each rank sees its share of the starts. Collective.
std::vector<Verdict> verdicts(const Comparison& c, const ShownRows& shown) {
  const auto dim = static_cast<std::size_t>(c.model.problem->dim());
  std::vector<std::int64_t> counts;
  std::vector<double> largest;
  for (std::size_t s = 0; s < c.settings.size(); ++s) {
    Verdict v;
    Largest energy, constraint, rise, fall, position;
    for (std::int64_t k = 0; k < shown.count; ++k) {
      const double *row = shown.row(s, k), *reference = shown.row(1, k);
      v.steps += static_cast<std::int64_t>(row[Row::steps]);
      v.failed += row[Row::failed] != 0 ? 1 : 0;
      if (row[Row::arrived] == 0) continue;
      ++v.arrived;
      energy.see(row[Row::energy_error]);
      constraint.see(row[Row::constraint_error]);
      rise.see(row[Row::drift]);
      fall.see(-row[Row::drift]);
      if (reference[Row::arrived] == 0) continue;
      double square = 0;
      for (std::size_t n = 0; n < dim; ++n) {
        const double off = row[Row::state + n] - reference[Row::state + n];
        square += off * off;
      }
      position.see(std::sqrt(square));
    }
    counts.insert(counts.end(), {v.steps, v.arrived, v.failed});
    for (const Largest* one : {&energy, &constraint, &rise, &fall, &position}) largest.push_back(one->seen());
  }
  counts = parallel::sum(std::move(counts));
  largest = parallel::maximum(std::move(largest));
  std::vector<Verdict> result;
  for (std::size_t s = 0; s < c.settings.size(); ++s) {
    const std::int64_t* count = counts.data() + 3 * s;
    const double* most = largest.data() + 5 * s;
    Verdict v{count[0], count[1], count[2]};
    v.energy_error = Largest::of_all(most[0]);
    v.constraint_error = Largest::of_all(most[1]);
    v.drift = most[2] >= most[3] ? Largest::of_all(most[2]) : -most[3];
    v.position_error = Largest::of_all(most[4]);
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

/// What is known of all settings, by one rank.
void enter(run::Records& records, const Comparison& c, const std::vector<Verdict>& all,
           const std::vector<double>& seconds) {
  const auto put = [&]<class Number>(const char* path, std::int64_t row, Number value) {
    records.one(path, row, &value);
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
    put("/run/comparison_seconds", row, seconds[s]);
    put("/run/comparison_rate", row, rate(c, v, seconds[s]));
  }
  put("/comparison/reference_error", 0, all[0].position_error);
}

std::string table(const Comparison& c, const std::vector<Verdict>& all, const std::vector<double>& seconds) {
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
                        setting.options.tolerance.value_or(setting.options.step), v.steps, seconds[s],
                        rate(c, v, seconds[s]), v.energy_error, v.drift, v.position_error,
                        std::isnan(v.order) ? "" : fmt::format("{:.2f}", v.order));
    if (constrained) text += fmt::format("{:>11.2e}", v.constraint_error);
    const std::int64_t lost = std::ssize(c.starts) - v.arrived;
    text += lost > 0 ? fmt::format("   {} of {} did not arrive\n", lost, c.starts.size()) : "\n";
  }
  return text + fmt::format("reference uncertain by {:.2g}", all[0].position_error);
}

class WorkPrecision : public run::Evolution {
 public:
  explicit WorkPrecision(const Comparison& c) : c_(c), flights_(c) {}

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override { return studies::data_sets(c_); }
  void begin(run::Records&) override { flights_.begin(); }
  void resume(run::Records&) override { flights_.begin(); }
  void state(run::State& state) override { flights_.state(state); }
  void advance(std::int64_t steps, run::Records&) override { flights_.advance(steps); }
  bool ended() const override { return flights_.ended(); }

  /// Each rank enters the starts of its share, and the reference's ends.
  void finish(run::Records& records) override {
    const ShownRows shown = flights_.shown();
    const auto dim = static_cast<std::size_t>(c_.model.problem->dim());
    all_ = verdicts(c_, shown);
    seconds_ = flights_.seconds();
    if (parallel::rank() == 0) enter(records, c_, all_, seconds_);
    for (std::int64_t k = 0; k < shown.count; ++k) {
      const auto id = c_.starts[static_cast<std::size_t>(shown.first + k)];
      const sections::Start start = (*c_.ensemble)[id].start;
      std::vector<double> initial = start.q;
      initial.insert(initial.end(), start.v.begin(), start.v.end());
      const double* end = shown.row(1, k) + Row::state;
      records.rows("/comparison/initial", shown.first + k, 1, initial.data());
      records.rows("/comparison/reference", shown.first + k, 1, std::vector(end, end + 2 * dim).data());
    }
  }

  run::Progress progress() const override {
    const auto all = static_cast<double>(flights_.tasks()), taken = static_cast<double>(flights_.taken());
    return {taken, all, fmt::format("{} of {} flights begun", flights_.taken(), flights_.tasks()), "flights"};
  }
  std::vector<run::Line> summary(const run::Effort&) override {
    const std::string what = fmt::format("{} methods with {} steps or tolerances in all, on {} starts",
                                         c_.names.size(), c_.rows(), c_.starts.size());
    return {{"comparison", all_.empty() ? what : what + "\n" + table(c_, all_, seconds_)}};
  }
  bool failed() override {
    return std::ranges::any_of(all_, [](const Verdict& v) { return v.failed > 0; });
  }

 private:
  const Comparison& c_;
  Flights flights_;
  std::vector<Verdict> all_;
  std::vector<double> seconds_;
};

ExitCode run(Task& task) {
  Comparison c = read_comparison(task);
  const run::Settings settings = read_settings(task, "work-precision", "work_precision.h5");
  task.deck.finish();
  judge_starts(task.deck.table("ensemble"), c);
  if (task.check) return exit_success;
  if (task.dry_run) {
    const double seconds = Flights(c).estimate();
    parallel::on_rank_zero([&] {
      run::say(
          fmt::format("would run       {} methods with {} steps or tolerances in all, on {} starts\n"
                      "result file     {}\nmemory          about {} a rank\n"
                      "time            about {:.2g} s on {} ranks\n",
                      c.names.size(), c.rows(), c.starts.size(), settings.file,
                      run::size_text(static_cast<double>(program_bytes + Flights(c).rank_bytes())), seconds,
                      parallel::size()));
    });
    return exit_success;
  }
  WorkPrecision evolution(c);
  return drive(task, evolution, settings);
}

}  // namespace

Study work_precision_study() {
  return {"work-precision", "what the precision of methods costs, on one ensemble", run, example};
}

}  // namespace cotangent::studies
