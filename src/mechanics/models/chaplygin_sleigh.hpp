// SPDX-License-Identifier: BSD-3-Clause
// The Chaplygin sleigh: a rigid body that slides on a plane on a knife edge, its centre of mass a distance
// `offset` ahead of the edge. (x, y) is the edge's place and a its direction,
//   L = m |c'|^2 / 2 + I a'^2 / 2 - m tilt c_x,   c = (x, y) + offset (cos a, sin a),
//   y' cos a - x' sin a = 0.
// On a level plane (tilt = 0) energy is conserved, and with u the speed along the edge and w = a',
// u' = offset w^2, (I + m offset^2) w' = -m offset u w: the sleigh turns until it runs straight with the edge
// behind, whatever its start. With offset = 0 it is the knife edge, whose u and w are constant on the level,
// and which on a slope runs through cycloids instead of down. Reference: Chaplygin (1911); Bloch,
// Nonholonomic Mechanics and Control (2003), 1.6 and 1.7; Neimark, Fufaev (1972), III.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct ChaplyginSleigh {
  static constexpr std::string_view name = "chaplygin-sleigh";
  static constexpr std::string_view about = "Rigid body on a knife edge, on a plane or a slope";
  static constexpr int dim = 3;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}, {"a", "rad", true}}};
  static constexpr std::array<Parameter, 4> parameters{
      {{"mass", 1.0, "of the body"},
       {"inertia", 1.0, "moment of inertia about the centre of mass"},
       {"offset", 0.5, "of the centre of mass, ahead of the edge"},
       {"tilt", 0.0, "acceleration of free fall along the slope, against the x axis"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::sin, ad::square;
    const auto [x, y, a] = q;
    const auto [x_dot, y_dot, a_dot] = v;
    const auto [mass, inertia, offset, tilt] = p;
    const auto u = x_dot - offset * sin(a) * a_dot;
    const auto w = y_dot + offset * cos(a) * a_dot;
    return 0.5 * mass * (square(u) + square(w)) + 0.5 * inertia * square(a_dot) -
           mass * tilt * (x + offset * cos(a));
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    using ad::cos, ad::sin;
    const auto [x, y, a] = q;
    const auto [x_dot, y_dot, a_dot] = v;
    return y_dot * cos(a) - x_dot * sin(a);
  }

  static std::optional<std::string> objection(const std::array<double, 4>& p) {
    if (!(p[0] > 0 && p[1] > 0)) return "mass and inertia of a sleigh must be positive";
    return std::nullopt;
  }
};

}  // namespace cotangent::mechanics
