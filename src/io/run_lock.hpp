// SPDX-License-Identifier: BSD-3-Clause
// One run at a time writes a result: who holds RESULT.lock, a file of its own beside it, keeps others away.
//
// The system takes the lock (flock) back when the process ends, however it ends: a killed run leaves a file,
// and no lock. It names its owner, host and process. A file of its own, since a result is replaced by
// renaming, and since nobody else opens and closes this one. One that was deleted meanwhile is no lock:
// whoever took it looks whether the name is still its own. Limits: file systems that lock on one node alone,
// or not at all; a node that was lost keeps its lock on NFS until the server forgets it (a minute or two).
//
// Open MPI tries locks, too, on a file of each rank beside the one that it opens, out.h5.new.locktest.3; a
// rank that ends in that moment leaves it. The lock's holder takes them away: after a run that was killed,
// and where its own ends by an exception.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

namespace cotangent::io {

/// RESULT.lock
std::filesystem::path lock_path(const std::filesystem::path& result);

/// Held while this lives. Not collective: one process of a run takes it.
class RunLock {
 public:
  /// Throws Error with the owner's host and process where another run still holds it after so long: the ranks
  /// of a run whose mpirun was killed live on for a moment.
  explicit RunLock(const std::filesystem::path& result,
                   std::chrono::milliseconds patience = std::chrono::seconds(10));
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Why nothing is locked, "No locks available"; empty where it is.
  const std::string& lacking() const noexcept { return lacking_; }

 private:
  /// Takes away what Open MPI's trials of locks left beside the result.
  void forget_trials() const;

  std::filesystem::path result_, path_;
  int exceptions_;  ///< that were on their way when the lock was taken
  int id_ = -1;
  std::string lacking_;
};

}  // namespace cotangent::io
