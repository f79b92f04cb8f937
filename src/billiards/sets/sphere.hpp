// SPDX-License-Identifier: BSD-3-Clause
// The ball within a sphere: omega = r^2 - x^2 - y^2 - z^2.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Sphere {
  static constexpr std::string_view name = "sphere";
  static constexpr std::string_view about = "The ball within a sphere";
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 1> parameters{{{"radius", 1.0, "radius", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y, z] = q;
    const auto [r] = p;
    return r * r - square(x) - square(y) - square(z);
  }
};

}  // namespace cotangent::billiards
