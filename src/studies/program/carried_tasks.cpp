// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/carried_tasks.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::studies {

void CarriedTasks::visit(run::StateFields& state, std::int64_t count, std::size_t width,
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
  if (parallel::any(states.size() != ids.size() * width))
    throw state.error(fmt::format("the fields 'id' and 'state' have {} and {} rows: as many were written",
                                  parallel::sum(std::ssize(ids)),
                                  parallel::sum(std::ssize(states) / static_cast<std::int64_t>(width))));
  learn(state, count, ids);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    const auto from = states.begin() + static_cast<std::ptrdiff_t>(k * width);
    mine_.push_back({static_cast<std::int64_t>(ids[k]), {from, from + static_cast<std::ptrdiff_t>(width)}});
  }
}

/// The ids of all ranks, of those on this one.
void CarriedTasks::learn(const run::StateFields& state, std::int64_t count, const std::vector<double>& ids) {
  std::vector<std::vector<double>> to(static_cast<std::size_t>(parallel::size()), ids);
  for (const double id : parallel::exchange(std::move(to))) ids_.push_back(state.index("id", id, count));
  std::ranges::sort(ids_);
  if (const auto twice = std::ranges::adjacent_find(ids_); twice != ids_.end())
    throw state.error(fmt::format("the field 'id' holds {} twice", *twice));
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
