// What a run says to its user: a progress line while it goes, a summary at its end, an estimate before it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cotangent::studies {

/// Done, rate, time left, on rank 0: one line renewed on a terminal, plain lines now and then elsewhere.
class Progress {
 public:
  explicit Progress(std::int64_t orbits);
  /// `begun` counts over all ranks, `landed` on this one.
  void show(std::int64_t begun, std::int64_t landed);
  void finish();

 private:
  std::int64_t orbits_;
  double started_, next_;
  bool terminal_, shown_ = false;
};

struct Summary {
  std::string file;
  bool stopped = false;
  std::int64_t orbits = 0, crossings = 0, steps = 0;
  std::vector<std::int64_t> count;  ///< by status
  double worst_energy_error = 0, wall_seconds = 0;
  bool constrained = false;
  double worst_constraint_error = 0;
  bool rolling = false;
  std::vector<std::string> parts;
  std::vector<double> part_seconds;  ///< mean over ranks
};
/// Prints on rank 0.
void print(const Summary& summary);

struct Estimate {
  std::int64_t orbits = 0, file_bytes = 0, rank_bytes = 0;
  double seconds = 0;
};
void print(const Estimate& estimate);

}  // namespace cotangent::studies
