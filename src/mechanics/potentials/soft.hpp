// SPDX-License-Identifier: BSD-3-Clause
// Soft repulsion that ends at r = sigma with its first derivative: U = strength (1 - (r / sigma)^2)^2.
#pragma once

#include "mechanics/pair_potential.hpp"

namespace cotangent::mechanics {

struct Soft {
  static constexpr std::string_view name = "soft";
  static constexpr std::string_view about = "soft repulsion: finite at r = 0, ends smoothly at sigma";
  static constexpr std::array<Parameter, 2> parameters{
      {{"strength", 1.0, "energy of two particles at one point"}, {"sigma", 1.0, "where it ends", "length"}}};
  static constexpr double usual_cut = 1.0;  ///< times scale()
  static constexpr bool ends = true;        ///< there: beyond it this is no potential

  [[gnu::always_inline]] auto operator()(const auto& s, const auto& p) const {
    const auto [strength, sigma] = p;
    return ad::square(1.0 - s * (1.0 / (sigma * sigma))) * strength;
  }
  static double scale(const std::array<double, 2>& p) { return p[1]; }
};

}  // namespace cotangent::mechanics
