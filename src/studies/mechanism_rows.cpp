#include "studies/mechanism_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "core/names.hpp"
#include "parallel/mpi.hpp"
#include "studies/surface.hpp"

namespace cotangent::studies {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

int at(const io::ResultFile& result, const char* name) {
  return result.data_set(std::string("/particles/") + name);
}

}  // namespace

template <int D>
MechanismRows<D>::MechanismRows(const MechanismPlan& plan, const particles::RodBlock<D>& block)
    : plan_(plan), block_(block) {
  const auto here = static_cast<std::size_t>(parallel::rank());
  std::vector<std::int64_t> count(static_cast<std::size_t>(parallel::size()), 0);
  for (int k = 0; k < block.own_count(); ++k) count[here] += joins(k);
  count = parallel::sum(std::move(count));
  rod_count_ = std::accumulate(count.begin(), count.end(), std::int64_t{0});
  first_rod_ = std::accumulate(count.begin(), count.begin() + parallel::rank(), std::int64_t{0});
  for (int i = 0; i < block.point_count(); ++i) {
    if (!block.owns_point(i)) continue;
    const bool goes_on = !runs_.empty() && runs_.back().end == i && block.point(i) == block.point(i - 1) + 1;
    if (goes_on)
      ++runs_.back().end;
    else
      runs_.push_back({i, i + 1});
  }
}

template <int D>
std::vector<io::DataSetSpec> MechanismRows<D>::data_sets() const {
  using io::DataType;
  const std::int64_t m = plan_.samples, n = block_.point_runs().count, k = rod_count_;
  std::vector<std::string> axes{"x", "y", "z"}, statuses;
  axes.erase(axes.begin() + (D == 2 ? 1 : 3), axes.end());
  if (D == 2) axes.emplace_back("y");
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
       {{"columns", axes}}},
      {"/particles/velocity", DataType::float64, {m, n, D}, "1", "velocities", {{"columns", axes}}},
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
                     "multipliers of the surface g = 0 at each point: times -grad g they are the "
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
void MechanismRows<D>::write_start(io::ResultFile& result) const {
  for (const Run& run : runs_) {
    std::vector<double> mass;
    for (int i = run.begin; i < run.end; ++i) mass.push_back(block_.mass(i));
    result.write_rows(at(result, "mass"), block_.point(run.begin), std::ssize(mass), mass.data());
  }
  std::vector<std::int64_t> ends;
  for (int k = 0; k < block_.own_count(); ++k) {
    const int rod = block_.own_begin() + k;
    if (joins(k)) ends.insert(ends.end(), {block_.point(block_.first_end(rod)), block_.point(block_.second_end(rod))});
  }
  result.write_rows(at(result, "ends"), first_rod_, std::ssize(ends) / 2, ends.data());
  if (plan_.surface && parallel::rank() == 0) studies::write(result, *plan_.surface);
}

template <int D>
void MechanismRows<D>::write(io::ResultFile& result, std::int64_t row, const Scalars& scalars,
                             const std::vector<double>& multipliers) const {
  write_points(result, row, true);
  write_multipliers(result, row, multipliers);
  write_scalars(result, row, scalars);
}

template <int D>
void MechanismRows<D>::write_nothing(io::ResultFile& result, std::int64_t row) const {
  write_points(result, row, false);
  write_multipliers(result, row, std::vector<double>(static_cast<std::size_t>(block_.own_count()), nan));
  write_scalars(result, row, {nan, {nan, nan, nan}, nan, nan});
}

template <int D>
void MechanismRows<D>::write_scalars(io::ResultFile& result, std::int64_t row, const Scalars& scalars) const {
  if (parallel::rank() != 0) return;
  result.write_rows(at(result, "time"), row, 1, &scalars.time);
  result.write_rows(at(result, "energy"), row, 1, scalars.energy);
  result.write_rows(at(result, "constraint_error"), row, 1, &scalars.error);
  if (plan_.options.pairs.kernel != nullptr)
    result.write_rows(at(result, "pair_energy"), row, 1, &scalars.pair_energy);
}

/// Those of this rank's rods, which are a run of all, and of its holds, in the order of the points.
template <int D>
void MechanismRows<D>::write_multipliers(io::ResultFile& result, std::int64_t row,
                                         const std::vector<double>& values) const {
  std::vector<double> rods;
  std::map<std::int64_t, double> holds;
  for (int k = 0; k < block_.own_count(); ++k) {
    const double value = values[static_cast<std::size_t>(k)];
    if (joins(k)) {
      rods.push_back(value);
    } else {
      holds[block_.point(block_.first_end(block_.own_begin() + k))] = value;
    }
  }
  const auto put = [&](const char* name, std::int64_t first, const std::vector<double>& run) {
    const std::int64_t offset[2] = {row, first}, count[2] = {1, std::ssize(run)};
    result.write(at(result, name), offset, count, run.data());
  };
  put("multiplier", first_rod_, rods);
  for (auto next = holds.begin(); next != holds.end();) {
    const std::int64_t first = next->first;
    std::vector<double> run;
    for (; next != holds.end() && next->first == first + std::ssize(run); ++next) run.push_back(next->second);
    put("hold", first, run);
  }
}

template <int D>
void MechanismRows<D>::write_points(io::ResultFile& result, std::int64_t row, bool reached) const {
  const auto put = [&](const char* name, const typename particles::RodBlock<D>::Field& field, const Run& run) {
    const std::int64_t offset[3] = {row, block_.point(run.begin), 0}, count[3] = {1, run.end - run.begin, D};
    std::vector<double> rows;
    rows.reserve(static_cast<std::size_t>(count[1] * D));
    for (int i = run.begin; i < run.end; ++i) {
      for (const auto& part : field) rows.push_back(reached ? part[static_cast<std::size_t>(i)] : nan);
    }
    result.write(at(result, name), offset, count, rows.data());
  };
  for (const Run& run : runs_) {
    put("position", block_.position, run);
    put("velocity", block_.velocity, run);
  }
}

template class MechanismRows<2>;
template class MechanismRows<3>;

}  // namespace cotangent::studies
