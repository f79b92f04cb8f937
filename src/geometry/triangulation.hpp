// SPDX-License-Identifier: BSD-3-Clause
// Triangles of a surface g(x, y, z) = 0 in space, from g alone, by marching tetrahedra on a cubic lattice.
// Every cube that the surface crosses is cut into six tetrahedra along its diagonal, and each of these by a
// plane; so the triangles always make up a closed surface without branches, whatever its genus, or one whose
// edge lies on the border of a box. Vertices are roots of g on the tetrahedra's edges, shared between
// triangles; triangles run counter-clockwise seen from where g > 0.
// Only what hangs together with given points is found, from cube to neighbouring cube: the effort grows with
// the surface's area, not with the box. Limits: what is thinner than a cube may be lost, or grown together.
// References: Doi, Koide, IEICE Trans. E74 (1991) 214; Kuhn, IBM J. Res. Dev. 4 (1960) 518.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "geometry/level.hpp"

namespace cotangent::geometry {

/// A box with sides along the axes.
struct SpaceBox {
  SpacePoint low, high;

  double longest() const;
  /// Grows it to hold a point.
  void take(const SpacePoint& point);
  /// The smallest box around points. There must be one.
  static SpaceBox around(std::span<const SpacePoint> points);
  SpaceBox padded(double by) const;
};

struct Triangulation {
  std::vector<SpacePoint> vertices, normals;  ///< normals: grad g / |grad g|
  std::vector<std::array<std::int32_t, 3>> triangles;

  /// V - E + F; 2 - 2 genus for each closed component.
  std::int64_t euler_characteristic() const;
  /// Whether every edge belongs to two triangles, in opposite directions.
  bool closed() const;
  double area() const;
  /// Twice a triangle's area, along its normal.
  SpacePoint doubled_area(std::size_t triangle) const;
};

/// The part of the surface that hangs together with points on it, with cubes of a given side, inside a box
/// where there is one. Points that lie in no crossed cube are passed over. Nothing where there would be more
/// than `most` cubes. Along axes with a period, 0 elsewhere, after which g must repeat, the box counts for
/// nothing: one whole period is triangulated, cubes fill it evenly, no longer than the side, and what hangs
/// together across its ends belongs together.
std::optional<Triangulation> triangulate(const LevelFunction& g, std::span<const SpacePoint> points,
                                         double side, const std::optional<SpaceBox>& box = std::nullopt,
                                         const SpacePoint& periods = {},
                                         std::int64_t most = std::int64_t{1} << 24);

/// The box around the points and the cubes that triangulate() would cut; nothing where these are more than
/// `most`.
std::optional<SpaceBox> box_of_cubes(const LevelFunction& g, std::span<const SpacePoint> points, double side,
                                     const SpaceBox& box, const SpacePoint& periods, std::int64_t most);

/// Of points in the same cube the first alone: as many as triangulate() makes use of.
std::vector<SpacePoint> first_in_cubes(std::span<const SpacePoint> points, double side);

/// The box around the part of a surface that hangs together with points on it; nothing where it is unbounded,
/// or some thousand times as large as the points' coordinates, or as `scale`, or as many thousand times
/// smaller.
std::optional<SpaceBox> surface_box(const LevelFunction& g, std::span<const SpacePoint> points,
                                    double scale = 0);

}  // namespace cotangent::geometry
