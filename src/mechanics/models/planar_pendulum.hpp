// SPDX-License-Identifier: BSD-3-Clause
// The planar pendulum as a point on a circle: L = mass |v|^2 / 2 - mass gravity y, g = (length^2 - |q|^2)
// / 2. The multiplier is the rod's tension over its length: (mass |v|^2 - mass gravity y) / length^2, 1 at
// rest at the bottom for unit parameters. A swing from rest at the angle a takes 4 K(sin(a/2)) sqrt(length /
// gravity). Reference: P. Mullen, M. Desbrun, CS 101: Numerical Geometric Integration, slides "Projection
// Methods & Constraints".
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct PlanarPendulum {
  static constexpr std::string_view name = "planar-pendulum";
  static constexpr std::string_view about = "Pendulum in a plane, as a point held on a circle";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<Parameter, 3> parameters{
      {{"length", 1.0, "of the rod"},
       {"mass", 1.0, "of the bob"},
       {"gravity", 1.0, "acceleration of free fall, down the y axis"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x, y] = q;
    const auto [u, w] = v;
    const auto [length, mass, gravity] = p;
    return mass * (0.5 * (square(u) + square(w)) - gravity * y);
  }
  [[gnu::always_inline]] auto constraint(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y] = q;
    return 0.5 * (square(p[0]) - square(x) - square(y));
  }

  static std::optional<std::string> objection(const std::array<double, 3>& p) {
    if (!(p[0] > 0)) return "a pendulum has a length > 0";
    if (!(p[1] > 0)) return "mass must be positive";
    return std::nullopt;
  }
};

}  // namespace cotangent::mechanics
