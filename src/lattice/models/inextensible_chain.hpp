// SPDX-License-Identifier: BSD-3-Clause
// A chain of point masses joined by rods of fixed length, in a vertical plane under gravity; y points upward.
//   L = sum over sites of mass ((x'^2 + y'^2) / 2 - g y),  ((x_n+1 - x_n)^2 + (y_n+1 - y_n)^2 - l^2) / (2 l)
//   = 0
// Reference: Hairer, Lubich, Wanner, Geometric Numerical Integration (2006), VII.1.2, for constrained motion.
#pragma once

#include "lattice/kernel.hpp"

namespace cotangent::lattice {

struct InextensibleChain {
  static constexpr std::string_view name = "inextensible-chain";
  static constexpr std::string_view about =
      "chain of masses joined by rods, in a vertical plane: constraints";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, 2> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"mass", 1.0, "of a site"}, {"g", 1.0, "gravitational acceleration"}, {"length", 1.0, "of a rod"}}};

  struct Bob {
    static constexpr std::string_view name = "bob";
    static constexpr std::array<Offset, 1> sites{{{0, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
      const auto [x, y] = q;
      const auto [x_dot, y_dot] = v;
      const auto [mass, g, length] = p;
      return (0.5 * mass) * (ad::square(x_dot) + ad::square(y_dot)) - (mass * g) * y;
    }
  };
  struct Rod {
    static constexpr std::string_view name = "rod";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {1, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
      const auto [x, y, next_x, next_y] = q;
      const auto length = p[2];
      return (ad::square(next_x - x) + ad::square(next_y - y) - length * length) * (0.5 / length);
    }
  };
  using Terms = std::tuple<Bob>;
  using Constraints = std::tuple<Rod>;
  static double spacing(const std::array<double, 3>& p) { return p[2]; }
};

}  // namespace cotangent::lattice
