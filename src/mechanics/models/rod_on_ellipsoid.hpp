// SPDX-License-Identifier: BSD-3-Clause
// Two particles on an ellipsoid with semi-axes a, b, c, joined by a massless rigid rod: six coordinates,
// three constraints. Where the rod is normal to the surface at both its ends (an axis of the ellipsoid, as
// long as the rod), the constraints depend on one another.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct RodOnEllipsoid {
  static constexpr std::string_view name = "rod-on-ellipsoid";
  static constexpr std::string_view about = "Two particles on an ellipsoid, joined by a rigid rod";
  static constexpr int dim = 6;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x1"}, {"y1"}, {"z1"}, {"x2"}, {"y2"}, {"z2"}}};
  static constexpr std::array<Parameter, 7> parameters{
      {{"a", 1.5, "semi-axis along x"},
       {"b", 1.0, "semi-axis along y"},
       {"c", 0.7, "semi-axis along z"},
       {"length", 0.8, "of the rod"},
       {"m1", 1.0, "mass of the first particle"},
       {"m2", 1.0, "mass of the second particle"},
       {"gravity", 0.0, "acceleration of free fall, down the z axis"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x1, y1, z1, x2, y2, z2] = q;
    const auto [u1, w1, s1, u2, w2, s2] = v;
    const auto m1 = p[4], m2 = p[5], gravity = p[6];
    return m1 * (0.5 * (square(u1) + square(w1) + square(s1)) - gravity * z1) +
           m2 * (0.5 * (square(u2) + square(w2) + square(s2)) - gravity * z2);
  }
  [[gnu::always_inline]] auto constraint(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x1, y1, z1, x2, y2, z2] = q;
    const auto a = p[0], b = p[1], c = p[2], length = p[3];
    return std::tuple(square(x1 / a) + square(y1 / b) + square(z1 / c) - 1.0,
                      square(x2 / a) + square(y2 / b) + square(z2 / c) - 1.0,
                      square(x2 - x1) + square(y2 - y1) + square(z2 - z1) - square(length));
  }

  static std::optional<std::string> objection(const std::array<double, 7>& p) {
    if (!(p[0] > 0 && p[1] > 0 && p[2] > 0)) return "an ellipsoid has semi-axes a, b, c > 0";
    if (!(p[4] > 0 && p[5] > 0)) return "the masses m1, m2 must be positive";
    if (p[3] > 0 && p[3] < 2 * std::max({p[0], p[1], p[2]})) return std::nullopt;
    return "the rod has a length > 0 and less than the longest axis, 2 max(a, b, c)";
  }
};

}  // namespace cotangent::mechanics
