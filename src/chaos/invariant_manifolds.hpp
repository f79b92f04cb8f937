// SPDX-License-Identifier: BSD-3-Clause
// Stable and unstable manifolds of a hyperbolic fixed point of a map of a surface onto itself, grown from the
// fixed point; where they cross; and the areas that they enclose between crossings. The surface is the plane,
// or lies in more dimensions, where no coordinates serve for all of it: then what is made by straight lines
// is brought back onto it, and derivatives are those of its tangent planes.
//
// A fundamental segment leads from y = x + epsilon e, e an eigenvector, to y's image: a curve over s from 0
// to 1, a cubic in the multiplier's power s, whose ends the map takes into one another, with their tangents.
// The image after n returns of its place s is the manifold at t = n + s: so the map adds 1 to t. Each place
// keeps all its images and their tangents dz/dt, by the map's own derivative. Between neighbours a place is
// added, in the middle of their s, where they are farther apart than the spacing, or where a tangent is off
// the chord by more than half of the bend: chords that meet then bend by no more than the whole (Hobson's
// criterion, with tangents). Where that doesn't end, the map being discontinuous there, or where motion
// fails, the manifold has a gap. What the segment is off the manifold, epsilon^2, the map shrinks by
// 1/epsilon until the manifold is of size 1.
//
// The stable manifold is grown by the inverse of the map. That is found by Newton's iteration on the map
// itself, from where the map's own way back leads: so it inverts the very map that the unstable manifold is
// grown by, whether or not the way back does. The multiplier is positive: of an inverse hyperbolic
// orbit the map is that of twice the returns.
//
// References: Hobson, J. Comput. Phys. 104 (1993) 14; MacKay, Meiss, Percival, Physica D 13 (1984) 55
// (lobes).
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace cotangent::chaos {

using SectionPoint = Eigen::VectorXd;  ///< of n numbers, some or all of a state's

struct SectionImage {
  SectionPoint at;
  /// Of the plane tangent to the surface where the map began, n x 2, orthonormal; and what the map's
  /// derivative makes of it, tangent to the surface at the image.
  Eigen::MatrixXd basis, derivative;
  /// The integral of p dq on the way there, of which the map's p dz at the image less that at the beginning
  /// is the differential; NaN where the map has none such, or tells none.
  double action = std::numeric_limits<double>::quiet_NaN();
};

/// A map of a surface onto itself.
class SectionMap {
 public:
  virtual ~SectionMap() = default;
  /// Nothing where the motion fails.
  virtual std::optional<SectionImage> image(const SectionPoint& z) const = 0;
  /// Next to the point that the map takes here; nothing where the motion fails.
  virtual std::optional<SectionPoint> back(const SectionPoint& z) const = 0;
  /// The point of the surface next to one that is near it; nothing where there is none.
  virtual std::optional<SectionPoint> onto(const SectionPoint& z) const { return z; }
  /// p, such that p dz is the form whose integral around a region of the surface the map keeps.
  virtual SectionPoint momentum(const SectionPoint& z) const = 0;
};

/// How far and how finely.
struct ManifoldRule {
  double length = 10;
  double bend = 0.2;     ///< radians, between chords that meet
  double spacing = 0.1;  ///< between neighbouring points
  std::int64_t points = 20'000;
};

class InvariantManifold {
 public:
  enum class End { none = 0, reached = 1, full = 2, lost = 3 };
  struct Place {
    SectionPoint at, along;  ///< z and dz/dt
  };
  /// A place of the fundamental segment with its images.
  struct Column {
    double s;
    std::vector<Place> chain;
    std::vector<SectionImage> maps;  ///< between neighbours: of the one, where it is stable of the other
    bool ended;                      ///< the motion fails on its way to the next
  };
  struct Node {
    double t;
    SectionPoint at;  ///< NaN: a gap

    bool gap() const { return std::isnan(at[0]); }
  };

  /// From a fixed point of the map; `side` 1 or -1 says whether it leaves along the eigenvector whose first
  /// large component is positive, or against it.
  InvariantManifold(std::shared_ptr<const SectionMap> map, const SectionPoint& fixed, bool stable, int side);
  void grow(const ManifoldRule& rule);
  /// In place of that: what it has grown, known from elsewhere.
  void restore(std::vector<Node> nodes) { nodes_ = std::move(nodes); }

  double multiplier() const { return multiplier_; }  ///< of the map, below 1 where it is stable
  bool stable() const { return stable_; }
  End end() const { return end_; }
  double length() const { return length_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The manifold at t, by as many returns; nothing outside of what has been grown.
  std::optional<Place> at(double t) const;
  /// The integral of p dz from one t to another; nothing across a gap. Where the map tells its actions it is
  /// what these differ by, so that only the ends are asked for; else a quadrature over all of the curve.
  std::optional<double> action(double from, double to) const;

 private:
  /// The place at t with all that lead there.
  std::optional<Column> column_to(double t) const;
  std::optional<Place> first(double s) const;
  std::optional<Place> first_by(double u) const;
  /// What the map, or its inverse, multiplies by what is off the fixed point.
  double growth() const { return stable_ ? 1 / multiplier_ : multiplier_; }
  double first_share(double s) const;
  bool extend(Column& column, std::size_t count) const;
  std::optional<Place> next(const Place& place, SectionImage& map) const;
  std::optional<double> by_actions(double t) const;
  std::optional<double> by_quadrature(double from, double to) const;

  std::shared_ptr<const SectionMap> map_;
  SectionPoint fixed_;
  bool stable_;
  double multiplier_ = 0, length_ = 0;
  Place begin_{}, end_of_first_{};
  double action_of_first_ = 0;  ///< of the way between these
  std::vector<Node> nodes_;
  End end_ = End::none;
};

/// Where an unstable and a stable manifold cross.
struct HomoclinicPoint {
  double unstable, stable;  ///< t on either
  SectionPoint at;
  double error;  ///< how far apart the two manifolds still are
  /// Enclosed by both manifolds from here to the next crossing along the unstable one, positive where its
  /// integral of p dz is the larger; NaN where that isn't the next along the stable one.
  double area;
};
/// In order along the unstable manifold, at most so many; the stable one is moved by `shift`.
std::vector<HomoclinicPoint> homoclinic_points(const InvariantManifold& unstable,
                                               const InvariantManifold& stable, const SectionPoint& shift,
                                               std::size_t most);

}  // namespace cotangent::chaos
