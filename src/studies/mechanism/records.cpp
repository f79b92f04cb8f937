// SPDX-License-Identifier: BSD-3-Clause
#include "studies/mechanism/records.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "core/names.hpp"
#include "parallel/mpi.hpp"
#include "studies/program/surface.hpp"

namespace cotangent::studies {

template <int D>
MechanismRecords<D>::MechanismRecords(const MechanismPlan& plan, rods::RodRattle<D>& rattle)
    : plan_(plan), rattle_(rattle), block_(rattle.block()) {
  const auto here = static_cast<std::size_t>(parallel::rank());
  std::vector<std::int64_t> count(static_cast<std::size_t>(parallel::size()), 0);
  for (int k = 0; k < block_.own_count(); ++k) count[here] += joins(k);
  count = parallel::sum(std::move(count));
  rod_count_ = std::accumulate(count.begin(), count.end(), std::int64_t{0});
  first_rod_ = std::accumulate(count.begin(), count.begin() + parallel::rank(), std::int64_t{0});
  for (int i = 0; i < block_.point_count(); ++i) {
    if (!block_.owns_point(i)) continue;
    const bool goes_on =
        !runs_.empty() && runs_.back().end == i && block_.point(i) == block_.point(i - 1) + 1;
    if (goes_on)
      ++runs_.back().end;
    else
      runs_.push_back({i, i + 1});
  }
}

template <int D>
std::vector<io::DataSetSpec> MechanismRecords<D>::data_sets() const {
  using io::DataType;
  const std::int64_t m = plan_.samples, n = block_.point_runs().count(), k = rod_count_;
  std::vector<std::string> axes{"x", "y", "z"}, statuses;
  axes.resize(D);
  for (const auto name : status_names) statuses.emplace_back(name);
  std::vector<io::DataSetSpec> specs{
      {"/particles/time",
       DataType::float64,
       {m},
       "1",
       "times of the samples; where the run failed, the last is that of the last good state, and the rest "
       "NaN"},
      {"/particles/position",
       DataType::float64,
       {m, n, D},
       "1",
       "points, fixed ones too",
       {{"columns", axes}},
       true},
      {"/particles/velocity", DataType::float64, {m, n, D}, "1", "velocities", {{"columns", axes}}, true},
      {"/particles/energy",
       DataType::float64,
       {m, 3},
       "1",
       "energy",
       {{"columns", {"kinetic", "potential", "total"}}}},
      {"/particles/constraint_error",
       DataType::float64,
       {m},
       "1",
       "largest |g| / |grad g| of any rod, a length"},
      {"/particles/multiplier",
       DataType::float64,
       {m, k},
       "1",
       "multipliers of |a - b|^2 = l^2 at this instant: -2 l times it is the tension of a rod"},
      {"/particles/mass", DataType::float64, {n}, "1", "masses, infinite for points that are fixed"},
      {"/particles/ends", DataType::int64, {k, 2}, "1", "the two points that each rod joins"},
      {"/particles/status", DataType::int32, {1}, "1", "how the motion ended", {{"names", statuses}}},
      {"/particles/worst",
       DataType::float64,
       {3},
       "1",
       "over all samples and steps",
       {{"columns", {"energy_error", "constraint_error", "velocity_error"}}}}};
  if (block_.surface()) {
    specs.push_back({"/particles/hold",
                     DataType::float64,
                     {m, n},
                     "1",
                     "multipliers of the surface g = 0 at each point: times grad g they are the "
                     "force that holds it; 0 where it is fixed"});
  }
  if (plan_.options.pairs.kernel != nullptr) {
    specs.push_back({"/particles/pair_energy",
                     DataType::float64,
                     {m},
                     "1",
                     "that of all pairs; it is part of the potential energy"});
  }
  if (plan_.surface) {
    const auto sets = studies::data_sets(*plan_.surface, "1");
    specs.insert(specs.end(), sets.begin(), sets.end());
  }
  return specs;
}

template <int D>
void MechanismRecords<D>::write_start(run::Records& records) const {
  for (const Run& run : runs_) {
    std::vector<double> mass;
    for (int i = run.begin; i < run.end; ++i) mass.push_back(block_.mass(i));
    records.rows("/particles/mass", block_.point(run.begin), std::ssize(mass), mass.data());
  }
  std::vector<std::int64_t> ends;
  for (int k = 0; k < block_.own_count(); ++k) {
    const int rod = block_.own_begin() + k;
    if (joins(k))
      ends.insert(ends.end(), {block_.point(block_.first_end(rod)), block_.point(block_.second_end(rod))});
  }
  records.rows("/particles/ends", first_rod_, std::ssize(ends) / 2, ends.data());
  if (plan_.surface && parallel::rank() == 0) studies::write(records, *plan_.surface);
}

template <int D>
void MechanismRecords<D>::observe() {
  worst_[1] = std::max(worst_[1], rattle_.constraint_error());
  worst_[2] = std::max(worst_[2], rattle_.velocity_error());
}

template <int D>
void MechanismRecords<D>::sample(run::Records& records, std::int64_t row) {
  const std::vector<double> multipliers = rattle_.multipliers();
  const double kinetic = rattle_.kinetic_energy(), potential = rattle_.potential_energy();
  const double energy[3] = {kinetic, potential, kinetic + potential};
  if (std::isnan(start_energy_)) start_energy_ = energy[2];
  worst_[0] = std::max(worst_[0], std::abs(energy[2] - start_energy_));
  if (row >= plan_.samples) return;
  records.one("/particles/time", row, rattle_.time());
  records.one("/particles/energy", row, energy);
  records.one("/particles/constraint_error", row, rattle_.constraint_error());
  if (plan_.options.pairs.kernel != nullptr)
    records.one("/particles/pair_energy", row, rattle_.pair_energy());
  write_points(records, "/particles/position", row, block_.position);
  write_points(records, "/particles/velocity", row, block_.velocity);
  write_multipliers(records, row, multipliers);
}

template <int D>
void MechanismRecords<D>::finish(run::Records& records, Status status, std::int64_t reached) const {
  if (is_failure(status)) {
    for (const char* name : {"time", "position", "velocity", "energy", "constraint_error", "multiplier"})
      records.blank_from(std::string("/particles/") + name, reached + 1);
    if (block_.surface()) records.blank_from("/particles/hold", reached + 1);
    if (plan_.options.pairs.kernel != nullptr) records.blank_from("/particles/pair_energy", reached + 1);
  }
  const auto code = static_cast<std::int32_t>(status);
  records.one("/particles/status", 0, &code, io::Turn::last);
  if (parallel::rank() == 0) records.rows("/particles/worst", 0, 3, worst_.data());
}

template <int D>
void MechanismRecords<D>::visit(run::StateFields& state, rods::RodMemory& memory) {
  const run::Share points{block_.point_runs().count(), 0, block_.reported_count(),
                          std::make_shared<const std::vector<std::int64_t>>(block_.reported())};
  const run::Share rods{block_.rod_runs().count(), block_.first_rod(), block_.own_count(), nullptr};
  state.number("step", memory.steps);
  state.number("newton_iterations", memory.newton_iterations);
  state.number("linear_solves", memory.linear_solves);
  state.number("linear_iterations", memory.linear_iterations);
  state.number("constraint_error", memory.constraint_error);
  state.number("velocity_error", memory.velocity_error);
  state.number("start_energy", start_energy_);
  state.numbers("worst", std::span(worst_));
  state.rows("position", points, D, memory.position);
  state.rows("velocity", points, D, memory.velocity);
  state.rows("multiplier", rods, 1, memory.last);
  state.rows("multiplier_before", rods, 1, memory.before);
}

template <int D>
std::vector<run::Line> MechanismRecords<D>::describe(Status status, std::int64_t resumed_at,
                                                     double seconds) const {
  const auto& effort = rattle_.effort();
  const double steps = static_cast<double>(std::max<std::int64_t>(effort.steps, 1));
  std::string how = fmt::format("{}, {} to t = {:.6g}", rod_count_, name(status), rattle_.time());
  if (is_failure(status)) how += ": " + rattle_.failure() + "; a smaller step may go on";
  std::string counts = fmt::format("{}, {:.2f} Newton iterations and {:.2f} linear solves a step",
                                   effort.steps, static_cast<double>(effort.newton_iterations) / steps,
                                   static_cast<double>(effort.linear_solves) / steps);
  if (plan_.pairs.kernel)
    counts += fmt::format("; {:.3g} point-steps a second, neighbours listed {} times",
                          static_cast<double>((effort.steps - resumed_at) * block_.point_runs().count()) /
                              std::max(seconds, 1e-9),
                          rattle_.lists());
  return {{"rods", how},
          {"steps", counts},
          {"multipliers", rattle_.solver()},
          {"energy error", fmt::format("{:.3g} at worst, in the samples", worst_[0])},
          {"constraint error", fmt::format("{:.3g} at worst, a length", worst_[1])},
          {"velocity error", fmt::format("{:.3g} at worst, of the largest speed", worst_[2])}};
}

/// Those of this rank's rods, which are a run of all, and of its holds, in the order of the points.
template <int D>
void MechanismRecords<D>::write_multipliers(run::Records& records, std::int64_t row,
                                            const std::vector<double>& values) const {
  std::vector<double> rods;
  std::vector<std::pair<std::int64_t, double>> holds;
  for (int k = 0; k < block_.own_count(); ++k) {
    const double value = values[static_cast<std::size_t>(k)];
    if (joins(k)) {
      rods.push_back(value);
    } else {
      holds.emplace_back(block_.point(block_.first_end(block_.own_begin() + k)), value);
    }
  }
  const auto put = [&](const char* path, std::int64_t first, const std::vector<double>& run) {
    const std::int64_t offset[2] = {row, first}, count[2] = {1, std::ssize(run)};
    records.slab(path, offset, count, run.data());
  };
  put("/particles/multiplier", first_rod_, rods);
  std::ranges::sort(holds);
  for (auto next = holds.begin(); next != holds.end();) {
    const std::int64_t first = next->first;
    std::vector<double> run;
    for (; next != holds.end() && next->first == first + std::ssize(run); ++next) run.push_back(next->second);
    put("/particles/hold", first, run);
  }
}

template <int D>
void MechanismRecords<D>::write_points(run::Records& records, const char* path, std::int64_t row,
                                       const typename rods::RodBlock<D>::PointVectors& field) const {
  for (const Run& run : runs_) {
    const std::int64_t offset[3] = {row, block_.point(run.begin), 0}, count[3] = {1, run.end - run.begin, D};
    std::vector<double> rows;
    rows.reserve(static_cast<std::size_t>(count[1] * D));
    for (auto i = static_cast<std::size_t>(run.begin); i < static_cast<std::size_t>(run.end); ++i) {
      for (const auto& part : field) rows.push_back(part[i]);
    }
    records.slab(path, offset, count, rows.data());
  }
}

template class MechanismRecords<2>;
template class MechanismRecords<3>;

}  // namespace cotangent::studies
