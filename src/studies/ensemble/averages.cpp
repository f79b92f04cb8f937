// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/averages.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chaos/birkhoff.hpp"
#include "chaos/spectral_line.hpp"
#include "core/names.hpp"
#include "parallel/mpi.hpp"
#include "run/state.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* made = "/indicators/averaged";

/// The states of one trajectory, q then v each, in time's order, and when they were.
struct Rows {
  std::size_t dim = 0;
  std::vector<double> states, times;
  std::size_t count() const { return times.size(); }
  const double* operator[](std::size_t k) const { return states.data() + k * 2 * dim; }
};

/// Of each trajectory, at most.
std::int64_t rows_of(const Plan& plan) {
  return plan.shows_crossings() ? plan.watch.stop.crossings : plan.samples;
}

/// So many trajectories that their numbers are a quarter of a million.
std::int64_t block_of(const Plan& plan) {
  return std::max<std::int64_t>((1 << 18) / (2 * plan.model.problem->dim() * rows_of(plan)), 1);
}

/// Reads the rows of some trajectories at once.
class RowsReader {
 public:
  RowsReader(const Plan& plan, const run::Records& records)
      : plan_(plan), records_(records), dim_(plan.model.problem->dim()), length_(rows_of(plan)) {}

  std::int64_t block() const { return block_of(plan_); }

  std::vector<Rows> read(std::int64_t first, std::int64_t count) const {
    std::vector<Rows> all(static_cast<std::size_t>(count), Rows{static_cast<std::size_t>(dim_), {}, {}});
    const auto numbers = [&](const char* path) { return records_.read_rows<double>(path, first, count); };
    if (plan_.shows_crossings()) {
      const auto used = records_.read_rows<std::int64_t>("/orbits/crossing_count", first, count);
      const auto points = numbers("/section/points"), times = numbers("/section/time");
      for (std::int64_t k = 0; k < count; ++k) {
        Rows& rows = all[static_cast<std::size_t>(k)];
        const auto state = points.begin() + k * length_ * 2 * dim_;
        const auto time = times.begin() + k * length_;
        const std::int64_t crossings = std::min(used[static_cast<std::size_t>(k)], length_);
        rows.states.assign(state, state + crossings * 2 * dim_);
        rows.times.assign(time, time + crossings);
      }
      return all;
    }
    const auto q = numbers("/trajectory/q"), v = numbers("/trajectory/v");
    for (std::int64_t k = 0; k < count; ++k) {
      Rows& rows = all[static_cast<std::size_t>(k)];
      rows.states.reserve(static_cast<std::size_t>(2 * dim_ * length_));
      for (std::int64_t row = 0; row < length_; ++row) {
        const std::int64_t at = (k * length_ + row) * dim_;
        if (!std::isfinite(q[static_cast<std::size_t>(at)])) break;  // unused places
        rows.states.insert(rows.states.end(), q.begin() + at, q.begin() + at + dim_);
        rows.states.insert(rows.states.end(), v.begin() + at, v.begin() + at + dim_);
        rows.times.push_back(static_cast<double>(row) * plan_.watch.sample_every);
      }
    }
    return all;
  }

 private:
  const Plan& plan_;
  const run::Records& records_;
  std::int64_t dim_, length_;
};

/// In turns from row to row.
std::vector<double> turns(const Averages::Rotation& rotation, const Rows& rows) {
  std::vector<double> result;
  if (rotation.advances) {
    for (std::size_t k = 1; k < rows.count(); ++k)
      result.push_back((rows[k][rotation.coordinate] - rows[k - 1][rotation.coordinate]) /
                       (2 * std::numbers::pi));
    return result;
  }
  const std::size_t velocity = rows.dim + rotation.coordinate;
  std::vector<std::array<double, 2>> points;
  std::array<double, 2> mean{0, 0};
  for (std::size_t k = 0; k < rows.count(); ++k) {
    points.push_back({rows[k][rotation.coordinate], rows[k][velocity]});
    for (std::size_t i = 0; i < 2; ++i) mean[i] += points.back()[i] / static_cast<double>(rows.count());
  }
  return chaos::turns(points, rotation.centre.value_or(mean));
}

