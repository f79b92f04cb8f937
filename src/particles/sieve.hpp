// SPDX-License-Identifier: BSD-3-Clause
// Points taken one after the other, each kept where none that was kept before is nearer than a distance; by
// all ranks together, and what is kept depends on the order of the points alone. Each rank has a slab of the
// surface, of the same area, and copies of what lies just beyond. A point is settled once all points near it
// that come before it are; so most are settled by the rank that has them, and ranks tell each other of the
// others in a few rounds.
// Reference: Blelloch, Fineman, Shun, Greedy sequential maximal independent set and matching are parallel on
// average (SPAA 2012).
#pragma once

#include <cstdint>
#include <vector>

#include "geometry/triangulation.hpp"
#include "particles/grid.hpp"
#include "particles/image.hpp"

namespace cotangent::particles {

using geometry::SpacePoint;

/// A point, and which it is in an order.
struct NumberedPoint {
  std::uint64_t number = 0;
  SpacePoint q{};
};

class Sieve {
 public:
  /// For points on a surface, of which all ranks have the same triangulation. Distances go round the periods.
  Sieve(double distance, const Periods& periods, const geometry::Triangulation& surface);
  /// Takes points, all later than those before, from any rank; returns how many are kept now, on all ranks.
  /// Collective.
  std::int64_t take(const std::vector<NumberedPoint>& later);
  /// Those kept that lie in this rank's slab.
  std::vector<NumberedPoint> kept() const;

 private:
  using Cell = std::array<std::int32_t, 3>;
  struct Point {
    std::uint64_t key = 0, number = 0;
    SpacePoint q{};
    bool own = true;  ///< it lies in this rank's slab, and is no copy
  };
  enum class Fate : char { open, kept, dropped };

  Cell cell(const SpacePoint& q) const;
  std::uint64_t key(const Cell& cell) const;
  int owner(const Cell& cell) const { return owner_[static_cast<std::size_t>(cell[slab_axis_])]; }
  bool near(const SpacePoint& q, const SpacePoint& other) const;
  template <class Visit>
  void each_around(const std::vector<Point>& points, const std::vector<Point>& others,
                   const Visit& visit) const;
  template <class Visit>
  void each_copy(const Cell& cell, const Visit& visit) const;
  std::vector<Point> brought_home(const std::vector<NumberedPoint>& later) const;
  void keep(std::vector<Point> points);

  double squared_;
  Image image_;
  Periods periods_;
  SpacePoint low_{};
  std::array<double, 3> per_length_{};  ///< cells
  Cell count_{};                        ///< of cells along each axis
  std::size_t slab_axis_ = 0;
  std::vector<std::int32_t> owner_;  ///< of each cell along that axis
  std::vector<Point> kept_;          ///< by their keys, copies among them
};

}  // namespace cotangent::particles
