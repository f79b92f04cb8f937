// What runs share that are sampled, stored and gone on with, all ranks together: the result begun or resumed,
// and the clock that says when to store, to stop and to tell.
#pragma once

#include <string>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "io/result_file.hpp"
#include "studies/study.hpp"

namespace cotangent::studies {

/// A new result; or with --resume the one that was begun, with the same deck but for these keys. Throws Error
/// that names the others. Collective.
io::ResultFile begin_result(const Task& task, const std::string& file, io::ResultContent content,
                            const std::vector<std::string>& free = {
                                "output.file", "output.checkpoint_minutes", "output.wall_minutes"});
/// By what a checkpoint knows the deck that it is of: all but what comes after [output].
std::uint64_t fingerprint(const io::ResultContent& content);
/// With --resume the states that the checkpoint beside the result holds. Collective.
std::vector<io::CheckpointState> carried_states(const Task& task, const std::string& file,
                                                const io::ResultContent& content);

enum class Wish : std::int64_t { go_on, store, stop };

class Clock {
 public:
  /// Of a run that was started at this wall time, and may take so long.
  Clock(double started, double wall_minutes, double checkpoint_minutes);
  /// Rank 0's clock and everybody's signals decide for all. Collective.
  Wish wish() const;
  /// A checkpoint has been written.
  void stored();
  /// Whether rank 0 should say how far it is, five seconds on and then every ten.
  bool line_due();

 private:
  double started_, wall_minutes_, checkpoint_minutes_, last_checkpoint_, next_line_;
};

}  // namespace cotangent::studies
