// SPDX-License-Identifier: BSD-3-Clause
// Bunimovich's stadium: two half discs joined by a rectangle, as a union of its convex parts.
//   (a^2 - x^2 > 0 and r^2 - y^2 > 0) or r^2 - (x - a)^2 - y^2 > 0 or r^2 - (x + a)^2 - y^2 > 0
// Ergodic for every a > 0. Reference: Bunimovich, Commun. Math. Phys. 65 (1979) 295.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Stadium {
  static constexpr std::string_view name = "stadium";
  static constexpr std::string_view about = "Bunimovich's stadium: two half discs joined by a rectangle";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 1.0, "half length of the straight sides", "length"},
       {"radius", 1.0, "radius of the ends", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [a, r] = p;
    return any_of(all_of(a - x, a + x, r - y, r + y), r * r - square(x - a) - square(y),
                  r * r - square(x + a) - square(y));
  }
};

}  // namespace cotangent::billiards
