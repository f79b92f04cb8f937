// SPDX-License-Identifier: BSD-3-Clause
// A smooth wall of the fourth degree: an ellipse perturbed as by A. Delshams, R. Ramirez-Ros,
// Poincare-Melnikov-Arnold method for analytic planar maps, Nonlinearity 9 (1996) 1-26.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct PerturbedEllipse {
  static constexpr std::string_view name = "perturbed-ellipse", about = "Of the tests";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{{{"b", 0.8, ""}, {"e", 0.3, ""}}};

  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto [b, e] = p;
    return 1.0 - square(x) - square(y / b) - e * square(square(y / b));
  }
};

}  // namespace cotangent::billiards
