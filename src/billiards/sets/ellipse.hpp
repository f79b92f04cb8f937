// SPDX-License-Identifier: BSD-3-Clause
// The inside of an ellipse: omega = 1 - (x/a)^2 - (y/b)^2. Its billiard is integrable (Birkhoff 1927).
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Ellipse {
  static constexpr std::string_view name = "ellipse";
  static constexpr std::string_view about = "The inside of an ellipse with axes along x and y";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 2.0, "half axis along x", "length"}, {"b", 1.0, "half axis along y", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [a, b] = p;
    return 1.0 - square(x / a) - square(y / b);
  }
};

}  // namespace cotangent::billiards
