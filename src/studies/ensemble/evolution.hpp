// SPDX-License-Identifier: BSD-3-Clause
// An ensemble of trajectories as an Evolution. Each rank takes blocks of consecutive trajectory ids from a
// counter that all ranks share; a lane whose trajectory has ended takes the next of the block at once. Which
// trajectories are finished stands in the result (/orbits/status); a checkpoint holds the states of those
// under way. Memory grows with the number of lanes, not with the ensemble or with the length of its
// trajectories.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "parallel/task_sharing.hpp"
#include "run/evolution.hpp"
#include "studies/ensemble/full_lanes.hpp"
#include "studies/ensemble/records.hpp"
#include "studies/program/carried_tasks.hpp"

namespace cotangent::studies {

class EnsembleEvolution : public run::Evolution {
 public:
  EnsembleEvolution(const Plan& plan, const Ensemble& ensemble, sections::TrajectoryBatch& flight);

  bool together() const override { return false; }
  std::vector<io::DataSetSpec> data_sets() const override;
  void recall(const run::Records& records) override;
  void begin(run::Records& records) override;
  void resume(run::Records& records) override;
  void state(run::StateFields& state) override;
  /// Advances by so many steps; in each, all lanes take one together.
  void advance(std::int64_t steps, run::Records& records) override;
  bool ended() const override;
  bool begin_last_part(run::Records& records) override;
  void hand_over(run::Records& records) override;
  void finish(run::Records& records) override;
  run::Progress progress() const override;
  std::vector<run::Line> summary(const run::Effort& effort) override;
  bool failed() override;

 private:
  /// Of the trajectories that have ended on this rank; and of those that ended before the run was resumed,
  /// the ones in this rank's share of the rows.
  struct Counts {
    std::array<std::int64_t, status_names.size()> status{};
    std::int64_t crossings = 0, steps = 0;
    double energy_error = 0, constraint_error = 0;
    void add(Status how, std::int64_t crossings_more, std::int64_t steps_more, double energy_off,
             double constraint_off);
  };

  bool fill(int lane, std::int64_t& steps);
  bool take_block();
  void record_trajectory(sections::TrajectoryRecord& flown);
  void close(Block& block);
  double share_flown(int lane) const;
  /// What is being made of all trajectories; none where all that is made is done.
  Aftermath* at_work() const;

  const Plan& plan_;
  const Ensemble& ensemble_;
  sections::TrajectoryBatch& flight_;
  const int lanes_;
  const bool constrained_;
  std::optional<geometry::Triangulation> surface_;
  std::int64_t block_size_ = 1, block_count_ = 0;
  std::optional<parallel::TaskSharing> sharing_;
  std::optional<EnsembleRecords> rows_;
  std::vector<Block> blocks_;
  CarriedTasks carried_;
  bool resumed_ = false;
  Counts counts_;
  std::int64_t earlier_crossings_ = 0;
  std::vector<std::unique_ptr<Aftermath>> aftermath_;  ///< once all trajectories have ended
};

}  // namespace cotangent::studies
