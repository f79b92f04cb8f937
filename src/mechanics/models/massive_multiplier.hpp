// SPDX-License-Identifier: BSD-3-Clause
// The pendulum as a point near a circle whose multiplier is a coordinate of mass epsilon:
//   H = |p|^2 / 2 + y + p_lambda^2 / (2 epsilon) - lambda g,   g = x^2 + y^2 - 1,   so lambda'' = g /
//   epsilon.
// Constrained motion is what is left where epsilon = 0; solutions don't tend to it, for normal to the circle
// g'''' = |grad g|^2 g / epsilon + ..., which grows as exp(t |grad g|^(1/2) / epsilon^(1/4)).
// Reference: D. Shapero, "Billiards on surfaces" (shapero.xyz, 2021), which has H as a way to think of
// lambda.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct MassiveMultiplier {
  static constexpr std::string_view name = "massive-multiplier";
  static constexpr std::string_view about = "Pendulum near a circle, its multiplier a coordinate with a mass";
  static constexpr int dim = 3;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}, {"lambda"}}};
  static constexpr std::array<Parameter, 1> parameters{{{"epsilon", 1e-4, "mass of the multiplier"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x, y, lambda] = q;
    const auto [x_dot, y_dot, lambda_dot] = v;
    const auto [epsilon] = p;
    return 0.5 * (square(x_dot) + square(y_dot) + epsilon * square(lambda_dot)) - y +
           lambda * (square(x) + square(y) - 1.0);
  }

  static std::optional<std::string> objection(const std::array<double, 1>& p) {
    if (p[0] > 0) return std::nullopt;
    return "a multiplier has a mass epsilon > 0";
  }
};

}  // namespace cotangent::mechanics
