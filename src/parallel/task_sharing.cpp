// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/task_sharing.hpp"

#include <algorithm>
#include <mpi.h>
#include <utility>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

struct TaskSharing::Window {
  MPI_Win handle = MPI_WIN_NULL;  // null before MPI is initialised: one rank, and memory of its own
  std::int64_t* memory = nullptr;
  std::int64_t alone = 0;
};

TaskSharing::TaskSharing(std::int64_t count) : window_(std::make_unique<Window>()), count_(count) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) return;
  Window& window = *window_;
  const MPI_Aint bytes = rank() == 0 ? static_cast<MPI_Aint>(sizeof(std::int64_t)) : 0;
  check(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &window.memory,
                         &window.handle),
        "MPI_Win_allocate");
  check(MPI_Win_set_errhandler(window.handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle), "MPI_Win_lock_all");
  if (rank() == 0) {
    *window.memory = 0;
    check(MPI_Win_sync(window.handle), "MPI_Win_sync");
  }
  barrier();  // nobody takes before the counter is set
}

TaskSharing::TaskSharing(TaskSharing&&) noexcept = default;

TaskSharing::~TaskSharing() {
  if (!window_ || window_->handle == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(window_->handle);
  MPI_Win_free(&window_->handle);
}

std::optional<std::int64_t> TaskSharing::take() {
  if (exhausted_) return std::nullopt;
  const std::int64_t task = add(1);
  exhausted_ = task >= count_;
  taken_ = std::min(task + 1, count_);
  return exhausted_ ? std::nullopt : std::optional(task);
}

void TaskSharing::end() {
  add(std::int64_t{1} << 48);  // beyond any number of tasks, and within the counter if all ranks end it
}

/// Returns what the counter was before.
std::int64_t TaskSharing::add(std::int64_t number) {
  if (window_->handle == MPI_WIN_NULL) return std::exchange(window_->alone, window_->alone + number);
  std::int64_t taken = 0;
  check(MPI_Fetch_and_op(&number, &taken, MPI_INT64_T, 0, 0, MPI_SUM, window_->handle), "MPI_Fetch_and_op");
  check(MPI_Win_flush(0, window_->handle), "MPI_Win_flush");
  return taken;
}

}  // namespace cotangent::parallel
