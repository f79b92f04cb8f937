// SPDX-License-Identifier: BSD-3-Clause
// What one rank makes, reads or is given of a system of rods: a run of its points and a run of its rods;
// whatever else it needs of them the block asks for (block.hpp). Of molecules that are small beside a rank's
// share none is cut. And chains that nobody ever holds as a whole: which rod joins which points follows from
// its number.
#pragma once

#include "parallel/runs.hpp"
#include "rods/rods.hpp"

namespace cotangent::rods {

template <int D>
struct RodShare {
  using Vector = std::array<double, D>;

  parallel::Partition point_runs, rod_runs;  ///< of all ranks
  std::vector<Vector> position, velocity;    ///< of this rank's points
  std::vector<double> mass;
  std::vector<Rod> rods;        ///< this rank's; they may end at any point
  double longest_molecule = 0;  ///< all its rods in a line
  Vector gravity{};
  std::optional<HoldingSurface<D>> surface;

  /// This rank's points, all at the origin, at rest and of mass 1.
  void expect_points(parallel::Partition points);
  std::int64_t first_point() const { return point_runs.begin(parallel::rank()); }
  std::int64_t first_rod() const { return rod_runs.begin(parallel::rank()); }
  /// Whether a point is this rank's, and where it then stands.
  bool has(std::int64_t point) const {
    return point >= first_point() && point - first_point() < std::ssize(mass);
  }
  std::size_t at(std::int64_t point) const { return static_cast<std::size_t>(point - first_point()); }

  /// The size of what may be reached: the largest coordinate, or the longest molecule. Collective.
  double extent() const;
  /// Throws Error where what this rank has makes no sense by itself: a mass or length that isn't positive, a
  /// rod from a point to itself, a number that isn't finite. Collective.
  void check() const;
};

/// This rank's share of a system that all ranks have.
template <int D>
RodShare<D> share_of(const RodSystem<D>& system);

/// Molecules one after the other, each a chain or loop of as many rods from one point to the next.
struct RodChains {
  std::int64_t molecules = 1, rods = 1;  ///< rods of each molecule
  bool closed = false, held = false;     ///< held: all points that aren't fixed, as hold_on() does
  std::vector<std::int64_t> fixed = {};  ///< points, in order

  std::int64_t points_each() const { return rods + (closed ? 0 : 1); }
  std::int64_t point_count() const { return molecules * points_each(); }
  /// Rods and holds.
  std::int64_t rod_count() const { return before(molecules * rods); }
  /// Who keeps which of so many ranks; molecules that are small beside a rank's share are whole.
  parallel::Partition point_runs(int ranks) const;
  parallel::Partition rod_runs(int ranks) const;
  /// Those from one number on to before another.
  std::vector<Rod> run(std::int64_t first, std::int64_t last, double length) const;
  /// All rods of a molecule in a line.
  double longest_molecule(double length) const;

 private:
  /// Rods and holds before the rod that would be this one without holds.
  std::int64_t before(std::int64_t rod) const;
  /// The last rod before which no more than so many stand.
  std::int64_t rod_at(std::int64_t entry) const;
};

extern template struct RodShare<2>;
extern template struct RodShare<3>;
extern template RodShare<2> share_of(const RodSystem<2>&);
extern template RodShare<3> share_of(const RodSystem<3>&);

}  // namespace cotangent::rods
