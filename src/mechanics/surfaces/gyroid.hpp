// SPDX-License-Identifier: BSD-3-Clause
// The gyroid, triply periodic with period L: with k = 2 pi / L,
//   g = sin kx cos ky + sin ky cos kz + sin kz cos kx - level.
// Reference: Schoen, NASA TN D-5541 (1970). Its level sets are regular for |level| < sqrt 2 and end as points
// at 3/2.
#pragma once

#include <cmath>
#include <numbers>

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Gyroid {
  static constexpr std::string_view name = "gyroid";
  static constexpr std::string_view about =
      "A particle on a gyroid, of infinite genus, periodic along x, y, z";
  static constexpr std::array<Parameter, 2> parameters{
      {{"period", 2 * std::numbers::pi, "length of the cubic cell"},
       {"level", 0.0, "value of the level set"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::sincos;
    const auto [x, y, z] = q;
    const auto [period, level] = p;
    const auto k = 2 * std::numbers::pi / period;
    const auto [sin_x, cos_x] = sincos(k * x);
    const auto [sin_y, cos_y] = sincos(k * y);
    const auto [sin_z, cos_z] = sincos(k * z);
    return sin_x * cos_y + sin_y * cos_z + sin_z * cos_x - level;
  }

  static std::optional<std::string> objection(const std::array<double, 2>& p) {
    if (!(p[0] > 0)) return "a gyroid has a period > 0";
    if (!(std::abs(p[1]) < 1.5)) return "a gyroid's level lies between -3/2 and 3/2: beyond, it is empty";
    if (std::abs(std::abs(p[1]) - std::numbers::sqrt2) < 1e-6)
      return "at level sqrt 2 the gyroid pinches off";
    return std::nullopt;
  }
};

}  // namespace cotangent::mechanics
