// SPDX-License-Identifier: BSD-3-Clause
// The sphere about the origin: g = x^2 + y^2 + z^2 - r^2. With gravity, the spherical pendulum.
#pragma once

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Sphere {
  static constexpr std::string_view name = "sphere";
  static constexpr std::string_view about = "A particle on a sphere; with gravity, the spherical pendulum";
  static constexpr std::array<Parameter, 1> parameters{{{"r", 1.0, "radius"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [r] = p;
    return square(x) + square(y) + square(z) - square(r);
  }

  static std::optional<std::string> objection(const std::array<double, 1>& p) {
    if (p[0] > 0) return std::nullopt;
    return "a sphere has a radius r > 0: otherwise it is empty";
  }
};

}  // namespace cotangent::mechanics
