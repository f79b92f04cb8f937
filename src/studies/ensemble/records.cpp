// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/records.hpp"

#include <algorithm>
#include <cmath>

#include "chaos/indicators.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/units.hpp"

namespace cotangent::studies {

namespace {

using io::DataSetSpec;
using io::DataType;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Of what `[plot] axes` names; momenta are counted in the model's own units.
std::vector<std::string> axis_units(const Plan& plan) {
  const CoordinateColumns coordinates(plan.model.problem->coordinates());
  const auto names = coordinates.state_names(), units = coordinates.state_units();
  std::vector<std::string> chosen;
  for (const std::string& axis : plan.plot_axes) {
    const auto at = static_cast<std::size_t>(std::ranges::find(names, axis) - names.begin());
    chosen.push_back(at < names.size() ? units[at] : "1");
  }
  return chosen;
}

/// The same of states [rows][q, then v] at these times, a pair for each.
std::vector<double> axis_values(const Plan& plan, const std::vector<double>& parameters,
                                const std::vector<double>& states, const std::vector<double>& times) {
  const sections::Problem& problem = *plan.model.problem;
  const auto dim = static_cast<std::size_t>(problem.dim());
  const auto names = problem.variable_names();
  std::vector<double> pairs;
  for (std::size_t row = 0; row < times.size(); ++row) {
    const std::span<const double> state = std::span(states).subspan(row * 2 * dim, 2 * dim);
    const auto values = problem.variables(state.first(dim), state.last(dim), parameters, times[row]);
    for (const std::string& axis : plan.plot_axes)
      pairs.push_back(values[static_cast<std::size_t>(std::ranges::find(names, axis) - names.begin())]);
  }
  return pairs;
}

/// What the data sets of an ensemble's result are, group by group.
class EnsembleSets {
 public:
  EnsembleSets(const Plan& plan, const Ensemble& ensemble)
      : plan_(plan),
        ensemble_(ensemble),
        problem_(*plan.model.problem),
        n_(ensemble.size()),
        dim_(problem_.dim()),
        columns_(problem_.coordinates()),
        states_(columns_.state_names()),
        state_units_(columns_.state_units()),
        length_(common_unit(columns_.units)) {}

  std::vector<DataSetSpec> of_orbits() const {
    std::vector<std::string> statuses;
    for (const auto name : status_names) statuses.emplace_back(name);
    const auto state = [&](const char* path, const char* meaning) {
      return DataSetSpec{path,         DataType::float64, {n_, 2 * dim_},
                         state_units_, meaning,           {{"columns", states_}}};
    };
    std::vector<DataSetSpec> sets{
        state("/orbits/initial", "state at t = 0: q, then v"),
        state("/orbits/final", "the last good state: q, then v"),
        {"/orbits/status", DataType::int32, {n_}, "1", "how the trajectory ended", {{"names", statuses}}},
        {"/orbits/time", DataType::float64, {n_}, "1", "time of the last good state"},
        {"/orbits/energy", DataType::float64, {n_}, "1", "energy at t = 0"},
        {"/orbits/energy_error",
         DataType::float64,
         {n_},
         "1",
         problem_.worked_on() ? "largest |E - E0 - work| over all steps" : "largest |E - E0| over all steps"},
        {"/orbits/crossing_count", DataType::int64, {n_}, "1", "crossings of the section"},
        {"/orbits/grazing_count", DataType::int64, {n_}, "1", "contacts with the section without a crossing"},
        {"/orbits/steps", DataType::int64, {n_}, "1", "steps taken"}};
    if (problem_.multipliers() > 0) {
      const bool rolls = problem_.rolling() > 0;
      sets.push_back({"/orbits/constraint_error",
                      DataType::float64,
                      {n_},
                      rolls ? "1" : length_,
                      rolls ? "largest |g| / |grad g|, or |r| / |dr/dv| of what rolls, over all steps"
                            : "largest |g| / |grad g| over all steps"});
    }
    const auto parameters = ensemble_.parameter_columns();
    sets.push_back({"/orbits/parameters",
                    DataType::float64,
                    {n_, std::ssize(parameters)},
                    parameter_units(problem_.parameters(), parameters),
                    "what varies over the ensemble: model parameters and energy",
                    {{"columns", parameters}}});
    return sets;
  }

  std::vector<DataSetSpec> of_section() const {
    const std::int64_t m = plan_.watch.stop.crossings;
    std::vector<DataSetSpec> sets{{"/section/points",
                                   DataType::float64,
                                   {n_, m, 2 * dim_},
                                   state_units_,
                                   "states on the section, unused places NaN",
                                   {{"columns", states_}},
                                   true}};
    if (!plan_.plot_axes.empty())
      sets.push_back({"/section/plot",
                      DataType::float64,
                      {n_, m, 2},
                      axis_units(plan_),
                      "what [plot] axes names at the crossings, unused places NaN",
                      {{"columns", plan_.plot_axes}}});
    sets.push_back(
        {"/section/time", DataType::float64, {n_, m}, "1", "times of the crossings, unused places NaN"});
    return sets;
  }

