// SPDX-License-Identifier: BSD-3-Clause
// The torus about the z axis: g = (rho - R)^2 + z^2 - r^2, rho^2 = x^2 + y^2, with R > r > 0. Its geodesics
// conserve the angular momentum about the axis (Clairaut).
#pragma once

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Torus {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view about = "A particle on a torus about the z axis";
  static constexpr std::array<Parameter, 2> parameters{
      {{"R", 1.0, "radius of the circle in the middle of the tube"}, {"r", 0.4, "radius of the tube"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::sqrt, ad::square;
    const auto [x, y, z] = q;
    const auto [R, r] = p;
    return square(sqrt(square(x) + square(y)) - R) + square(z) - square(r);
  }

  static std::optional<std::string> objection(const std::array<double, 2>& p) {
    if (p[0] > p[1] && p[1] > 0) return std::nullopt;
    return "a torus has R > r > 0: otherwise it is empty or meets itself";
  }
};

}  // namespace cotangent::mechanics
