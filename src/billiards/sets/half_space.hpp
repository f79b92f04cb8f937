// SPDX-License-Identifier: BSD-3-Clause
// One side of a plane through the centre: omega = n . x, with n = (nx, ny, nz) pointing inward.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct HalfSpace {
  static constexpr std::string_view name = "half-space";
  static constexpr std::string_view about = "One side of a plane through its centre";
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 3> parameters{{{"nx", 0.0, "inward normal along x"},
                                                        {"ny", 0.0, "inward normal along y"},
                                                        {"nz", 1.0, "inward normal along z"}}};

  static std::optional<std::string> objection(const std::array<double, 3>& p) {
    if (p != std::array<double, 3>{}) return std::nullopt;
    return "nx, ny and nz are all zero: no side of a plane";
  }

  auto operator()(const auto& q, const auto& p) const {
    const auto& [x, y, z] = q;
    const auto [nx, ny, nz] = p;
    return nx * x + ny * y + nz * z;
  }
};

}  // namespace cotangent::billiards
