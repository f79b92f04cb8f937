// SPDX-License-Identifier: BSD-3-Clause
// An egg: omega = 1 - (x/a)^2 - (y/b)^2 exp(k x), an ellipse that is blunter on one side; no polynomial.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Egg {
  static constexpr std::string_view name = "egg";
  static constexpr std::string_view about = "An egg, the ellipse with one blunter end";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 3> parameters{{{"a", 1.3, "half axis along x", "length"},
                                                        {"b", 1.0, "half axis along y", "length"},
                                                        {"k", 0.4, "how blunt one end is"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    using std::exp;
    const auto& [x, y] = q;
    const auto [a, b, k] = p;
    return 1.0 - square(x / a) - square(y / b) * exp(k * x);
  }
};

}  // namespace cotangent::billiards
