// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/averages.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chaos/birkhoff.hpp"
#include "core/names.hpp"
#include "parallel/mpi.hpp"
#include "run/state.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

namespace {

constexpr const char* made = "/indicators/averaged";

/// The states of one trajectory, q then v each, in time's order.
struct Rows {
  std::vector<double> numbers;
  std::size_t width = 0;
  std::size_t count() const { return numbers.size() / width; }
  const double* operator[](std::size_t k) const { return numbers.data() + k * width; }
};

/// Reads the rows of some trajectories at once.
class RowsReader {
 public:
  RowsReader(const Plan& plan, const run::Records& records)
      : plan_(plan),
        records_(records),
        dim_(plan.model.problem->dim()),
        length_(plan.shows_crossings() ? plan.watch.stop.crossings : plan.samples) {}

  /// So many that their numbers are a quarter of a million.
  std::int64_t block() const { return std::max<std::int64_t>((1 << 18) / (2 * dim_ * length_), 1); }

  std::vector<Rows> read(std::int64_t first, std::int64_t count) const {
    std::vector<Rows> all(static_cast<std::size_t>(count), Rows{{}, static_cast<std::size_t>(2 * dim_)});
    const auto numbers = [&](const char* path) { return records_.read_rows<double>(path, first, count); };
    if (plan_.shows_crossings()) {
      const auto used = records_.read_rows<std::int64_t>("/orbits/crossing_count", first, count);
      const auto points = numbers("/section/points");
      for (std::int64_t k = 0; k < count; ++k) {
        const auto begin = points.begin() + k * length_ * 2 * dim_;
        const std::int64_t rows = std::min(used[static_cast<std::size_t>(k)], length_);
        all[static_cast<std::size_t>(k)].numbers.assign(begin, begin + rows * 2 * dim_);
      }
      return all;
    }
    const auto q = numbers("/trajectory/q"), v = numbers("/trajectory/v");
    for (std::int64_t k = 0; k < count; ++k) {
      for (std::int64_t row = 0; row < length_; ++row) {
        const std::int64_t at = (k * length_ + row) * dim_;
        if (!std::isfinite(q[static_cast<std::size_t>(at)])) break;  // unused places
        auto& rows = all[static_cast<std::size_t>(k)].numbers;
        rows.insert(rows.end(), q.begin() + at, q.begin() + at + dim_);
        rows.insert(rows.end(), v.begin() + at, v.begin() + at + dim_);
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
  const std::size_t velocity = rows.width / 2 + rotation.coordinate;
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

}  // namespace

std::optional<Averages> read_averages(Task& task, const Plan& plan, std::vector<std::string>& names) {
  const io::Table table = task.deck.table("indicators");
  const auto asked = [&](const char* name) {
    const auto times = std::erase(names, name);
    if (times > 1) throw table.error("list", "names " + std::string(name) + " twice");
    return times == 1;
  };
  Averages averages;
  if (asked("rotation")) averages.rotation = read_rotation(table, plan);
  if (asked("birkhoff")) {
    if (!plan.shows_crossings() && plan.samples == 0)
      throw table.error("list", "averages are of samples: give [output] every");
    if (!table.has("averages"))
      throw table.error("averages", "what is averaged: { kinetic = \"q1_dot^2/2\" }, say");
    Parts parts(plan.model.problem->variable_names());
    parts.read_what_fits(task.deck.table("model").table("where"));
    const io::Table formulas = table.table("averages");
    for (const std::string& name : formulas.keys()) {
      const std::string text = formulas.text(name);
      try {
        averages.formulas.emplace_back(
            text, parts.substituted(expressions::parse(text, expressions::Language::value, parts.names())));
      } catch (const Error& e) {
        throw formulas.error(name, e.what());
      }
      averages.names.push_back(name);
    }
    if (averages.names.empty()) throw table.error("averages", "names no formula");
  }
  if (!averages.rotation && averages.formulas.empty()) return std::nullopt;
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
  if (!averages.names.empty()) {
    const std::vector<std::int64_t> extent{trajectories, std::ssize(averages.names)};
    sets.push_back({"/indicators/birkhoff",
                    DataType::float64,
                    extent,
                    "1",
                    "weighted averages of the formulas, in their own units",
                    {{"columns", averages.names}}});
    sets.push_back({"/indicators/birkhoff_digits",
                    DataType::float64,
                    extent,
                    "1",
                    digits,
                    {{"columns", averages.names}}});
  }
  return sets;
}

void make_averages(const Averages& averages, const Plan& plan, const Ensemble& ensemble,
                   run::Records& records) {
  parallel::agree([&] { records.sync(); });
  parallel::barrier();
  parallel::agree([&] {
    const RowsReader reader(plan, records);
    const sections::Problem& problem = *plan.model.problem;
    const auto share = run::Share::even(ensemble.size());
    const auto dim = static_cast<std::size_t>(problem.dim());
    std::vector<double> series;
    for (std::int64_t first = share.first; first < share.first + share.count; first += reader.block()) {
      const std::int64_t count = std::min(reader.block(), share.first + share.count - first);
      std::vector<double> rotation, rotation_digits, average, digits;
      const auto add = [&](std::vector<double>& values, std::vector<double>& agreement) {
        values.push_back(chaos::weighted_average(series));
        agreement.push_back(chaos::agreeing_digits(series));
      };
      const auto all = reader.read(first, count);
      for (std::int64_t k = 0; k < count; ++k) {
        const Rows& rows = all[static_cast<std::size_t>(k)];
        if (averages.rotation) {
          series = turns(*averages.rotation, rows);
          add(rotation, rotation_digits);
        }
        if (averages.formulas.empty()) continue;
        const auto parameters = ensemble[first + k].start.parameters;
        std::vector<std::vector<double>> variables;
        for (std::size_t row = 0; row < rows.count(); ++row)
          variables.push_back(problem.variables({rows[row], dim}, {rows[row] + dim, dim}, parameters));
        for (const expressions::Expression& formula : averages.formulas) {
          series.clear();
          for (const auto& values : variables) series.push_back(formula.evaluate(values));
          add(average, digits);
        }
      }
      if (averages.rotation) {
        records.rows("/indicators/rotation", first, count, rotation.data());
        records.rows("/indicators/rotation_digits", first, count, rotation_digits.data());
      }
      if (!averages.formulas.empty()) {
        records.rows("/indicators/birkhoff", first, count, average.data());
        records.rows("/indicators/birkhoff_digits", first, count, digits.data());
      }
    }
    records.sync();
  });
  const std::int32_t yes = 1;
  records.one(made, 0, &yes);
}

bool averages_made(const run::Records& records) {
  return records.read_rows<std::int32_t>(made, 0, 1).front() == 1;
}

}  // namespace cotangent::studies
