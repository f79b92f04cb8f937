// SPDX-License-Identifier: BSD-3-Clause
// Henon and Heiles' potential, U = (x^2 + y^2) / 2 + x^2 y - y^3 / 3, between walls.
// Reference: Henon, Heiles, Astron. J. 69 (1964) 73.
#pragma once

#include "billiards/field_of.hpp"

namespace cotangent::billiards {

struct HenonHeilesField {
  static constexpr std::string_view name = "henon-heiles";
  static constexpr std::string_view about = "Henon and Heiles' potential in the plane";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"lambda", 1.0, "of the cubic terms"}}};

  auto potential(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto& [lambda] = p;
    return 0.5 * (square(x) + square(y)) + lambda * (square(x) * y - square(y) * y * (1.0 / 3.0));
  }
};

}  // namespace cotangent::billiards
