// SPDX-License-Identifier: BSD-3-Clause
// What of foreign rods crosses ranks: one multiplier, and one gradient, each to the ranks where it acts.
#pragma once

#include "la/handles.hpp"
#include "rods/block.hpp"

namespace cotangent::rods {

template <int D>
class RodHalo {
 public:
  /// Collective, as all that follows.
  explicit RodHalo(const RodBlock<D>& block);
  /// A distributed vector, one entry a rod, into an entry for each known rod.
  void fill(Vec own, std::span<double> known);
  /// The gradients of foreign rods.
  void fill(typename RodBlock<D>::PointVectors& gradients);

 private:
  int begin_, count_;
  std::vector<int> foreign_;
  bool needed_ = false;
  void fill_foreign(Vec own, std::span<double> known);
  la::Vector own_values_, foreign_values_;
  la::Scatter scatter_;
};

}  // namespace cotangent::rods
