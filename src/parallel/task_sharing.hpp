// SPDX-License-Identifier: BSD-3-Clause
// Dynamic sharing of tasks: one counter in the memory of rank 0, reached by one-sided MPI.
//
// A rank that is free takes the next index by an atomic fetch-and-add; no master, no message, no order
// between ranks. On one node (shared-memory windows) rank 0 need not call MPI for others to progress. Across
// nodes it depends on the network: where it has remote atomics (InfiniBand and the like) nothing changes;
// over plain TCP a take waits until rank 0 next calls MPI: between two slices of its own work, and while it
// waits in the destructor.
#pragma once

#include <cstdint>
#include <memory>

namespace cotangent::parallel {

class TaskSharing {
 public:
  /// Tasks are numbered from `first` on. Collective.
  explicit TaskSharing(std::int64_t first = 0);
  /// Collective: every rank has to come here, also after an error (see agree() in mpi.hpp).
  ~TaskSharing();
  TaskSharing(TaskSharing&&) noexcept;
  TaskSharing& operator=(TaskSharing&&) = delete;

  /// The next task, given to nobody else; the caller stops where it is no smaller than the number of tasks.
  std::int64_t take();
  /// After an error: what hasn't been taken yet is given to nobody.
  void end();

 private:
  std::int64_t add(std::int64_t number);

  struct Window;
  std::unique_ptr<Window> window_;
};

}  // namespace cotangent::parallel
