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
#include <optional>

namespace cotangent::parallel {

class TaskSharing {
 public:
  /// Tasks 0 .. count - 1. Collective.
  explicit TaskSharing(std::int64_t count);
  /// Collective: every rank has to come here, also after an error (see agree() in mpi.hpp).
  ~TaskSharing();
  TaskSharing(TaskSharing&&) noexcept;
  TaskSharing& operator=(TaskSharing&&) = delete;

  /// The next task, given to nobody else; none once all have been taken.
  std::optional<std::int64_t> take();
  /// Whether this rank has asked in vain.
  bool exhausted() const { return exhausted_; }
  /// How many all ranks together had taken when this one last asked.
  std::int64_t taken() const { return taken_; }
  /// After an error: what hasn't been taken yet is given to nobody.
  void end();

 private:
  std::int64_t add(std::int64_t number);

  struct Window;
  std::unique_ptr<Window> window_;
  std::int64_t count_, taken_ = 0;
  bool exhausted_ = false;
};

}  // namespace cotangent::parallel
