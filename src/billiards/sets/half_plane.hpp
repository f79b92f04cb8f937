// SPDX-License-Identifier: BSD-3-Clause
// One side of a line through the centre: omega = n . x, with n = (nx, ny) pointing inward.
#pragma once

#include "billiards/set.hpp"

namespace cotangent::billiards {

struct HalfPlane {
  static constexpr std::string_view name = "half-plane";
  static constexpr std::string_view about = "One side of a line through its centre";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 2> parameters{
      {{"nx", 0.0, "inward normal along x"}, {"ny", 1.0, "inward normal along y"}}};

  static std::optional<std::string> objection(const std::array<double, 2>& p) {
    if (p != std::array<double, 2>{}) return std::nullopt;
    return "nx and ny are both zero: no side of a line";
  }

  auto operator()(const auto& q, const auto& p) const {
    const auto& [x, y] = q;
    const auto [nx, ny] = p;
    return nx * x + ny * y;
  }
};

}  // namespace cotangent::billiards
