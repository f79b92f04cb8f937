// SPDX-License-Identifier: BSD-3-Clause
// The rows of an ensemble's result, each at the place of its trajectory's id. Data with one row for each
// trajectory (/orbits) wait in blocks of consecutive ids, so that many rows are entered at once; rows along a
// trajectory (crossings, samples) are entered as they come. A trajectory's status is written last: where it
// isn't 0, all other rows of this trajectory are in the file.
#pragma once

#include "run/records.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// The data sets of an ensemble's result.
std::vector<io::DataSetSpec> data_sets(const Plan& plan, const Ensemble& ensemble);

/// How many rows a lane may keep along its trajectory before they are handed over.
inline constexpr std::size_t most_rows = 1 << 15;
/// How many trajectories a block has: some dozens of blocks for each rank.
std::int64_t block_size(const Plan& plan, const Ensemble& ensemble);

/// The rows of trajectories `first` to `first + count - 1`.
struct Block {
  std::int64_t first = 0, count = 0;
  std::int64_t next = 0;   ///< the first row whose trajectory hasn't begun
  std::int64_t open = 0;   ///< how many trajectories haven't ended
  std::vector<char> done;  ///< ended since the run was started or resumed, and not yet entered
  std::vector<double> initial, final, time, energy, energy_error, constraint_error, parameters, tallies;
  std::vector<std::int32_t>
      status;  ///< 0 where a trajectory hasn't ended, before the run was resumed or since
  std::vector<std::int64_t> crossings, grazing, steps;

  bool holds(std::int64_t id) const { return id >= first && id < first + count; }
};

class EnsembleRecords {
 public:
  EnsembleRecords(const Plan& plan, const Ensemble& ensemble, run::Records& records);

  /// A new block, in which no trajectory has ended; where the run was resumed, with the statuses in the file.
  Block block(std::int64_t first, std::int64_t count, bool resumed) const;
  /// Enters where a trajectory starts.
  void begin(Block& block, const EnsembleStart& start) const;
  /// Puts into the block how a trajectory ended, and enters the rest of its crossings and samples.
  void land(Block& block, sections::TrajectoryRecord& flown);
  /// Enters those rows of a block whose trajectories have ended since the last call.
  void write(Block& block);
  /// Enters the crossings and samples that a trajectory has gathered, and empties its lists.
  void flush(sections::TrajectoryRecord& flown);

 private:
  void pad(const sections::TrajectoryRecord& flown);
  /// Rows `first` and following of trajectory `id`, `width` numbers each, row-major; width 0: a data set
  /// [trajectories, rows] without a third dimension.
  template <class Number>
  void put(const char* path, std::int64_t id, std::int64_t first, const std::vector<Number>& values,
           std::int64_t width = 0);

  const Plan& plan_;
  const Ensemble& ensemble_;
  const std::int64_t dim_, constraints_, parameter_count_;
  std::int64_t tally_count_ = 0;
  run::Records& records_;
};

}  // namespace cotangent::studies