  std::vector<DataSetSpec> of_collisions() const {
    const std::int64_t m = plan_.collisions;
    std::vector<DataSetSpec> sets{
        {"/collisions/time", DataType::float64, {n_, m}, "1", "times, unused places NaN"},
        of_positions("/collisions/point", m, "where"),
        of_velocities("/collisions/velocity", m, "velocities afterwards"),
        {"/collisions/wall",
         DataType::int32,
         {n_, m},
         "1",
         "the set whose wall was hit, unused places -1",
         {{"names", plan_.walls}}}};
    if (plan_.birkhoff) {
      sets.push_back({"/collisions/arc",
                      DataType::float64,
                      {n_, m},
                      length_,
                      "arc length along /domain/outline; NaN beyond it"});
      sets.push_back({"/collisions/tangential",
                      DataType::float64,
                      {n_, m},
                      "1",
                      "velocity along the outline afterwards, over the speed"});
    }
    return sets;
  }

  std::vector<DataSetSpec> of_trajectory() const {
    const std::int64_t m = plan_.samples;
    std::vector<DataSetSpec> sets{
        {"/trajectory/time", DataType::float64, {m}, "1", "times of the samples"},
        of_positions("/trajectory/q", m, "coordinates"),
        of_velocities("/trajectory/v", m, "velocities"),
        {"/trajectory/energy", DataType::float64, {n_, m}, "1", "energy of the samples"}};
    if (problem_.multipliers() > 0)
      sets.push_back({"/trajectory/multiplier",
                      DataType::float64,
                      {n_, m, problem_.multipliers()},
                      "1",
                      problem_.rolling() == 0 ? "Lagrange multipliers: M q'' = L_q + sum_k lambda_k grad g_k"
                                              : "Lagrange multipliers of grad g_k, then of dr_k/dv"});
    return sets;
  }

 private:
  DataSetSpec of_positions(const char* path, std::int64_t rows, const char* meaning) const {
    return {path, DataType::float64, {n_, rows, dim_}, columns_.units, meaning, {{"columns", columns_.names}},
            true};
  }
  DataSetSpec of_velocities(const char* path, std::int64_t rows, const char* meaning) const {
    return {path,
            DataType::float64,
            {n_, rows, dim_},
            columns_.velocity_units,
            meaning,
            {{"columns", columns_.velocity_names}},
            true};
  }

