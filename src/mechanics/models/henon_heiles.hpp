// SPDX-License-Identifier: BSD-3-Clause
// The Henon-Heiles system: a star in the plane of an axisymmetric galaxy. Escape is possible from E = 1/6 on.
//   L = (v1^2 + v2^2)/2 - (q1^2 + q2^2)/2 - q1^2 q2 + q2^3/3
// Reference: Henon, Heiles, Astron. J. 69 (1964) 73; Hairer, Lubich, Wanner (2006), I.3.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct HenonHeiles {
  static constexpr std::string_view name = "henon-heiles";
  static constexpr std::string_view about =
      "Henon-Heiles: a star in the plane of a galaxy; chaos from E = 1/8 on";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"q1"}, {"q2"}}};
  static constexpr std::array<Parameter, 0> parameters{};

  auto operator()(const auto& q, const auto& v) const {
    const auto [q1, q2] = q;
    const auto [v1, v2] = v;
    return 0.5 * (v1 * v1 + v2 * v2) - q1 * q1 * (0.5 + q2) + q2 * q2 * (q2 - 1.5) / 3.0;
  }
};

}  // namespace cotangent::mechanics
