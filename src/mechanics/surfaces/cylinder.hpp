// SPDX-License-Identifier: BSD-3-Clause
// The cylinder about the z axis: g = x^2 + y^2 - r^2. Geodesics are helices.
#pragma once

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Cylinder {
  static constexpr std::string_view name = "cylinder";
  static constexpr std::string_view about = "A particle on a cylinder about the z axis";
  static constexpr std::array<Parameter, 1> parameters{{{"r", 1.0, "radius"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [r] = p;
    return square(x) + square(y) - square(r);
  }

  static std::optional<std::string> objection(const std::array<double, 1>& p) {
    if (p[0] > 0) return std::nullopt;
    return "a cylinder has a radius r > 0: otherwise it is a line, or empty";
  }
};

}  // namespace cotangent::mechanics
