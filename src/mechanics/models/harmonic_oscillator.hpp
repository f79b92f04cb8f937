// SPDX-License-Identifier: BSD-3-Clause
// Two harmonic oscillators side by side; with incommensurable frequencies an orbit fills a torus.
//   L = (v1^2 + v2^2)/2 - (omega1^2 q1^2 + omega2^2 q2^2)/2
// Reference: Landau, Lifshitz, Mechanics, 21 and 23.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct HarmonicOscillator {
  static constexpr std::string_view name = "harmonic-oscillator";
  static constexpr std::string_view about =
      "Two harmonic oscillators side by side: the exactly solvable case";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"q1"}, {"q2"}}};
  static constexpr std::array<Parameter, 2> parameters{
      {{"omega1", 1.0, "angular frequency of q1"},
       {"omega2", 1.4142135623730951, "angular frequency of q2"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [q1, q2] = q;
    const auto [v1, v2] = v;
    const auto [omega1, omega2] = p;
    const auto kinetic = 0.5 * (square(v1) + square(v2));
    return kinetic - 0.5 * (omega1 * omega1 * square(q1) + omega2 * omega2 * square(q2));
  }
};

}  // namespace cotangent::mechanics
