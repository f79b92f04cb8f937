// SPDX-License-Identifier: BSD-3-Clause
// The cardioid rho = 2 a (1 + cos phi): omega = 4 a^2 rho^2 - (rho^2 - 2 a x)^2. At its cusp, the origin, the
// gradient vanishes. Ergodic. Reference: Robnik, J. Phys. A 16 (1983) 3971.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Cardioid {
  static constexpr std::string_view name = "cardioid";
  static constexpr std::string_view about = "The inside of a cardioid, its cusp at the centre";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{
      {{"a", 0.5, "radius of the rolling circle", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [a] = p;
    const auto rr = square(x) + square(y);
    return (4 * a * a) * rr - square(rr - (2 * a) * x);
  }
};

}  // namespace cotangent::billiards
