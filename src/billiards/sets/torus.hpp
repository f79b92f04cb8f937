// SPDX-License-Identifier: BSD-3-Clause
// Inside a torus about the z axis: omega = r^2 - (rho - R)^2 - z^2 without its root, with rho^2 = x^2 + y^2,
//   4 R^2 rho^2 - (rho^2 + z^2 + R^2 - r^2)^2.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Torus {
  static constexpr std::string_view name = "torus";
  static constexpr std::string_view about = "The inside of a torus about the z axis";
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 2> parameters{
      {{"R", 1.0, "radius of the circle in the middle of the tube", "length"},
       {"r", 0.4, "radius of the tube", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y, z] = q;
    const auto [R, r] = p;
    const auto rho = square(x) + square(y);
    return (4 * R * R) * rho - square(rho + square(z) + (R * R - r * r));
  }

  static std::optional<std::string> objection(const std::array<double, 2>& p) {
    if (p[0] > p[1] && p[1] > 0) return std::nullopt;
    return "a torus has R > r > 0: otherwise it is empty or meets itself";
  }
};

}  // namespace cotangent::billiards
