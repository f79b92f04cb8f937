// SPDX-License-Identifier: BSD-3-Clause
// Tasks (trajectories, systems of spheres) that are half done when a checkpoint is written: the id of each,
// and the numbers from which it can go on. When the run goes on, on whatever number of ranks, each rank
// gets an equal share of them; and every rank knows the ids of all, so that it doesn't begin one anew that
// another rank is to go on with.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "run/state.hpp"

namespace cotangent::studies {

struct CarriedTask {
  std::int64_t id;
  std::vector<double> state;
};

class CarriedTasks {
 public:
  /// The fields of a checkpoint. To write: the tasks under way here, and those that this rank was to go on
  /// with and hasn't come to yet. To read: this rank's share of all. The study has `count` tasks, of which a
  /// state has `width` numbers; a checkpoint with other ones, or with one twice, is refused. Collective.
  void visit(run::StateFields& state, std::int64_t count, std::size_t width,
             const std::vector<CarriedTask>& under_way);

  bool empty() const { return mine_.empty(); }
  /// The next that this rank is to go on with.
  std::int64_t next() const { return mine_.front().id; }
  /// Takes the task of this id out of this rank's share; nothing where it isn't in it.
  std::optional<CarriedTask> take(std::int64_t id);
  std::vector<CarriedTask> take_all() { return std::exchange(mine_, {}); }
  /// Whether the checkpoint gave this task to any rank.
  bool known(std::int64_t id) const;

 private:
  void learn(const run::StateFields& state, std::int64_t count, const std::vector<double>& ids);

  std::vector<CarriedTask> mine_;
  std::vector<std::int64_t> ids_;  // of all ranks, in order
};

}  // namespace cotangent::studies
