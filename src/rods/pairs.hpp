// SPDX-License-Identifier: BSD-3-Clause
// Forces between pairs of points that rods join, by any pair potential, across ranks. Points belong to ranks
// by their rods; pairs are summed where the points are in space: each rank of a DomainDecomposition sums for
// the points in its cells, as for particles without rods. A plan made with each list brings it their
// positions and takes the forces to all ranks that know the points, so that a point's copies feel the same
// bits. Each force is a sum in the order of the points' numbers: to the bit the same on any number of
// ranks, whenever the lists were made. Whose rods end at a point and what they join it to is known to the
// rank that reports it, and told with each list to the rank that sums there.
#pragma once

#include "particles/domain_decomposition.hpp"
#include "particles/pair_kernel.hpp"
#include "rods/block.hpp"

namespace cotangent::rods {

using particles::DomainDecomposition;
using particles::Grid;
using particles::Image;
using particles::NeighbourLists;
using particles::PairKernel;
using particles::ParticleArrays;
using particles::Periods;

/// Which pairs of points feel each other, and how.
struct RodPairOptions {
  const PairKernel* kernel = nullptr;  ///< none: no pairs do; outlives all that uses it
  bool joined = false;                 ///< whether points that one rod joins do as well
  double skin = 0.0;  ///< of the neighbour lists, a length; 0: chosen by how fast points move
  Periods periods{};
};

template <int D>
class RodPairs {
 public:
  using PointVectors = typename RodBlock<D>::PointVectors;

  /// Collective, as all that follows.
  RodPairs(const RodBlock<D>& block, const RodPairOptions& options);

  /// On all points that the block knows, where they are now.
  const PointVectors& forces();
  /// Of all pairs on all ranks, where forces() found the points; the same bits on any number of ranks.
  double energy() const;
  /// Throws Error where points lie so close that their energy isn't finite; after forces().
  void judge() const;
  /// How often neighbours have been listed.
  std::int64_t lists() const { return lists_made_; }

 private:
  /// A point of the block and the row of the cloud where its pairs are summed, both on this rank.
  struct Own {
    int point, row;
  };
  void find_joined();
  std::span<const std::int64_t> joined_to(int point) const;
  void redistribute();
  double farthest() const;
  void choose_skin(double way);
  struct Routes;
  struct Elsewhere;
  void plan();
  Elsewhere sort_rows(Routes& routes);
  std::vector<std::int64_t> ask(std::vector<std::vector<std::int64_t>> points, Routes& routes) const;
  void take_answers(Routes& routes);
  void not_felt(int row, std::span<const std::int64_t> others);
  void bring_positions();
  std::vector<double> energies() const;

  const RodBlock<D>& block_;
  RodPairOptions options_;
  Image image_;
  double range_, skin_;
  /// What rods join each point to that is reported here, in order, and where that begins; empty where it is
  /// felt all the same.
  std::vector<std::int64_t> joined_;
  std::vector<std::size_t> joined_begin_;
  std::vector<std::int64_t> told_;                     ///< by other ranks, of the points that are summed here
  std::vector<std::span<const std::int64_t>> unfelt_;  ///< by the rows of the cloud
  DomainDecomposition decomposition_;
  ParticleArrays particles_;
  NeighbourLists neighbours_;
  parallel::HaloPlan there_, back_;  ///< positions to where pairs are summed, and forces from there
  std::vector<Own> stay_, return_;   ///< what never leaves this rank
  std::vector<int> arrive_at_;       ///< rows of the cloud for positions that come
  std::vector<int> come_to_;         ///< points of the block for forces that come
  std::vector<double> sent_, arrived_, summed_, came_;
  PointVectors listed_at_, force_;
  std::array<numerics::AlignedVector<double>, 3> sum_;
  std::int64_t moves_ = 0, lists_made_ = 0;
};

extern template class RodPairs<2>;
extern template class RodPairs<3>;

}  // namespace cotangent::rods
