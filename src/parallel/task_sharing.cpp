#include "parallel/task_sharing.hpp"

#include <mpi.h>
#include <string>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {
namespace {

enum Place : MPI_Aint { next_task = 0, stop_flag = 1, places = 2 };

void check(int code, const char* call) {
  if (code != MPI_SUCCESS) throw MpiError(std::string(call) + " failed in the sharing of tasks");
}

}  // namespace

struct TaskSharing::Window {
  MPI_Win handle = MPI_WIN_NULL;  // null before MPI is initialised: one rank, and memory of its own
  std::int64_t* memory = nullptr;
  std::int64_t alone[places] = {0, 0};

  // Returns the old value of a place on rank 0 and applies the operation to it, atomically.
  std::int64_t fetch(Place place, std::int64_t operand, MPI_Op operation) {
    if (handle == MPI_WIN_NULL) {
      const std::int64_t old = alone[place];
      if (operation == MPI_SUM) alone[place] += operand;
      if (operation == MPI_REPLACE) alone[place] = operand;
      return old;
    }
    std::int64_t old = 0;
    check(MPI_Fetch_and_op(&operand, &old, MPI_INT64_T, 0, place, operation, handle), "MPI_Fetch_and_op");
    check(MPI_Win_flush(0, handle), "MPI_Win_flush");
    return old;
  }
};

TaskSharing::TaskSharing(std::int64_t first) : window_(std::make_unique<Window>()) {
  int initialized = 0;
  MPI_Initialized(&initialized);
  if (!initialized) {
    window_->alone[next_task] = first;
    return;
  }
  Window& window = *window_;
  const MPI_Aint bytes = rank() == 0 ? places * static_cast<MPI_Aint>(sizeof(std::int64_t)) : 0;
  check(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, MPI_COMM_WORLD, &window.memory,
                         &window.handle),
        "MPI_Win_allocate");
  check(MPI_Win_set_errhandler(window.handle, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.handle), "MPI_Win_lock_all");
  if (rank() == 0) {
    window.memory[next_task] = first;
    window.memory[stop_flag] = 0;
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

std::int64_t TaskSharing::take() {
  return window_->fetch(next_task, 1, MPI_SUM);
}
void TaskSharing::request_stop() {
  window_->fetch(stop_flag, 1, MPI_REPLACE);
}
bool TaskSharing::stop_requested() {
  return window_->fetch(stop_flag, 0, MPI_NO_OP) != 0;
}

}  // namespace cotangent::parallel
