// SPDX-License-Identifier: BSD-3-Clause
// A harmonic trap: U = (k_x x^2 + k_y y^2) / 2; in an ellipse of any size this billiard is integrable where
// k_x = k_y. Reference: Fedorov, Acta Appl. Math. 69 (2001) 251.
#pragma once

#include "billiards/field_of.hpp"

namespace cotangent::billiards {

struct Harmonic {
  static constexpr std::string_view name = "harmonic";
  static constexpr std::string_view about = "A harmonic trap in the plane; negative: a harmonic hill";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Parameter, 2> parameters{
      {{"k_x", 1.0, "stiffness along x"}, {"k_y", 1.0, "stiffness along y"}}};

  auto potential(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y] = q;
    const auto& [k_x, k_y] = p;
    return 0.5 * (k_x * square(x) + k_y * square(y));
  }
};

struct HarmonicInSpace {
  static constexpr std::string_view name = "harmonic-in-space";
  static constexpr std::string_view about = "A harmonic trap in space; negative: a harmonic hill";
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"k_x", 1.0, "stiffness along x"}, {"k_y", 1.0, "along y"}, {"k_z", 1.0, "along z"}}};

  auto potential(const auto& q, const auto& p) const {
    using ad::square;
    const auto& [x, y, z] = q;
    const auto& [k_x, k_y, k_z] = p;
    return 0.5 * (k_x * square(x) + k_y * square(y) + k_z * square(z));
  }
};

}  // namespace cotangent::billiards
