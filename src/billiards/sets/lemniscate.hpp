// SPDX-License-Identifier: BSD-3-Clause
// Inside a Cassini oval, (x^2 + y^2)^2 = 2 a^2 (x^2 - y^2) + level: Bernoulli's lemniscate, in two halves
// that meet in a point where the gradient vanishes, for level = 0; one domain with a waist for level > 0.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Lemniscate {
  static constexpr std::string_view name = "lemniscate";
  static constexpr std::string_view about = "Inside a lemniscate, or a Cassini oval about it";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 1.0, "half distance of the foci", "length"}, {"level", 0.1, "above that of the lemniscate"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [a, level] = p;
    const auto xx = square(x);
    const auto yy = square(y);
    return level + (2 * a * a) * (xx - yy) - square(xx + yy);
  }
};

}  // namespace cotangent::billiards
