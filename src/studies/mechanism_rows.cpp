#include "studies/mechanism_rows.hpp"

#include <algorithm>
#include <limits>
#include <map>

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
MechanismRows<D>::MechanismRows(const MechanismPlan& plan, const particles::RodSystem<D>& rods,
                                const particles::RodBlock<D>& block)
    : plan_(plan), rods_(rods), block_(block) {
  const auto joins = [](const auto& rod) { return !rod.holds(); };
  rod_count_ = std::ranges::count_if(rods.rods, joins);
  first_rod_ = std::count_if(rods.rods.begin(), rods.rods.begin() + block.first_rod(), joins);
}

template <int D>
std::vector<io::DataSetSpec> MechanismRows<D>::data_sets() const {
  using io::DataType;
  const std::int64_t m = plan_.samples, n = std::ssize(rods_.mass), k = rod_count_;
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
  if (rods_.surface) {
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
  result.write_rows(at(result, "mass"), 0, std::ssize(rods_.mass), rods_.mass.data());
  std::vector<std::int64_t> ends;
  for (const auto& rod : rods_.rods) {
    if (!rod.holds()) ends.insert(ends.end(), {rod.first, rod.second});
  }
  result.write_rows(at(result, "ends"), 0, rod_count_, ends.data());
  if (plan_.surface) studies::write(result, *plan_.surface);
}

template <int D>
void MechanismRows<D>::write(io::ResultFile& result, std::int64_t row, const Scalars& scalars,
                             const std::vector<double>& multipliers) const {
  write_points(result, row);
  write_multipliers(result, row, multipliers);
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
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto& rod = rods_.rods[static_cast<std::size_t>(block_.first_rod()) + k];
    if (rod.holds()) {
      holds[rod.first] = values[k];
    } else {
      rods.push_back(values[k]);
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

/// Runs of points with consecutive numbers go to the file together.
template <int D>
void MechanismRows<D>::write_points(io::ResultFile& result, std::int64_t row) const {
  const auto& block = block_;
  for (int i = 0; i < block.point_count();) {
    if (!block.owns_point(i)) {
      ++i;
      continue;
    }
    const std::int64_t first = block.point(i);
    std::vector<double> position, velocity;
    for (;
         i < block.point_count() && block.owns_point(i) && block.point(i) == first + std::ssize(position) / D;
         ++i) {
      for (int d = 0; d < D; ++d) {
        position.push_back(block.position[d][static_cast<std::size_t>(i)]);
        velocity.push_back(block.velocity[d][static_cast<std::size_t>(i)]);
      }
    }
    const std::int64_t offset[3] = {row, first, 0}, count[3] = {1, std::ssize(position) / D, D};
    result.write(at(result, "position"), offset, count, position.data());
    result.write(at(result, "velocity"), offset, count, velocity.data());
  }
}

template <int D>
void MechanismRows<D>::write_nothing(io::ResultFile& result, std::int64_t row) const {
  if (parallel::rank() != 0) return;
  const std::vector<double> blank(std::max(D * rods_.mass.size(), rods_.rods.size()), nan);
  if (rods_.surface) result.write_rows(at(result, "hold"), row, 1, blank.data());
  if (plan_.options.pairs.kernel != nullptr)
    result.write_rows(at(result, "pair_energy"), row, 1, blank.data());
  for (const char* name : {"time", "position", "velocity", "energy", "constraint_error", "multiplier"})
    result.write_rows(at(result, name), row, 1, blank.data());
}

template class MechanismRows<2>;
template class MechanismRows<3>;

}  // namespace cotangent::studies
