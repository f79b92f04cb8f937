// SPDX-License-Identifier: BSD-3-Clause
// The elastic pendulum, or swinging spring: a bob at (x, y) on a spring whose pivot is the origin, y upwards.
//   L = m (x'^2 + y'^2)/2 - m g y - k (r - l0)^2/2,  r^2 = x^2 + y^2
// At rest it hangs at y = -(l0 + m g/k). The defaults set spring : swing = 2 : 1 there (k l = 4 m g for the
// hanging length l), where the two exchange their energy. The pivot itself (r = 0) is singular unless l0 = 0.
// Reference: Vitt, Gorelik, J. Tech. Phys. (USSR) 3 (1933) 294; Lynch, Int. J. Nonlinear Mech. 37 (2002) 345.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct ElasticPendulum {
  static constexpr std::string_view name = "elastic-pendulum";
  static constexpr std::string_view about =
      "Elastic pendulum: a bob on a swinging spring, in 2 : 1 resonance";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<Parameter, 4> parameters{{{"m", 1.0, "mass of the bob"},
                                                        {"k", 4.0, "stiffness of the spring"},
                                                        {"l0", 0.75, "length of the spring without load"},
                                                        {"g", 1.0, "gravitational acceleration"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::sqrt, ad::square;
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    const auto [m, k, l0, g] = p;
    const auto stretch = sqrt(square(x) + square(y)) - l0;
    return 0.5 * m * (square(x_dot) + square(y_dot)) - m * g * y - 0.5 * k * square(stretch);
  }
};

}  // namespace cotangent::mechanics
