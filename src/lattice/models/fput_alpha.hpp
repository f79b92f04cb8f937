// SPDX-License-Identifier: BSD-3-Clause
// The Fermi-Pasta-Ulam-Tsingou chain with a cubic bond: U(r) = r^2 / 2 + alpha r^3 / 3, r = q_n+1 - q_n.
// Reference: Fermi, Pasta, Ulam, Tsingou, Los Alamos report LA-1940 (1955).
#pragma once

#include "lattice/kernel.hpp"
#include "lattice/point.hpp"

namespace cotangent::lattice {

struct FputAlpha {
  static constexpr std::string_view name = "fput-alpha";
  static constexpr std::string_view about = "Fermi-Pasta-Ulam-Tsingou chain, bonds with a cubic term";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"alpha", 0.25, "of the cubic term"}}};

  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {1, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      const auto [a, b] = q;
      const auto [alpha] = p;
      const auto r = b - a;
      return -(r * r * (0.5 + (alpha / 3) * r));
    }
  };
  using Terms = std::tuple<UnitMass, Bond>;
  static LinearChain linear(const std::array<double, 1>&) { return {1.0, 0.0}; }
};

}  // namespace cotangent::lattice
