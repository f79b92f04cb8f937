// SPDX-License-Identifier: BSD-3-Clause
// Lennard-Jones: U = 4 epsilon ((sigma / r)^12 - (sigma / r)^6).
// Reference: Allen, Tildesley, Computer Simulation of Liquids (2017), 1.3.
#pragma once

#include "mechanics/pair_potential.hpp"

namespace cotangent::mechanics {

struct LennardJones {
  static constexpr std::string_view name = "lennard-jones";
  static constexpr std::string_view about = "Lennard-Jones 12-6: a hard core and an attracting tail";
  static constexpr std::array<Parameter, 2> parameters{
      {{"epsilon", 1.0, "depth of the well"}, {"sigma", 1.0, "distance of no energy", "length"}}};
  static constexpr double usual_cut = 2.5;  ///< times scale()

  [[gnu::always_inline]] auto operator()(const auto& s, const auto& p) const {
    const auto [epsilon, sigma] = p;
    const auto x = (1.0 / s) * (sigma * sigma);  // so, one division serves for the derivative too
    const auto x3 = ad::pow(x, 3);
    return (ad::pow(x3, 2) - x3) * (4.0 * epsilon);
  }
  static double scale(const std::array<double, 2>& p) { return p[1]; }
};

}  // namespace cotangent::mechanics
