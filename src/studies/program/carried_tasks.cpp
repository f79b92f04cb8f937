// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/carried_tasks.hpp"

#include <algorithm>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

void CarriedTasks::visit(run::StateFields& state, std::size_t width,
                         const std::vector<CarriedTask>& under_way) {
  std::vector<double> ids, states;
  for (const auto* tasks : {&under_way, static_cast<const std::vector<CarriedTask>*>(&mine_)}) {
    for (const CarriedTask& task : *tasks) {
      ids.push_back(static_cast<double>(task.id));
      states.insert(states.end(), task.state.begin(), task.state.end());
    }
  }
  state.loose_rows("id", 1, ids);
  state.loose_rows("state", static_cast<int>(width), states);
  if (!state.reading()) return;
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto from = states.begin() + static_cast<std::ptrdiff_t>(k * width);
    mine_.push_back({static_cast<std::int64_t>(ids[k]), {from, from + static_cast<std::ptrdiff_t>(width)}});
  }
  std::vector<std::vector<double>> to(static_cast<std::size_t>(parallel::size()), ids);
  for (const double id : parallel::exchange(std::move(to))) ids_.push_back(static_cast<std::int64_t>(id));
  std::ranges::sort(ids_);
}

std::optional<CarriedTask> CarriedTasks::take(std::int64_t id) {
  const auto found = std::ranges::find(mine_, id, &CarriedTask::id);
  if (found == mine_.end()) return std::nullopt;
  CarriedTask task = std::move(*found);
  mine_.erase(found);
  return task;
}

bool CarriedTasks::known(std::int64_t id) const {
  return std::ranges::binary_search(ids_, id);
}

}  // namespace cotangent::studies
