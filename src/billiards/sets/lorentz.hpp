// SPDX-License-Identifier: BSD-3-Clause
// The Lorentz gas of discs on a hexagonal lattice, folded by its mirrors: the triangle of a disc's centre,
// the point halfway to the next and the middle of three, less the disc. A walk between its elastic walls is
// one through the lattice, with the same lengths of flight and Lyapunov exponents. Reference: Gaspard and
// Baras, Phys. Rev. E 51 (1995) 5332.
#pragma once

#include <numbers>

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct Lorentz {
  static constexpr std::string_view name = "lorentz";
  static constexpr std::string_view about =
      "The hexagonal Lorentz gas's triangle between mirrors, less its disc";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"spacing", 2.5, "distance of the discs' centres", "length"},
       {"radius", 1.0, "radius of the discs", "length"}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [spacing, r] = p;
    return all_of(y, 0.5 * spacing - x, x - std::numbers::sqrt3 * y, square(x) + square(y) - r * r);
  }
};

}  // namespace cotangent::billiards
