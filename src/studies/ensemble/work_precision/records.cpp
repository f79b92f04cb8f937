// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/work_precision/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "parallel/mpi.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Columns of which the largest value over all starts is stored; NaN doesn't count.
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

/// Units of orbit time in a second.
double rate(const Comparison& c, const Verdict& v, double seconds) {
  return static_cast<double>(v.arrived) * c.time / seconds;
}

}  // namespace

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

std::vector<io::DataSetSpec> comparison_data_sets(const Comparison& c) {
  using io::DataType;
  const std::int64_t m = c.rows(), n = std::ssize(c.starts), dim = c.model.problem->dim();
  const CoordinateColumns coordinates(c.model.problem->coordinates());
  const std::vector<std::string> columns = coordinates.state_names(), state_units = coordinates.state_units();
  const std::string length = common_unit(coordinates.units);
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
      {"/comparison/energy_error",
       DataType::float64,
       {m},
       "1",
       c.model.problem->worked_on() ? "largest |E - E0 - work| over all steps and starts"
                                    : "largest |E - E0| over all steps and starts"},
      {"/comparison/constraint_error",
       DataType::float64,
       {m},
       length,
       "largest |g| / |grad g| over all steps and starts, a length"},
      {"/comparison/energy_drift",
       DataType::float64,
       {m},
       "1",
       "slope in time of the maxima of |E - E0| over 32 intervals, that of the start where it is steepest"},
      {"/comparison/position_error",
       DataType::float64,
       {m},
       length,
       "largest distance |q - q_reference| at the end"},
      {"/comparison/order",
       DataType::float64,
       {m},
       "1",
       "order by the position error of this step and the one before; NaN for the first"},
      {"/comparison/reference_error",
       DataType::float64,
       {},
       length,
       "largest distance at the end between the reference and the same with twice its step"},
      {"/comparison/initial",
       DataType::float64,
       {n, 2 * dim},
       state_units,
       "states at t = 0: q, then v",
       {{"columns", columns}}},
      {"/comparison/reference",
       DataType::float64,
       {n, 2 * dim},
       state_units,
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

void enter_verdicts(run::Records& records, const Comparison& c, const std::vector<Verdict>& all,
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

std::string comparison_table(const Comparison& c, const std::vector<Verdict>& all,
                             const std::vector<double>& seconds) {
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

void enter_starts(run::Records& records, const Comparison& c, const ShownRows& shown) {
  const auto dim = static_cast<std::size_t>(c.model.problem->dim());
  for (std::int64_t k = 0; k < shown.count; ++k) {
    const auto id = c.starts[static_cast<std::size_t>(shown.first + k)];
    const sections::Start start = (*c.ensemble)[id].start;
    std::vector<double> initial = start.q;
    initial.insert(initial.end(), start.v.begin(), start.v.end());
    const double* end = shown.row(1, k) + Row::state;
    records.rows("/comparison/initial", shown.first + k, 1, initial.data());
    records.rows("/comparison/reference", shown.first + k, 1, std::vector(end, end + 2 * dim).data());
  }
}

}  // namespace cotangent::studies
