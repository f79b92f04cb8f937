// SPDX-License-Identifier: BSD-3-Clause
// Sinai's billiard: a square less a disc. Reference: Sinai, Russ. Math. Surv. 25 (1970) 137.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Sinai {
  static constexpr std::string_view name = "sinai";
  static constexpr std::string_view about = "Sinai's billiard: a square less a disc in its middle";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 1.0, "half side of the square", "length"}, {"radius", 0.4, "radius of the disc", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [a, r] = p;
    return all_of(a - x, a + x, a - y, a + y, square(x) + square(y) - r * r);
  }
};

}  // namespace cotangent::billiards
