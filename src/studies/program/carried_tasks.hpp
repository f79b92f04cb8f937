// Tasks that are shared out among ranks, one by one, and are under way when a checkpoint is written: their
// ids, and whatever each goes on from. An equal share of them comes back to each rank, whatever the number of
// ranks; that another rank goes on with a task all ranks know, by its id alone.
#pragma once

#include <optional>
#include <vector>

#include "run/state.hpp"

namespace cotangent::studies {

struct CarriedTask {
  std::int64_t id;
  std::vector<double> state;
};

class CarriedTasks {
 public:
  /// The fields of a checkpoint: these tasks, and those that this rank was to go on with and hasn't yet; to
  /// read, this rank's share. States have `width` numbers. Collective.
  void visit(run::State& state, std::size_t width, const std::vector<CarriedTask>& under_way);

  bool empty() const { return mine_.empty(); }
  /// The next that this rank is to go on with.
  std::int64_t next() const { return mine_.front().id; }
  /// Gives up a task of this rank; nothing where it is none.
  std::optional<CarriedTask> take(std::int64_t id);
  /// Whether an earlier start left the task to some rank.
  bool known(std::int64_t id) const;

 private:
  std::vector<CarriedTask> mine_;
  std::vector<std::int64_t> ids_;  // of all ranks, in order
};

}  // namespace cotangent::studies
