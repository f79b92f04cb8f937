// SPDX-License-Identifier: BSD-3-Clause
// A thin disc that rolls on a plane without slipping, upright or tilted: (x, y) is the point of contact, a
// the direction that it rolls in, b the lean of its plane (pi/2 upright, 0 flat), s its turn about its axis.
// With e = (cos a, sin a) and n = (-sin a, cos a) the disc leans towards -n; its centre
//   c = (x, y) + radius cos b n + radius sin b z,   dc/dt by the chain rule,
//   L = m |c'|^2 / 2 + I (b'^2 + a'^2 sin^2 b) / 2 + J (s' + a' cos b)^2 / 2 - m gravity radius sin b,
//   (x', y') = -radius s' e.
// Energy is conserved; for each disc two more integrals exist, not elementary; upright (b = pi/2, b' = 0) a',
// s' are constant. Steady motion: b, a', s' constant with
//   (J + m r^2) a' s' sin b + (J + m r^2 - I) a'^2 sin b cos b + m g r cos b = 0.
// It rolls stably upright iff (J + m r^2) J s'^2 > I m g r in the absence of spin a'. Reference: Routh,
// Advanced Rigid Dynamics (1905), 244; Neimark, Fufaev (1972), II; Bloch (2003), 1.4.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct RollingDisc {
  static constexpr std::string_view name = "rolling-disc";
  static constexpr std::string_view about = "Thin disc that rolls on a plane, upright or tilted";
  static constexpr int dim = 5;
  static constexpr std::array<Coordinate, dim> coordinates{
      {{"x"}, {"y"}, {"a", "rad", true}, {"b", "rad"}, {"s", "rad", true}}};
  static constexpr std::array<Parameter, 5> parameters{
      {{"mass", 1.0, "of the disc"},
       {"radius", 1.0, "of the disc"},
       {"across", 0.25, "moment of inertia about a diameter, I: mass radius^2 / 4 of a disc, 1/2 of a hoop"},
       {"axial", 0.5, "moment of inertia about the axis, J: mass radius^2 / 2 of a disc, 1 of a hoop"},
       {"gravity", 1.0, "acceleration of free fall"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::sin, ad::square;
    const auto [x, y, a, b, s] = q;
    const auto [x_dot, y_dot, a_dot, b_dot, s_dot] = v;
    const auto [mass, radius, across, axial, gravity] = p;
    const auto along = x_dot * cos(a) + y_dot * sin(a) - radius * cos(b) * a_dot;     // c' . e
    const auto sideways = y_dot * cos(a) - x_dot * sin(a) - radius * sin(b) * b_dot;  // c' . n
    const auto up = radius * cos(b) * b_dot;
    return 0.5 * mass * (square(along) + square(sideways) + square(up)) +
           0.5 * across * (square(b_dot) + square(a_dot * sin(b))) +
           0.5 * axial * square(s_dot + a_dot * cos(b)) - mass * gravity * radius * sin(b);
  }
  auto rolling(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::sin;
    const auto [x, y, a, b, s] = q;
    const auto [x_dot, y_dot, a_dot, b_dot, s_dot] = v;
    const auto radius = p[1];
    return std::tuple(x_dot + radius * cos(a) * s_dot, y_dot + radius * sin(a) * s_dot);
  }
  /// The height of the centre, in radii: the model ends where the disc lies flat.
  auto domain(const auto& q, const auto&) const {
    using ad::sin;
    const auto [x, y, a, b, s] = q;
    return sin(b);
  }

  static std::optional<std::string> objection(const std::array<double, 5>& p) {
    if (!(p[0] > 0 && p[1] > 0 && p[2] > 0 && p[3] > 0)) {
      return "mass, radius and both moments of inertia of a disc must be positive";
    }
    return std::nullopt;
  }
};

}  // namespace cotangent::mechanics
