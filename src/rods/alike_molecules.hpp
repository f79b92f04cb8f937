// SPDX-License-Identifier: BSD-3-Clause
// The multipliers of molecules that are all alike. Those of one couple within it alone: a row for
// each of its rods and, on a surface, for each point that is held. As many molecules as a pack has lanes are
// solved for side by side,
//   G M^-1 G'^T y = b      for each, by elimination without pivoting in the order of its rods,
// whose steps are listed once: where each hold stands before the first rod that ends there, nothing fills in
// but between rods. Newton's method and the tangent velocities are those of rattle.hpp, except that each lane
// iterates until it has converged by itself: its bits are the molecule's own, but where round-off ends its
// iterations, for this is known by the size of the whole system.
#pragma once

#include <optional>

#include "numerics/lanes.hpp"
#include "rods/block.hpp"

namespace cotangent::rods {

template <int D>
class AlikeMolecules {
 public:
  using PointVectors = typename RodBlock<D>::PointVectors;

  /// None where a rank has anything but whole molecules, two or more, of up to 64 rows each. Collective.
  static std::optional<AlikeMolecules> of(const RodBlock<D>& block);

  /// Whether there are enough of them on this rank.
  bool fill_lanes() const { return molecules_ >= W; }

  /// When Newton's method ends: at the tolerance, or where errors below the noise don't shrink any more.
  struct Bounds {
    double tolerance, noise;
    int iterations;
  };
  struct Search {
    double error = 0;  ///< the largest |g| / |grad g|; infinity where a molecule found no multipliers
    int iterations = 0;
  };
  /// Moves the block's predicted points onto the constraints, from multipliers given, which it improves.
  /// Where one molecule isn't solved for, others may not have been looked at.
  Search constrain(RodBlock<D>& block, double* multiplier, const Bounds& bounds);

  struct Tangency {
    double along_square = 0, speed_square = 0;  ///< the largest |G v|^2 / |G|^2, and |v|^2 before
    int solves = 0;
    bool found = true;  ///< molecules of a pack without multipliers have the velocities that they had
  };
  /// Makes the velocities tangent where the points are, by the gradients there.
  Tangency make_tangent(RodBlock<D>& block);

 private:
  static constexpr std::size_t W = 2 * numerics::native_width;  // one register waits for its divisions
  using R = numerics::Lanes<W>;
  using Mask = numerics::mask_of<R>;
  using Vector = std::array<R, D>;

  /// A rod between two points of the molecule, or, of one point, a hold.
  struct Row {
    std::size_t first, second;
    bool holds;
    double length, first_weight, second_weight;  ///< weights: 1/m, and that of a second end negative
  };
  /// An entry of the matrix, w_kj (G_k . G'_j); of weight 0 where elimination alone fills it.
  struct Entry {
    std::size_t row, column;
    double weight;
  };
  /// Another row that a pivot's row is eliminated from, and where its entry and the pivot row's are.
  struct Later {
    std::size_t row, lower, upper;
  };
  struct Pivot {
    std::size_t diagonal;
    std::vector<Later> later;
    std::vector<std::size_t> changed;  ///< entries of each later row at each later column
  };
  /// Molecules that are side by side: the first, and how many.
  struct Place {
    std::size_t first, count;
  };

  AlikeMolecules(const RodBlock<D>& block, int rows);
  void list_elimination(const RodBlock<D>& block);
  template <class Visit>
  void for_packs(const Visit& visit) const;
  void load(const PointVectors& field, Place place, std::vector<Vector>& into) const;
  void store(const std::vector<Vector>& from, Place place, PointVectors& field) const;
  void spread(const std::vector<R>& multiplier, const std::vector<Vector>& along);
  R measure(const HoldingSurface<D>* surface);
  struct Rates {
    R along_square, speed_square;
  };
  Rates find_rates();
  void solve(const std::vector<Vector>& right);

  std::size_t molecules_, points_;  ///< points of each
  std::vector<Row> rows_;
  std::vector<Entry> entries_;
  std::vector<Pivot> pivots_;
  // Of a pack:
  std::vector<Vector> place_, before_, moved_;   // of points
  std::vector<Vector> gradient_, old_gradient_;  // of rows
  std::vector<R> multiplier_, solution_, matrix_;
};

extern template class AlikeMolecules<2>;
extern template class AlikeMolecules<3>;

}  // namespace cotangent::rods
