// SPDX-License-Identifier: BSD-3-Clause
// A surface in space as others see it who don't know its formula: the level set g = 0 with its gradient.
#pragma once

#include <array>
#include <functional>

namespace cotangent::geometry {

using SpacePoint = std::array<double, 3>;

/// g and its gradient at a point.
struct LevelPoint {
  double value = 0;
  SpacePoint gradient{};
};
using LevelFunction = std::function<LevelPoint(const SpacePoint&)>;

}  // namespace cotangent::geometry
