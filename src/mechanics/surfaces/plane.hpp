// SPDX-License-Identifier: BSD-3-Clause
// The plane n . q = d: g = nx x + ny y + nz z - d.
#pragma once

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

struct Plane {
  static constexpr std::string_view name = "plane";
  static constexpr std::string_view about = "A particle on a plane; with gravity, the inclined plane";
  static constexpr std::array<Parameter, 4> parameters{{{"nx", 0.0, "normal, x component"},
                                                        {"ny", 0.0, "normal, y component"},
                                                        {"nz", 1.0, "normal, z component"},
                                                        {"d", 0.0, "n . q on the plane"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    const auto [x, y, z] = q;
    const auto [nx, ny, nz, d] = p;
    return nx * x + ny * y + nz * z - d;
  }

  static std::optional<std::string> objection(const std::array<double, 4>& p) {
    if (p[0] != 0 || p[1] != 0 || p[2] != 0) return std::nullopt;
    return "a plane has a normal (nx, ny, nz) other than zero";
  }
};

}  // namespace cotangent::mechanics
