// SPDX-License-Identifier: BSD-3-Clause
// The ellipsoid with semi-axes a, b, c along x, y, z: g = (x/a)^2 + (y/b)^2 + (z/c)^2 - 1. Its geodesics are
// integrable (Jacobi 1839); besides the energy, Joachimsthal's
//   (x^2/a^4 + y^2/b^4 + z^2/c^4) (x'^2/a^2 + y'^2/b^2 + z'^2/c^2)
// is conserved.
#pragma once

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Ellipsoid {
  static constexpr std::string_view name = "ellipsoid";
  static constexpr std::string_view about = "A particle on an ellipsoid";
  static constexpr std::array<Parameter, 3> parameters{
      {{"a", 1.5, "semi-axis along x"}, {"b", 1.0, "semi-axis along y"}, {"c", 0.7, "semi-axis along z"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [a, b, c] = p;
    return square(x / a) + square(y / b) + square(z / c) - 1.0;
  }

  static std::optional<std::string> objection(const std::array<double, 3>& p) {
    if (p[0] > 0 && p[1] > 0 && p[2] > 0) return std::nullopt;
    return "an ellipsoid has semi-axes a, b, c > 0";
  }
};

}  // namespace cotangent::mechanics
