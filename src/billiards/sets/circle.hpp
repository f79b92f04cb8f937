// SPDX-License-Identifier: BSD-3-Clause
// The disc within a circle: omega = r^2 - x^2 - y^2.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Circle {
  static constexpr std::string_view name = "circle";
  static constexpr std::string_view about = "The disc within a circle";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"radius", 1.0, "radius", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [r] = p;
    return r * r - square(x) - square(y);
  }
};

}  // namespace cotangent::billiards
