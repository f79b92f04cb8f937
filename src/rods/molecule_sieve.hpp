// SPDX-License-Identifier: BSD-3-Clause
// Molecules tried one after the other, each kept where no point of one that was kept before is nearer to one
// of its own than a distance; by all ranks together, and what is kept depends on the order of the trials
// alone. Each rank has blocks of space, and holds what was kept there and just beyond. Of a batch it finds
// which trials are too near to those kept, and which are to each other; of these each rank knows all, and
// settles them in their order. Limits: a batch should be small enough for each rank to know the fate of all
// of it.
#pragma once

#include <cstdint>
#include <vector>

#include "particles/starts.hpp"

namespace cotangent::rods {

using particles::NumberedPoint;

class MoleculeSieve {
 public:
  /// Distances go round the periods.
  MoleculeSieve(double apart, const particles::Periods& periods)
      : squared_(apart * apart), image_(periods), grid_(apart, periods), kept_(apart, periods) {}
  /// Takes the trials from `first` to before `last`, all later than those before: of this rank's the points,
  /// each with the number of its trial, and the trials that don't fit anywhere. Returns which are kept, on
  /// each rank of all. Collective.
  std::vector<char> take(std::uint64_t first, std::uint64_t last, const std::vector<NumberedPoint>& points,
                         std::vector<std::uint64_t> misfits);

 private:
  /// Of two trials that are too near to each other.
  struct Pair {
    std::uint64_t later, earlier;
  };
  int home(particles::Grid::Key key) const;
  bool lives_here(const NumberedPoint& point) const;
  std::vector<NumberedPoint> brought_home(const std::vector<NumberedPoint>& points) const;
  std::vector<Pair> pairs(const std::vector<NumberedPoint>& points) const;

  double squared_;
  particles::Image image_;
  particles::Grid grid_;
  particles::SpacedPoints kept_;  ///< here and just beyond
};

}  // namespace cotangent::rods
