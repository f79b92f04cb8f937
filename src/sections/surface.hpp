// SPDX-License-Identifier: BSD-3-Clause
// The surface g(x, y, z) = 0 of a particle's motion, given the problem's parameters: what studies ask that
// draw it or put something on it.
#pragma once

#include "geometry/level.hpp"
#include "sections/statement.hpp"

namespace cotangent::sections {

class Surface {
 public:
  virtual ~Surface() = default;
  /// g and its gradient.
  virtual geometry::LevelPoint level(const geometry::SpacePoint& q, Values parameters) const = 0;
  /// The same at `count` points, side by side in lanes: in each array a number for every point.
  virtual void levels(std::size_t count, const std::array<const double*, 3>& q, double* value,
                      const std::array<double*, 3>& gradient, Values parameters) const = 0;
  /// The second derivative of g(q + s v) by s.
  virtual double curvature(const geometry::SpacePoint& q, const geometry::SpacePoint& v,
                           Values parameters) const = 0;
};

}  // namespace cotangent::sections
