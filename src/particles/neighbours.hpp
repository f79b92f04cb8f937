// SPDX-License-Identifier: BSD-3-Clause
// Verlet lists: for each particle all others within the range, which is the cut-off and a skin; they hold
// until a particle has moved half the skin. Whole lists, not half ones: a pack of particles walks down its
// lists side by side, one neighbour a lane, and each particle's force is a sum of its own, without scattered
// additions; pairs are looked at twice, which costs less. A pack's particles are those of a group whose lists
// are about as long, lest short ones wait for a long one. Each list is in the order of the particles' names,
// so that the sum has the same bits whoever keeps the particles. References: Verlet, Phys. Rev. 159 (1967)
// 98; Pall, Hess, Comput. Phys. Commun. 184 (2013) 2641, on lists for SIMD.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "particles/domain_decomposition.hpp"

namespace cotangent::particles {

/// The skin with which listing and long lists cost least together, for particles of which the fastest go so
/// far in a step; lists then hold for half a skin, and no period sees a particle twice.
double cheapest_skin(double range, double way, const Periods& periods);

class NeighbourLists {
 public:
  /// From particles that have just settled. All within `range` are listed, and apart from these, in no order,
  /// those beyond it within `correlation_cutoff`; but none of those, by name and in order, that a row doesn't
  /// feel.
  void build(const ParticleArrays& particles, const DomainDecomposition& decomposition, double range,
             std::span<const std::span<const std::int64_t>> unfelt = {}, double correlation_cutoff = 0.0);

  /// Where the positions of pack p's particles begin, four times their rows: all lie in the pack's group.
  std::span<const std::uint32_t, pack> particles(int p) const {
    return std::span<const std::uint32_t, pack>(particles_.data() + std::ptrdiff_t{pack} * p, pack);
  }
  /// Where the positions of their neighbours begin, `pack` of them in turn; those of the far row where a
  /// particle has fewer.
  std::span<const std::uint32_t> neighbours(int p) const { return part(2 * static_cast<std::size_t>(p)); }
  /// The same of those beyond the range, within the correlation_cutoff.
  std::span<const std::uint32_t> seen(int p) const { return part(2 * static_cast<std::size_t>(p) + 1); }
  /// How many neighbours each of so many rows is taken through, with its pack.
  std::vector<std::int32_t> lengths(int rows) const;
  /// The rows of one particle's neighbours, and the far row any number of times. Slow: for reports.
  std::vector<int> of(int row) const;

 private:
  struct Group;
  std::span<const std::uint32_t> part(std::size_t k) const {
    return std::span(neighbours_).subspan(begin_[k], begin_[k + 1] - begin_[k]);
  }

  std::vector<std::size_t> begin_;  // of each pack's neighbours, and of those seen
  numerics::AlignedVector<std::uint32_t> neighbours_, particles_;
};

}  // namespace cotangent::particles
