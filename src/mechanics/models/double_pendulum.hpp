// SPDX-License-Identifier: BSD-3-Clause
// The planar double pendulum: two bobs on massless rods, angles a and b from the downward vertical.
//   L = (m1 + m2) l1^2 a'^2 / 2 + m2 l2^2 b'^2 / 2 + m2 l1 l2 a' b' cos(a-b)
//       + (m1 + m2) g l1 cos a + m2 g l2 cos b
// Reference: Landau, Lifshitz, Mechanics, 5, problem 1.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct DoublePendulum {
  static constexpr std::string_view name = "double-pendulum";
  static constexpr std::string_view about = "Double pendulum: two bobs on rods, chaotic at moderate energies";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"a", "rad", true}, {"b", "rad", true}}};
  static constexpr std::array<Parameter, 5> parameters{{{"m1", 1.0, "mass of the upper bob"},
                                                        {"m2", 1.0, "mass of the lower bob"},
                                                        {"l1", 1.0, "length of the upper rod"},
                                                        {"l2", 1.0, "length of the lower rod"},
                                                        {"g", 1.0, "gravitational acceleration"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::sincos, ad::square;
    const auto [a, b] = q;
    const auto [a_dot, b_dot] = v;
    const auto [m1, m2, l1, l2, g] = p;
    const auto [sin_a, cos_a] = sincos(a);
    const auto [sin_b, cos_b] = sincos(b);
    const auto cos_difference = cos_a * cos_b + sin_a * sin_b;
    const auto mass = m1 + m2;
    const auto kinetic = 0.5 * mass * l1 * l1 * square(a_dot) + 0.5 * m2 * l2 * l2 * square(b_dot) +
                         m2 * l1 * l2 * (cos_difference * (a_dot * b_dot));
    return kinetic + mass * g * l1 * cos_a + m2 * g * l2 * cos_b;
  }
};

}  // namespace cotangent::mechanics
