// SPDX-License-Identifier: BSD-3-Clause
// Where particles on a surface may start: anywhere by its area, or evenly; at rest or at a temperature. Each
// rank makes its own from a seed: all together are the same on any number of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "geometry/triangulation.hpp"
#include "particles/image.hpp"
#include "particles/particle_arrays.hpp"
#include "particles/sieve.hpp"

namespace cotangent::particles {

/// Points drawn from a surface's area, uniformly: from a triangle by its area, from within it, along its
/// normal onto the surface, and kept by how much the surface is the larger there. Where the triangles are
/// small beside the radii of curvature the density is uniform to the square of that ratio.
class SurfacePoints {
 public:
  SurfacePoints(const geometry::LevelFunction& g, const geometry::Triangulation& surface);
  /// The draw-th trial: a point, or nothing.
  std::optional<SpacePoint> draw(std::uint64_t seed, std::uint64_t draw) const;
  /// The points of the trials from `first` to before `last`, less than 2^32 of them, in any order.
  std::vector<NumberedPoint> draws(std::uint64_t seed, std::uint64_t first, std::uint64_t last) const;
  double area() const { return area_; }
  const geometry::Triangulation& surface() const { return surface_; }

 private:
  std::size_t triangle_at(double share) const;
  std::optional<SpacePoint> draw_on(std::size_t triangle, std::uint64_t seed, std::uint64_t draw) const;
  const geometry::LevelFunction& g_;
  const geometry::Triangulation& surface_;
  std::vector<double> area_up_to_;           ///< of all triangles up to one
  std::vector<std::int32_t> no_later_than_;  ///< a triangle for each of as many equal shares of the area
  double area_ = 0.0;
};

/// Points no two of which are close, round the periods.
class SpacedPoints {
 public:
  SpacedPoints(double distance, const Periods& periods)
      : squared_(distance * distance), image_(periods), grid_(distance, periods) {}
  /// Whether all points are at least the distance away.
  bool free(const SpacePoint& q) const;
  void add(const SpacePoint& q);

 private:
  double squared_;
  Image image_;
  Grid grid_;
  std::unordered_map<Grid::Key, std::vector<SpacePoint>> kept_;
};

/// So many points, each drawn for itself, numbered in the order of their trials; those that this rank keeps.
/// Collective.
std::vector<NumberedPoint> uniform_points(const SurfacePoints& surface, std::int64_t count,
                                          std::uint64_t seed);

/// So many points no two of which are close: drawn one after the other, and kept where none is nearer than
/// the distance, which is then returned, 0.7 sqrt(area / count). Round the periods. Collective.
std::vector<NumberedPoint> even_points(const SurfacePoints& surface, std::int64_t count, std::uint64_t seed,
                                       const Periods& periods, double& distance);

/// Velocities of a temperature, tangent to the surface: each tangent component is normal with variance
/// temperature / mass. The gradient is that of g where the particle is.
std::array<double, 3> thermal_velocity(std::int64_t id, const std::array<double, 3>& gradient,
                                       double temperature, double mass, std::uint64_t seed);

}  // namespace cotangent::particles
