// The checkpoints of study = "lattice": the state in runs of sites, all of one step, in two generations; a
// run goes on from the last generation that is whole, on any number of ranks, to the same bits.
#pragma once

#include <optional>
#include <vector>

#include "io/checkpoint_file.hpp"
#include "lattice/grid.hpp"

namespace cotangent::studies {

class LatticeCheckpoint {
 public:
  /// So many sites, of which this rank has a range, and numbers of each at most.
  LatticeCheckpoint(std::int64_t sites, const lattice::Range& range, std::int64_t components)
      : sites_(sites), range_(range), components_(components) {}

  /// Slots of a rank: its runs and, on rank 0, what belongs to all, in two generations; and a slot's bytes.
  int lanes() const;
  std::int64_t payload() const;

  /// A generation: the components of this rank's sites, and the numbers that belong to all. Throws on one
  /// rank alone.
  void write(io::CheckpointFile& file, std::int64_t step, const std::vector<double*>& components,
             const std::vector<double>& common);

  /// A generation, of all ranks.
  struct State {
    std::int64_t step = 0;
    std::vector<double> common;
    std::vector<std::vector<double>> runs;
  };
  /// The newest whole one; nothing where there is none.
  std::optional<State> restored(const std::vector<io::CheckpointState>& carried);
  /// This rank's sites, from it.
  void read(const State& state, const std::vector<double*>& components) const;

 private:
  std::int64_t sites_;
  lattice::Range range_;
  std::int64_t components_, generation_ = 0;
};

}  // namespace cotangent::studies