  const Plan& plan_;
  const Ensemble& ensemble_;
  const sections::Problem& problem_;
  std::int64_t n_, dim_;
  CoordinateColumns columns_;
  std::vector<std::string> states_, state_units_;
  std::string length_;
};

}  // namespace

std::vector<io::DataSetSpec> data_sets(const Plan& plan, const Ensemble& ensemble) {
  const EnsembleSets sets(plan, ensemble);
  std::vector<io::DataSetSpec> all = sets.of_orbits();
  const auto add = [&](const std::vector<io::DataSetSpec>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  if (plan.shows_crossings()) add(sets.of_section());
  if (plan.collisions > 0) add(sets.of_collisions());
  add(plan.tallies);
  if (plan.samples > 0) add(sets.of_trajectory());
  return all;
}

std::int64_t block_size(const Plan& plan, const Ensemble& ensemble) {
  // Of rows that are long, histories of many numbers, so many that a block takes 4 MB.
  std::int64_t numbers = 1;
  for (const auto& tally : plan.tallies)
    numbers += tally.elements() / std::max<std::int64_t>(ensemble.size(), 1);
  const std::int64_t most = std::clamp<std::int64_t>((1 << 19) / numbers, 1, 4096);
  return std::clamp<std::int64_t>(ensemble.size() / (64 * parallel::size()), 1, most);
}

EnsembleRecords::EnsembleRecords(const Plan& plan, const Ensemble& ensemble, run::Records& records)
    : plan_(plan),
      ensemble_(ensemble),
      dim_(plan.model.problem->dim()),
      constraints_(plan.model.problem->multipliers()),
      parameter_count_(static_cast<std::int64_t>(ensemble.parameter_columns().size())),
      records_(records) {
  for (const auto& tally : plan.tallies)
    tally_count_ += tally.elements() / std::max<std::int64_t>(ensemble.size(), 1);
}

Block EnsembleRecords::block(std::int64_t first, std::int64_t count, bool resumed) const {
  Block block;
  block.first = first;
  block.count = block.open = count;
  const auto n = static_cast<std::size_t>(count), d = static_cast<std::size_t>(2 * dim_);
  block.done.assign(n, 0);
  block.initial.assign(n * d, 0);
  block.final.assign(n * d, 0);
  block.parameters.assign(n * static_cast<std::size_t>(parameter_count_), 0);
  block.tallies.assign(n * static_cast<std::size_t>(tally_count_), 0);
  for (auto* numbers : {&block.time, &block.energy, &block.energy_error, &block.constraint_error})
    numbers->assign(n, 0);
  for (auto* numbers : {&block.crossings, &block.grazing, &block.steps}) numbers->assign(n, 0);
  block.status.assign(n, 0);
  if (resumed) block.status = records_.read_rows<std::int32_t>("/orbits/status", first, count);
  return block;
}

void EnsembleRecords::begin(Block& block, const EnsembleStart& start) const {
  const std::int64_t row = start.start.id - block.first;
  std::copy(start.start.q.begin(), start.start.q.end(), block.initial.begin() + row * 2 * dim_);
  std::copy(start.start.v.begin(), start.start.v.end(), block.initial.begin() + row * 2 * dim_ + dim_);
  const auto parameters = ensemble_.parameter_row(start.start.id);
  std::copy(parameters.begin(), parameters.end(), block.parameters.begin() + row * parameter_count_);
}

void EnsembleRecords::land(Block& block, sections::TrajectoryRecord& flown) {
  flush(flown);
  pad(flown);
  const std::int64_t row = flown.id - block.first;
  const auto at = static_cast<std::size_t>(row);
  std::copy(flown.q.begin(), flown.q.end(), block.final.begin() + row * 2 * dim_);
  std::copy(flown.v.begin(), flown.v.end(), block.final.begin() + row * 2 * dim_ + dim_);
  if (flown.tallies.empty()) flown.tallies.assign(static_cast<std::size_t>(tally_count_), nan);  // never flew
  if (plan_.watch.growth && !is_whole(flown.status)) {
    // Chaos can be known before the end, regular motion can't: not of what failed, nor of what left.
    constexpr auto regular = static_cast<double>(chaos::Verdict::regular);
    if (flown.tallies.front() == regular)
      flown.tallies.front() = static_cast<double>(chaos::Verdict::undecided);
  }
  std::copy(flown.tallies.begin(), flown.tallies.end(), block.tallies.begin() + row * tally_count_);
  block.time[at] = flown.t;
  block.energy[at] = flown.energy;
  block.energy_error[at] = flown.energy_error;
  block.constraint_error[at] = flown.constraint_error;
  block.crossings[at] = flown.crossing_count;
  block.grazing[at] = flown.grazing_count;
  block.steps[at] = flown.steps;
  block.status[at] = static_cast<std::int32_t>(flown.status);
  block.done[at] = 1;
}

/// The status is marked to be written after all else (Turn::last): it tells that the other rows are there.
void EnsembleRecords::write(Block& block) {
  for (std::int64_t first = 0; first < block.count;) {
    std::int64_t last = first;
    while (last < block.count && block.done[static_cast<std::size_t>(last)]) ++last;
    if (last == first) {
      ++first;
      continue;
    }
    const std::int64_t count = last - first, row = block.first + first;
    const auto put = [&](const char* path, const auto& values, std::int64_t width) {
      if (width > 0) records_.rows(path, row, count, values.data() + first * width);
    };
    put("/orbits/initial", block.initial, 2 * dim_);
    put("/orbits/final", block.final, 2 * dim_);
    put("/orbits/time", block.time, 1);
    put("/orbits/energy", block.energy, 1);
    put("/orbits/energy_error", block.energy_error, 1);
    if (constraints_ > 0) put("/orbits/constraint_error", block.constraint_error, 1);
    put("/orbits/crossing_count", block.crossings, 1);
    put("/orbits/grazing_count", block.grazing, 1);
    put("/orbits/steps", block.steps, 1);
    put("/orbits/parameters", block.parameters, parameter_count_);
    std::int64_t column = 0;
    for (const auto& tally : plan_.tallies) {
      const std::int64_t width = tally.elements() / ensemble_.size();
      std::vector<double> rows;
      for (std::int64_t k = first; k < last; ++k) {
        const auto begin = block.tallies.begin() + k * tally_count_ + column;
        rows.insert(rows.end(), begin, begin + width);
      }
      records_.rows(tally.path, row, count, rows.data());
      column += width;
    }
    records_.rows("/orbits/status", row, count, block.status.data() + first, io::Turn::last);
    std::fill(block.done.begin() + first, block.done.begin() + last, 0);
    first = last;
  }
}

void EnsembleRecords::flush(sections::TrajectoryRecord& flown) {
  if (flown.crossings.count() == 0 && flown.samples.count() == 0) return;
  if (auto& rows = flown.crossings; rows.count() > 0) {
    const bool hits =
        plan_.collisions > 0;  // collisions of a billiard; no more are kept than the deck asks for
    const std::int64_t all = hits ? std::min(flown.crossing_count, plan_.collisions) : flown.crossing_count,
                       first = all - static_cast<std::int64_t>(rows.count());
    if (hits) {
      put("/collisions/time", flown.id, first, rows.time);
      put("/collisions/point", flown.id, first, rows.q, dim_);
      put("/collisions/velocity", flown.id, first, rows.v, dim_);
      put("/collisions/wall", flown.id, first, rows.wall);
      if (plan_.birkhoff) {
        put("/collisions/arc", flown.id, first, rows.arc);
        put("/collisions/tangential", flown.id, first, rows.tangential);
      }
    } else {
      put("/section/time", flown.id, first, rows.time);
      put("/section/points", flown.id, first, rows.state, 2 * dim_);
      if (!plan_.plot_axes.empty())
        put("/section/plot", flown.id, first,
            axis_values(plan_, ensemble_.parameters(flown.id), rows.state, rows.time), 2);
    }
    rows.clear();
  }
  if (auto& rows = flown.samples; rows.count() > 0) {
    const std::int64_t first = flown.sample_count - static_cast<std::int64_t>(rows.count());
    put("/trajectory/q", flown.id, first, rows.q, dim_);
    put("/trajectory/v", flown.id, first, rows.v, dim_);
    put("/trajectory/energy", flown.id, first, rows.energy);
    if (constraints_ > 0) put("/trajectory/multiplier", flown.id, first, rows.multiplier, constraints_);
    rows.clear();
  }
}

/// Fills with NaN (walls: -1) the crossings and samples that a trajectory had room for and didn't reach.
void EnsembleRecords::pad(const sections::TrajectoryRecord& flown) {
  if (!plan_.shows_crossings() && plan_.collisions == 0 && plan_.samples == 0) return;
  const auto fill = [&](const char* path, auto nothing, std::int64_t used, std::int64_t all,
                        std::int64_t width = 0) {
    const std::int64_t each = std::max<std::int64_t>(width, 1),
                       chunk = std::max<std::int64_t>(4096 / each, 1);
    for (std::int64_t first = used; first < all; first += chunk) {
      const auto numbers = static_cast<std::size_t>(std::min(chunk, all - first) * each);
      put(path, flown.id, first, std::vector(numbers, nothing), width);
    }
  };
  if (plan_.shows_crossings()) {
    fill("/section/time", nan, flown.crossing_count, plan_.watch.stop.crossings);
    fill("/section/points", nan, flown.crossing_count, plan_.watch.stop.crossings, 2 * dim_);
    if (!plan_.plot_axes.empty())
      fill("/section/plot", nan, flown.crossing_count, plan_.watch.stop.crossings, 2);
  }
  if (plan_.collisions > 0) {
    const std::int64_t used = std::min(flown.crossing_count, plan_.collisions);
    fill("/collisions/time", nan, used, plan_.collisions);
    fill("/collisions/point", nan, used, plan_.collisions, dim_);
    fill("/collisions/velocity", nan, used, plan_.collisions, dim_);
    fill("/collisions/wall", std::int32_t{-1}, used, plan_.collisions);
    if (plan_.birkhoff) {
      fill("/collisions/arc", nan, used, plan_.collisions);
      fill("/collisions/tangential", nan, used, plan_.collisions);
    }
  }
  if (plan_.samples > 0) {
    fill("/trajectory/q", nan, flown.sample_count, plan_.samples, dim_);
    fill("/trajectory/v", nan, flown.sample_count, plan_.samples, dim_);
    fill("/trajectory/energy", nan, flown.sample_count, plan_.samples);
    if (constraints_ > 0)
      fill("/trajectory/multiplier", nan, flown.sample_count, plan_.samples, constraints_);
  }
}

template <class Number>
void EnsembleRecords::put(const char* path, std::int64_t id, std::int64_t first,
                          const std::vector<Number>& values, std::int64_t width) {
  const std::int64_t count = std::ssize(values) / std::max<std::int64_t>(width, 1);
  const std::array<std::int64_t, 3> offset{id, first, 0}, extent{1, count, width};
  const std::size_t axes = width > 0 ? 3 : 2;
  records_.slab(path, std::span(offset).first(axes), std::span(extent).first(axes), values.data());
}

}  // namespace cotangent::studies
