// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/islands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "chaos/birkhoff.hpp"

namespace cotangent::chaos {

namespace {

using Point = std::array<double, 2>;

struct Curve {
  Point centre{};
  double radius = 0;  ///< root mean square
};
Curve about(const std::vector<Point>& points) {
  Curve curve;
  const auto count = static_cast<double>(points.size());
  for (const Point& z : points) {
    for (std::size_t i = 0; i < 2; ++i) curve.centre[i] += z[i] / count;
  }
  double sum = 0;
  for (const Point& z : points)
    sum += std::pow(z[0] - curve.centre[0], 2) + std::pow(z[1] - curve.centre[1], 2);
  curve.radius = std::sqrt(sum / count);
  return curve;
}

/// In units of how far they spread along either axis.
std::vector<Point> of_unit_spread(std::span<const Point> points) {
  std::vector<Point> result(points.begin(), points.end());
  const Point centre = about(result).centre;
  for (std::size_t i = 0; i < 2; ++i) {
    double sum = 0;
    for (const Point& z : points) sum += std::pow(z[i] - centre[i], 2);
    const double spread = std::sqrt(sum / static_cast<double>(points.size()));
    for (Point& z : result) z[i] = (z[i] - centre[i]) / spread;
  }
  return result;
}

bool apart(const Curve& a, const Curve& b) {
  return std::hypot(a.centre[0] - b.centre[0], a.centre[1] - b.centre[1]) > a.radius + b.radius;
}

/// Whether every n-th point stays on a curve of its own.
bool visits(const std::vector<Point>& points, std::size_t n) {
  std::vector<Curve> curves;
  std::vector<Point> own;
  for (std::size_t first = 0; first < n; ++first) {
    own.clear();
    for (std::size_t k = first; k < points.size(); k += n) own.push_back(points[k]);
    const Curve curve = about(own);
    if (!std::ranges::all_of(curves, [&](const Curve& other) { return apart(curve, other); })) return false;
    const std::vector<double> turned = turns(own, curve.centre);
    if (!(std::abs(std::accumulate(turned.begin(), turned.end(), 0.0)) >= 1)) return false;
    curves.push_back(curve);
  }
  return true;
}

}  // namespace

int islands(std::span<const Point> points) {
  constexpr std::size_t most = 100, least_points = 8;
  const std::vector<Point> scaled = of_unit_spread(points);
  for (std::size_t n = std::min(most, points.size() / least_points); n > 1; --n) {
    if (visits(scaled, n)) return static_cast<int>(n);
  }
  return 1;
}

}  // namespace cotangent::chaos
