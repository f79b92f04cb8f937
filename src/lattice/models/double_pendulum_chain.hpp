// SPDX-License-Identifier: BSD-3-Clause
// A chain of planar double pendulums that hang side by side, the lower bobs of neighbours coupled through the
// angle between them: a lattice whose mass matrix depends on the positions.
//   L = sum over sites of (m1 + m2) l1^2 a'^2 / 2 + m2 l2^2 b'^2 / 2 + m2 l1 l2 a' b' cos(a - b)
//       + (m1 + m2) g l1 cos a + m2 g l2 cos b  -  sum over bonds of coupling (1 - cos(b_n+1 - b_n))
// Reference: Landau, Lifshitz, Mechanics, 5, problem 1, for one of them.
#pragma once

#include "lattice/kernel.hpp"

namespace cotangent::lattice {

struct DoublePendulumChain {
  static constexpr std::string_view name = "double-pendulum-chain";
  static constexpr std::string_view about = "chain of coupled double pendulums: a mass matrix that moves";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, 2> coordinates{{{"a", "rad", true}, {"b", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 6> parameters{{{"m1", 1.0, "mass of the upper bobs"},
                                                                   {"m2", 1.0, "mass of the lower bobs"},
                                                                   {"l1", 1.0, "length of the upper rods"},
                                                                   {"l2", 1.0, "length of the lower rods"},
                                                                   {"g", 1.0, "gravitational acceleration"},
                                                                   {"coupling", 1.0, "of neighbours"}}};

  struct Site {
    static constexpr std::string_view name = "site";
    static constexpr std::array<Offset, 1> sites{{{0, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
      using ad::sincos, ad::square;
      const auto [a, b] = q;
      const auto [a_dot, b_dot] = v;
      const auto [m1, m2, l1, l2, g, coupling] = p;
      const auto [sin_a, cos_a] = sincos(a);
      const auto [sin_b, cos_b] = sincos(b);
      const auto cos_difference = cos_a * cos_b + sin_a * sin_b;
      const auto mass = m1 + m2;
      return (0.5 * mass * l1 * l1) * square(a_dot) + (0.5 * m2 * l2 * l2) * square(b_dot) +
             (m2 * l1 * l2) * (cos_difference * (a_dot * b_dot)) + (mass * g * l1) * cos_a +
             (m2 * g * l2) * cos_b;
    }
  };
  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {1, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      using ad::sincos;
      const auto [a, b, next_a, next_b] = q;
      const auto [sine, cosine] = sincos(next_b - b);
      return (cosine - 1.0) * p[5];
    }
  };
  using Terms = std::tuple<Site, Bond>;
};

}  // namespace cotangent::lattice
