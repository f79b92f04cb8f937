// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "parallel/mpi.hpp"
#include "studies/ensemble/records.hpp"

namespace cotangent::studies {

Estimate estimate(const Plan& plan, const Ensemble& ensemble, sections::TrajectoryBatch& flight,
                  const io::FileOptions& options) {
  Estimate result;
  result.orbits = ensemble.size();
  // Memory: rows that wait to be written (3 MB); blocks of rows, one for each lane and one more; and the
  // crossings and samples that each lane holds until they are entered; and the rows that averages are made
  // of.
  result.rank_bytes = program_bytes(plan.method.multipliers == "petsc") + (3 << 20);
  for (const auto& set : data_sets(plan, ensemble)) {
    result.file_bytes += io::as_stored(set, options).bytes();
    if (set.dims.front() != ensemble.size()) continue;
    const std::int64_t each = set.bytes() / ensemble.size();
    const bool in_blocks = set.path.starts_with("/orbits/") ||
                           std::ranges::count(plan.tallies, set.path, &io::DataSetSpec::path) > 0;
    if (in_blocks)
      result.rank_bytes +=
          each * std::min(ensemble.size(), (flight.lanes() + 1) * block_size(plan, ensemble));
    else if (set.dims.size() > 1)
      result.rank_bytes +=
          flight.lanes() *
          std::min<std::int64_t>(each, static_cast<std::int64_t>(most_rows) * (each / set.dims[1]));
  }
  if (plan.averages) {
    for (const auto& set : data_sets(*plan.averages, ensemble.size())) result.file_bytes += set.bytes();
    result.rank_bytes += averaging_bytes(*plan.averages, plan);
  }
  if (plan.basins) {
    for (const auto& set : data_sets(*plan.basins)) result.file_bytes += set.bytes();
    result.rank_bytes += counting_bytes(*plan.basins);
  }
  const double began = parallel::wall_time();
  const std::int64_t most = std::min<std::int64_t>(ensemble.size(), 1 << 16);
  std::int64_t feasible = 0, looked = 0;
  for (int lane = 0; lane < flight.lanes() && looked < most && parallel::wall_time() - began < 0.5;
       ++looked) {
    const EnsembleStart start = ensemble[ensemble.scattered(looked)];
    if (!start.feasible) continue;
    ++feasible;
    flight.load(lane, start.start);
    if (flight.flown(lane).status == Status::pending)
      ++lane;
    else
      flight.release(lane);
  }
  const double before = parallel::wall_time();
  std::int64_t crossings = 0;
  double time = 0;
  while (parallel::wall_time() - before < 0.2) {
    flight.advance(64);
    bool some = false;
    for (int lane = 0; lane < flight.lanes(); ++lane)
      some |= !flight.free(lane) && flight.flown(lane).status == Status::pending;
    if (!some) break;
  }
  const double seconds = parallel::wall_time() - before;
  for (int lane = 0; lane < flight.lanes(); ++lane) {
    if (flight.free(lane)) continue;
    auto& flown = flight.flown(lane);
    crossings += flown.crossing_count;
    if (flown.crossings.count() > 0) time += flown.crossings.time.back();
    if (flown.sample_count > 1)
      time =
          std::max(time, static_cast<double>(flown.sample_count) * plan.watch.sample_every * flight.lanes());
    else if (flown.crossings.count() == 0 && flown.t > 0)
      time += flown.t;
    else if (flown.crossings.count() == 0 && !plan.method.tolerance)
      time += static_cast<double>(flown.steps) * plan.method.step;
  }
  const double all = static_cast<double>(ensemble.size()) * static_cast<double>(feasible) /
                     static_cast<double>(std::max<std::int64_t>(looked, 1));
  double work = 0;
  if (plan.watch.stop.crossings > 0 && crossings > 0)
    work = all * static_cast<double>(plan.watch.stop.crossings) / static_cast<double>(crossings);
  if (time > 0 && std::isfinite(plan.watch.stop.time)) {
    const double by_time = all * plan.watch.stop.time / time;
    work = work > 0 ? std::min(work, by_time) : by_time;
  }
  result.seconds = work * seconds / parallel::size();
  return result;
}

}  // namespace cotangent::studies
