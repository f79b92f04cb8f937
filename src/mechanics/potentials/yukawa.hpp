// SPDX-License-Identifier: BSD-3-Clause
// Yukawa: U = strength exp(-r / length) / r, a screened charge.
#pragma once

#include "mechanics/pair_potential.hpp"

namespace cotangent::mechanics {

struct Yukawa {
  static constexpr std::string_view name = "yukawa";
  static constexpr std::string_view about =
      "Yukawa: screened charges that repel (attract where strength < 0)";
  static constexpr std::array<Parameter, 2> parameters{
      {{"strength", 1.0, "energy times distance, without the screening"},
       {"length", 1.0, "over which the charge is screened", "length"}}};

  [[gnu::always_inline]] auto operator()(const auto& s, const auto& p) const {
    const auto [strength, length] = p;
    const auto r = sqrt(s);
    return exp(r * (-1.0 / length)) / r * strength;
  }
  static double scale(const std::array<double, 2>& p) { return p[1]; }
};

}  // namespace cotangent::mechanics
