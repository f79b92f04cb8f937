// SPDX-License-Identifier: BSD-3-Clause
// Ricker's wavelet, the second derivative of a Gaussian: finite at r = 0, a well at r_e, nothing far away,
//   U = (depth / 2) (1 - 3 x) exp(3 (1 - x) / 2),   x = (r / r_e)^2.
// U(r_e) = -depth, U(0) = depth exp(3/2) / 2. Reference: D. Shapero, "Billiards on surfaces" (shapero.xyz),
// part on interacting particles.
#pragma once

#include "mechanics/pair_potential.hpp"

namespace cotangent::mechanics {

struct Ricker {
  static constexpr std::string_view name = "ricker";
  static constexpr std::string_view about =
      "Ricker's wavelet: repels, attracts, and falls off like a Gaussian";
  static constexpr std::array<Parameter, 2> parameters{
      {{"depth", 0.5, "of the well"}, {"r_e", 1.0 / 6, "distance of least energy", "length"}}};

  [[gnu::always_inline]] auto operator()(const auto& s, const auto& p) const {
    const auto [depth, r_e] = p;
    const auto x = s * (1.0 / (r_e * r_e));
    return (1.0 - 3.0 * x) * exp(1.5 - 1.5 * x) * (0.5 * depth);
  }
  static double scale(const std::array<double, 2>& p) { return p[1]; }
};

}  // namespace cotangent::mechanics
