// SPDX-License-Identifier: BSD-3-Clause
// The inside of an ellipsoid: omega = 1 - (x/a)^2 - (y/b)^2 - (z/c)^2.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Ellipsoid {
  static constexpr std::string_view name = "ellipsoid";
  static constexpr std::string_view about = "The inside of an ellipsoid with axes along x, y and z";
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 3> parameters{{{"a", 2.0, "half axis along x", "length"},
                                                        {"b", 1.5, "half axis along y", "length"},
                                                        {"c", 1.0, "half axis along z", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y, z] = q;
    const auto [a, b, c] = p;
    return 1.0 - square(x / a) - square(y / b) - square(z / c);
  }
};

}  // namespace cotangent::billiards
