#include "particles/starts.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "numerics/random.hpp"

namespace cotangent::particles {

namespace {

SpacePoint minus(const SpacePoint& a, const SpacePoint& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
SpacePoint cross(const SpacePoint& a, const SpacePoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
double dot(const SpacePoint& a, const SpacePoint& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// The least cosine between a triangle's normal and the surface's for which areas are right; slivers, which
/// have hardly any area, may have a smaller one.
constexpr double steepest = 0.85;

/// Twice the triangle's area times its normal.
SpacePoint doubled_area(const mechanics::Triangulation& surface, std::size_t t) {
  const auto& corner = surface.triangles[t];
  const auto at = [&](std::size_t k) { return surface.vertices[static_cast<std::size_t>(corner[k])]; };
  return cross(minus(at(1), at(0)), minus(at(2), at(0)));
}

}  // namespace

SurfacePoints::SurfacePoints(const mechanics::LevelFunction& g, const mechanics::Triangulation& surface)
    : g_(g), surface_(surface) {
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const SpacePoint a = doubled_area(surface, t);
    const double size = std::sqrt(dot(a, a));
    area_ += 0.5 * size;
    area_up_to_.push_back(area_);
  }
}

std::optional<SpacePoint> SurfacePoints::draw(std::uint64_t seed, std::uint64_t draw) const {
  const auto u = numerics::uniforms(seed, draw, 0), w = numerics::uniforms(seed, draw, 1);
  const auto t =
      static_cast<std::size_t>(std::ranges::upper_bound(area_up_to_, u[0] * area_) - area_up_to_.begin());
  const std::size_t triangle = std::min(t, surface_.triangles.size() - 1);
  const auto& corner = surface_.triangles[triangle];
  const double root = std::sqrt(u[1]), weight[3] = {1 - root, root * (1 - w[0]), root * w[0]};
  SpacePoint q{};
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t n = 0; n < 3; ++n)
      q[n] += weight[k] * surface_.vertices[static_cast<std::size_t>(corner[k])][n];
  }
  SpacePoint normal = doubled_area(surface_, triangle);
  const double size = std::sqrt(dot(normal, normal));
  for (double& x : normal) x /= size;
  const double far = std::sqrt(size);
  double way = 0;
  for (int iteration = 0; iteration < 50; ++iteration) {
    const auto [value, gradient] = g_(q);
    const double slope = dot(gradient, normal), change = -value / slope;
    if (!(std::abs(way + change) < 2 * far)) return std::nullopt;  // a sliver whose normal leads astray
    way += change;
    for (std::size_t n = 0; n < 3; ++n) q[n] += change * normal[n];
    if (std::abs(change) <= 1e-9 * far) {  // what is left is of second order in it
      const double cosine = std::abs(slope) / std::sqrt(dot(gradient, gradient));
      return w[1] * cosine < steepest ? std::optional(q) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::vector<SpacePoint> uniform_points(const SurfacePoints& surface, std::int64_t count, std::uint64_t seed) {
  std::vector<SpacePoint> points;
  for (std::uint64_t draw = 0; std::ssize(points) < count; ++draw) {
    if (const auto point = surface.draw(seed, draw)) points.push_back(*point);
  }
  return points;
}

bool SpacedPoints::free(const SpacePoint& q) const {
  for (const Grid::Key key : grid_.keys_around(grid_.cell(q.data()))) {
    const auto there = kept_.find(key);
    if (there == kept_.end()) continue;
    for (const SpacePoint& other : there->second) {
      auto r = minus(q, other);
      if (image_.squared_distance(r) < squared_) return false;
    }
  }
  return true;
}

void SpacedPoints::add(const SpacePoint& q) {
  kept_[grid_.key(q.data())].push_back(q);
}

std::vector<SpacePoint> even_points(const SurfacePoints& surface, std::int64_t count, std::uint64_t seed,
                                    const Periods& periods, double& distance) {
  distance = 0.7 * std::sqrt(surface.area() / static_cast<double>(count));
  SpacedPoints kept(distance, periods);
  std::vector<SpacePoint> points;
  const std::uint64_t most = 2000 * static_cast<std::uint64_t>(count) + 100000;
  for (std::uint64_t draw = 0; std::ssize(points) < count; ++draw) {
    if (draw > most) throw Error("no room for so many particles, evenly spread: the surface is too folded");
    const auto point = surface.draw(seed, draw);
    if (!point || !kept.free(*point)) continue;
    kept.add(*point);
    points.push_back(*point);
  }
  return points;
}

std::array<double, 3> thermal_velocity(std::int64_t id, const std::array<double, 3>& gradient,
                                       double temperature, double mass, std::uint64_t seed) {
  constexpr std::uint64_t draw = ~std::uint64_t{0} >> 2;  // no step's number
  auto v = numerics::normals(seed, static_cast<std::uint64_t>(id), draw);
  const double along = dot(v, gradient) / dot(gradient, gradient), size = std::sqrt(temperature / mass);
  for (std::size_t n = 0; n < 3; ++n) v[n] = size * (v[n] - along * gradient[n]);
  return v;
}

}  // namespace cotangent::particles