Averages::Rotation read_rotation(const io::Table& table, const Plan& plan) {
  if (!plan.shows_crossings())
    throw table.error("list", "a rotation number is one of crossings: study = \"poincare\"");
  const auto coordinates = plan.model.problem->coordinates();
  const sections::Section& section = *plan.watch.section;
  std::vector<std::string> names;
  for (int k = 0; k < std::ssize(coordinates); ++k) {
    if (section.strobe || k != section.coordinate)
      names.push_back(coordinates[static_cast<std::size_t>(k)].name);
  }
  if (names.size() > 1 && !table.has("plane"))
    throw table.error("plane", "name the coordinate in whose plane, with its velocity, orbits turn");
  const std::string name = table.text("plane", names.empty() ? "" : names.front());
  if (std::ranges::count(names, name) == 0) unknown_name("coordinate", name, names, table.where("plane"));
  Averages::Rotation rotation;
  while (coordinates[rotation.coordinate].name != name) ++rotation.coordinate;
  if (table.has("centre")) {
    const auto centre = table.numbers("centre");
    if (centre.size() != 2) throw table.error("centre", "two numbers: " + name + " and " + name + "_dot");
    rotation.centre = {centre[0], centre[1]};
  }
  rotation.advances = coordinates[rotation.coordinate].angle && !rotation.centre;
  return rotation;
}

/// The formulas that a key names.
Averages::Formulas read_formulas(Task& task, const Plan& plan, const std::string& key, const char* missing) {
  const io::Table table = task.deck.table("indicators");
  if (!table.has(key)) throw table.error(key, missing);
  Parts parts(plan.model.problem->variable_names());
  parts.read_what_fits(task.deck.table("model").table("where"));
  const io::Table formulas = table.table(key);
  Averages::Formulas result;
  for (const std::string& name : formulas.keys()) {
    const std::string text = formulas.text(name);
    result.values.emplace_back(text, parts.read(formulas, name, text, expressions::Language::value));
    result.names.push_back(name);
  }
  if (result.names.empty()) throw table.error(key, "names no formula");
  return result;
}

/// Their values along a trajectory, [formula][row].
std::vector<std::vector<double>> series_of(const Averages::Formulas& formulas,
                                           const sections::Problem& problem, const Rows& rows,
                                           const std::vector<double>& parameters) {
  const auto dim = static_cast<std::size_t>(problem.dim());
  std::vector<std::vector<double>> series(formulas.values.size());
  for (auto& one : series) one.reserve(rows.count());
  for (std::size_t row = 0; row < rows.count() && !series.empty(); ++row) {
    const auto variables =
        problem.variables({rows[row], dim}, {rows[row] + dim, dim}, parameters, rows.times[row]);
    for (std::size_t k = 0; k < series.size(); ++k)
      series[k].push_back(formulas.values[k].evaluate(variables));
  }
  return series;
}

/// What is made of some trajectories, one after the other: a value, and what tells how good it is.
struct Made {
  std::string path, quality_path;
  std::vector<double> values, quality;

  void add_average(const std::vector<double>& series) {
    values.push_back(chaos::weighted_average(series));
    quality.push_back(chaos::agreeing_digits(series));
  }
  void add_frequency(const std::vector<double>& series, double every) {
    values.push_back(chaos::largest_line(series).frequency / every);
    quality.push_back(chaos::frequency_diffusion(series) / every);
  }
  void write(run::Records& records, std::int64_t first, std::int64_t count) const {
    if (values.empty()) return;
    records.rows(path, first, count, values.data());
    records.rows(quality_path, first, count, quality.data());
  }
};

}  // namespace

std::optional<Averages> read_averages(Task& task, const Plan& plan, std::vector<std::string>& names) {
  const io::Table table = task.deck.table("indicators");
  const auto asked = [&](const char* name) {
    const auto times = std::erase(names, name);
    if (times > 1) throw table.error("list", "names " + std::string(name) + " twice");
    return times == 1;
  };
  const bool rotation = asked("rotation"), birkhoff = asked("birkhoff"), frequencies = asked("frequencies");
  if (!rotation && !birkhoff && !frequencies) return std::nullopt;
  Averages averages;
  if (rotation) averages.rotation = read_rotation(table, plan);
  if (birkhoff) {
    if (!plan.shows_crossings() && plan.samples == 0)
      throw table.error("list", "averages are of samples: give [output] every");
    averages.birkhoff =
        read_formulas(task, plan, "averages", "what is averaged: { kinetic = \"q1_dot^2/2\" }, say");
  }
  if (frequencies) {
    if (plan.shows_crossings())
      throw table.error("list", "frequencies are of samples at even times: study = \"trajectory\"");
    if (plan.samples == 0) throw table.error("list", "frequencies are of samples: give [output] every");
    averages.signals =
        read_formulas(task, plan, "signals", "whose frequencies are sought: { x = \"q1\" }, say");
  }
  return averages;
}

