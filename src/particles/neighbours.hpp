// Verlet lists: for each particle all others within the range, which is the cut-off and a skin; they hold
// until a particle has moved half the skin. Whole lists, not half ones: a pack of particles walks down its
// lists side by side, one neighbour a lane, and each particle's force is a sum of its own, without scattered
// additions; pairs are looked at twice, which costs less. Each list is in the order of the particles' names,
// so that the sum has the same bits whoever keeps the particles. References: Verlet, Phys. Rev. 159 (1967)
// 98; Pall, Hess, Comput. Phys. Commun. 184 (2013) 2641, on lists for SIMD.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "particles/territory.hpp"

namespace cotangent::particles {

/// Pairs that don't feel each other, by the particles' names.
class Exclusions {
 public:
  Exclusions() = default;
  /// Of so many particles.
  Exclusions(std::int64_t count, std::span<const std::array<std::int64_t, 2>> pairs);
  /// Those whom a particle doesn't feel, in order.
  std::span<const std::int64_t> of(std::int64_t id) const {
    const auto i = static_cast<std::size_t>(id);
    return std::span(others_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<std::int64_t> others_;
};

/// The skin with which listing and long lists cost least together, for particles of which the fastest go so
/// far in a step; lists then hold for half a skin, and no period sees a particle twice.
double cheapest_skin(double range, double way, const Periods& periods);

class NeighbourLists {
 public:
  /// From particles that have just settled. All within `range` are listed, excluded pairs left out.
  void build(const Cloud& cloud, const Territory& territory, double range,
             const Exclusions* excluded = nullptr);

  /// The rows of pack p's neighbours, `pack` of them in turn; the far row where a particle has fewer.
  std::span<const std::int32_t> of_pack(int p) const {
    const auto i = static_cast<std::size_t>(p);
    return std::span(rows_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
  }
  std::size_t bytes() const { return 4 * rows_.capacity() + 8 * begin_.capacity(); }

 private:
  std::vector<std::size_t> begin_;
  numerics::AlignedVector<std::int32_t> rows_;
};

}  // namespace cotangent::particles
