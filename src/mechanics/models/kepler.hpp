// SPDX-License-Identifier: BSD-3-Clause
// The Kepler problem in its plane: a body of unit mass about a fixed centre at the origin.
//   L = (x'^2 + y'^2)/2 + mu/r,  r^2 = x^2 + y^2
// Ellipses for E < 0, with semi-axis mu/(2|E|) and period 2 pi (semi-axis^3/mu)^(1/2). Collisions (r = 0) are
// not regularised. Reference: Landau, Lifshitz, Mechanics, 15; Hairer, Lubich, Wanner (2006), I.2.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct Kepler {
  static constexpr std::string_view name = "kepler";
  static constexpr std::string_view about = "Kepler problem in the plane: a body about a fixed centre";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<Parameter, 1> parameters{
      {{"mu", 1.0, "gravitational constant times the mass of the centre"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::sqrt, ad::square;
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    const auto [mu] = p;
    return 0.5 * (square(x_dot) + square(y_dot)) + mu / sqrt(square(x) + square(y));
  }
};

}  // namespace cotangent::mechanics