std::vector<io::DataSetSpec> data_sets(const Averages& averages, std::int64_t trajectories) {
  using io::DataType;
  std::vector<io::DataSetSpec> sets{
      {made, DataType::int32, {1}, "1", "1 when the averages are made: after the last trajectory"}};
  const char* const digits = "decimal digits to which both halves of the trajectory agree on it";
  if (averages.rotation) {
    const char* const meaning = averages.rotation->advances
                                    ? "rotation number: turns of the angle from crossing to crossing"
                                    : "rotation number: turns about the centre from crossing to crossing";
    sets.push_back({"/indicators/rotation", DataType::float64, {trajectories}, "1", meaning});
    sets.push_back({"/indicators/rotation_digits", DataType::float64, {trajectories}, "1", digits});
  }
  const auto columns = [&](const char* path, const Averages::Formulas& formulas, const char* unit,
                           const char* meaning) {
    if (formulas.names.empty()) return;
    sets.push_back({path,
                    DataType::float64,
                    {trajectories, std::ssize(formulas.names)},
                    unit,
                    meaning,
                    {{"columns", formulas.names}}});
  };
  columns("/indicators/birkhoff", averages.birkhoff, "1",
          "weighted averages of the formulas, in their own units");
  columns("/indicators/birkhoff_digits", averages.birkhoff, "1", digits);
  columns("/indicators/frequencies", averages.signals, "rad/time",
          "largest line in the spectrum of each signal, its average taken off");
  columns("/indicators/frequency_diffusion", averages.signals, "rad/time",
          "how far the largest lines of both halves of the trajectory are apart");
  return sets;
}

/// Some trajectories whose rows are read at once, and what was made of them so far.
struct AveragesMaker::Block {
  std::int64_t first = 0;
  std::vector<Rows> rows{};
  Made rotation{"/indicators/rotation", "/indicators/rotation_digits", {}, {}},
      birkhoff{"/indicators/birkhoff", "/indicators/birkhoff_digits", {}, {}},
      frequency{"/indicators/frequencies", "/indicators/frequency_diffusion", {}, {}};

  std::int64_t end() const { return first + std::ssize(rows); }
};

AveragesMaker::AveragesMaker(const Averages& averages, const Plan& plan, const Ensemble& ensemble,
                             run::Records& records)
    : averages_(averages),
      plan_(plan),
      ensemble_(ensemble),
      records_(records),
      share_(run::Share::even(ensemble.size())),
      next_(share_.first) {}
AveragesMaker::~AveragesMaker() = default;

void AveragesMaker::advance() {
  if (!block_) {
    const RowsReader reader(plan_, records_);
    const std::int64_t count = std::min(reader.block(), share_.first + share_.count - next_);
    block_ = std::make_unique<Block>(Block{.first = next_, .rows = reader.read(next_, count)});
  }
  Block& block = *block_;
  const Rows& rows = block.rows[static_cast<std::size_t>(next_ - block.first)];
  const sections::Problem& problem = *plan_.model.problem;
  const auto parameters = ensemble_.parameters(next_++);
  if (averages_.rotation) block.rotation.add_average(turns(*averages_.rotation, rows));
  for (const auto& series : series_of(averages_.birkhoff, problem, rows, parameters))
    block.birkhoff.add_average(series);
  for (const auto& series : series_of(averages_.signals, problem, rows, parameters))
    block.frequency.add_frequency(series, plan_.watch.sample_every);
  if (next_ < block.end()) return;
  for (const Made* made_here : {&block.rotation, &block.birkhoff, &block.frequency})
    made_here->write(records_, block.first, std::ssize(block.rows));
  block_.reset();
}

void AveragesMaker::finish() {
  const std::int32_t yes = 1;
  records_.one(made, 0, &yes);
}

std::int64_t averaging_bytes(const Averages& averages, const Plan& plan) {
  constexpr std::int64_t number = sizeof(double);
  const std::int64_t rows = rows_of(plan),
                     states = block_of(plan) * rows * (2 * plan.model.problem->dim() + 1);
  // As they are read and as they are kept; then of one trajectory at a time.
  const std::int64_t turning = averages.rotation ? 4 * rows * number : 0;
  const std::int64_t averaged = std::ssize(averages.birkhoff.names) * rows * number;
  const std::int64_t signals = std::ssize(averages.signals.names) * rows * number +
                               (averages.signals.names.empty() ? 0 : chaos::search_bytes(rows));
  return 2 * states * number + std::max({turning, averaged, signals});
}

}  // namespace cotangent::studies
