// The checkpoints of study = "particles": particles in chunks of their ids, all of one step, in two
// generations; a run goes on from the last generation that is whole, on any number of ranks, to the same
// bits.
#pragma once

#include <optional>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "particles/cloud.hpp"

namespace cotangent::studies {

class ParticleCheckpoint {
 public:
  /// So many particles, and so many numbers beside them that belong to all.
  ParticleCheckpoint(std::int64_t count, std::int64_t numbers) : count_(count), numbers_(numbers) {}

  /// Slots of a rank: its chunks and, on rank 0, what belongs to all, in two generations; and a slot's bytes.
  int lanes() const;
  std::int64_t payload() const;

  /// A generation: each rank's own particles, and the numbers that belong to all. Throws on one rank alone.
  void write(io::CheckpointFile& file, std::int64_t step, const std::vector<particles::Particle>& chunks,
             const std::vector<double>& whole);
  /// The particles of the chunks that this rank writes, in the order of their ids. Collective.
  static std::vector<particles::Particle> gathered(const particles::Cloud& cloud);

  /// This rank's share of a generation.
  struct State {
    std::int64_t step = 0;
    std::vector<particles::Particle> particles;
    std::vector<double> whole;
  };
  /// That of the newest whole one; nothing where there is none.
  std::optional<State> restored(const std::vector<io::CheckpointState>& carried);

 private:
  std::int64_t chunks() const;
  std::int64_t count_, numbers_, generation_ = 0;
};

}  // namespace cotangent::studies
