// SPDX-License-Identifier: BSD-3-Clause
// The mathematical pendulum in its angle: L = m l^2 angle'^2 / 2 + m g l cos(angle), at rest for angle = 0.
// The period at amplitude A is 4 K(sin(A/2)) (l/g)^(1/2). As a point on a circle: planar-pendulum.
// Reference: Landau, Lifshitz, Mechanics, 11.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct Pendulum {
  static constexpr std::string_view name = "pendulum";
  static constexpr std::string_view about = "The mathematical pendulum in its angle";
  static constexpr int dim = 1;
  static constexpr std::array<Coordinate, dim> coordinates{{{"angle", "rad", true}}};
  static constexpr std::array<Parameter, 3> parameters{{{"mass", 1.0, "of the bob"},
                                                        {"length", 1.0, "of the rod"},
                                                        {"gravity", 1.0, "acceleration of free fall"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::square;
    const auto [angle] = q;
    const auto [rate] = v;
    const auto [mass, length, gravity] = p;
    return mass * length * (0.5 * length * square(rate) + gravity * cos(angle));
  }
};

}  // namespace cotangent::mechanics
