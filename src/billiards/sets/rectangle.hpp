// SPDX-License-Identifier: BSD-3-Clause
// A rectangle about its centre: omega = a - x, a + x, b - y, b + y, all of them positive.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Rectangle {
  static constexpr std::string_view name = "rectangle";
  static constexpr std::string_view about = "A rectangle about its centre";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 1.0, "half side along x", "length"}, {"b", 1.0, "half side along y", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    const auto& [x, y] = q;
    const auto [a, b] = p;
    return all_of(a - x, a + x, b - y, b + y);
  }
};

}  // namespace cotangent::billiards
