// The rows that an ensemble's trajectories leave in its result, each in the place that its id gives it.
// One row per trajectory waits in a block of contiguous ids and is entered with its neighbours; the rows
// along a trajectory (crossings, samples) are entered as they come. The status of a trajectory is written
// last: where it stands, all else stands.
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
std::int64_t block_size(const Ensemble& ensemble);

/// The rows of trajectories `first` to `first + count - 1`.
struct Block {
  std::int64_t first = 0, count = 0;
  std::int64_t next = 0;   ///< the first row that hasn't begun
  std::int64_t open = 0;   ///< how many haven't landed
  std::vector<char> done;  ///< landed in this run, and not yet written
  std::vector<double> initial, final, time, energy, energy_error, constraint_error, parameters, tallies;
  std::vector<std::int32_t> status;  ///< 0 where a trajectory hasn't landed, in this run or an earlier one
  std::vector<std::int64_t> crossings, grazing, steps;

  bool holds(std::int64_t id) const { return id >= first && id < first + count; }
};

class EnsembleRecords {
 public:
  EnsembleRecords(const Plan& plan, const Ensemble& ensemble, run::Records& records);

  /// A block of which nothing has landed; but what an earlier run has, where this one resumes it.
  Block block(std::int64_t first, std::int64_t count, bool resumed) const;
  /// Enters where a trajectory starts.
  void begin(Block& block, const EnsembleStart& start) const;
  /// Enters what is left of a trajectory that has landed, and how it ended.
  void land(Block& block, sections::TrajectoryRecord& flown);
  /// Hands over the rows of a block that have landed since.
  void write(Block& block);
  /// Hands over the crossings and samples that a trajectory has gathered, and forgets them.
  void flush(sections::TrajectoryRecord& flown);

 private:
  void pad(const sections::TrajectoryRecord& flown);
  /// Rows along a trajectory from the `first` on, of so many numbers each; width 0: of one, without an axis.
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
