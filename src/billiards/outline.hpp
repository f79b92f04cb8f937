// SPDX-License-Identifier: BSD-3-Clause
// The outline of a domain in the plane, from omega alone: loops of points on omega = 0, by marching squares
// with bisected crossings, each with its arc length, of chords: to some 1e-5 of the length along smooth
// walls, and shorter by up to .6 of a square's side at each corner, which is cut. Loops run with the domain
// on their left. Places on it by the nearest chord: Birkhoff's coordinate of a collision. Limits: what is
// narrower than a square is lost; loops are cut by the border of the box.
#pragma once

#include "billiards/domain.hpp"

namespace cotangent::billiards {

class Outline {
 public:
  struct Place {
    Vector<2> x;
    double arc;  ///< from the beginning of the first loop, the others behind it
    int loop;
  };

  /// Of the domain at t = 0, in a box cut into `squares` by `squares`.
  Outline(const Domain<2>& domain, const Vector<2>& low, const Vector<2>& high, int squares);

  /// Loop after loop; a closed one ends with its first point again.
  const std::vector<Place>& points() const { return points_; }
  double length() const { return points_.empty() ? 0.0 : points_.back().arc; }
  /// What the loops enclose.
  double area() const;
  /// The arc length of the nearest place on the outline; NaN beyond the box, and where there is none near.
  double arc(const Vector<2>& x) const;
  /// Birkhoff's coordinates of a bounce: arc length, and the velocity's share along the outline, given the
  /// inward unit normal.
  struct Bounce {
    double arc, tangential;
  };
  Bounce bounce(const Vector<2>& x, const Vector<2>& v, const Vector<2>& normal) const;

 private:
  int bin(double coordinate, int axis) const;

  Vector<2> low_, high_;
  int bins_;
  std::vector<Place> points_;
  std::vector<std::vector<std::int32_t>> chords_;  // by bin, those that may be nearest to a point in it
};

}  // namespace cotangent::billiards
