// SPDX-License-Identifier: BSD-3-Clause
// The Fermi-Pasta-Ulam-Tsingou chain with a quartic bond: U(r) = r^2 / 2 + beta r^4 / 4, r = q_n+1 - q_n.
// Reference: Fermi, Pasta, Ulam, Tsingou, Los Alamos report LA-1940 (1955).
#pragma once

#include "lattice/kernel.hpp"
#include "lattice/point.hpp"

namespace cotangent::lattice {

struct FputBeta {
  static constexpr std::string_view name = "fput-beta";
  static constexpr std::string_view about = "Fermi-Pasta-Ulam-Tsingou chain, bonds with a quartic term";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"beta", 1.0, "of the quartic term"}}};

  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {1, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      const auto [a, b] = q;
      const auto [beta] = p;
      const auto square = ad::square(b - a);
      return -(square * (0.5 + (0.25 * beta) * square));
    }
  };
  using Terms = std::tuple<UnitMass, Bond>;
  static LinearChain linear(const std::array<double, 1>&) { return {1.0, 0.0}; }
};

}  // namespace cotangent::lattice
