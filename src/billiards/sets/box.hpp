// SPDX-License-Identifier: BSD-3-Clause
// A box about its centre: omega = a - x, a + x, b - y, b + y, c - z, c + z, all of them positive.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Box {
  static constexpr std::string_view name = "box";
  static constexpr std::string_view about = "A box about its centre";
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 3> parameters{{{"a", 1.0, "half side along x", "length"},
                                                        {"b", 1.0, "half side along y", "length"},
                                                        {"c", 1.0, "half side along z", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    const auto& [x, y, z] = q;
    const auto [a, b, c] = p;
    return all_of(a - x, a + x, b - y, b + y, c - z, c + z);
  }
};

}  // namespace cotangent::billiards
