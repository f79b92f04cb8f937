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
  /// The second derivative of g(q + s v) by s.
  virtual double curvature(const geometry::SpacePoint& q, const geometry::SpacePoint& v,
                           Values parameters) const = 0;
};

}  // namespace cotangent::sections
