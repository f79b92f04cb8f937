// SPDX-License-Identifier: BSD-3-Clause
// A ball that rolls without slipping on a level turntable, in coordinates that turn with the table at the
// rate W: the centre (x, y), and the ball's attitude as a quaternion Q = (a, B) of any length, with angular
// velocity
//   w = 2 (a B' - a' B + B x B') / |Q|^2   against the table,
//   L = m ((x' - W y)^2 + (y' + W x)^2) / 2 + I (w_x^2 + w_y^2 + (w_z + W)^2) / 2 + 2 I (Q . Q')^2 / |Q|^4,
//   x' = radius w_y,   y' = -radius w_x.
// The last term makes log |Q| a free particle, which stays at rest. Seen from outside, the centre moves on a
// circle at the rate W I / (I + m radius^2), 2 W / 7 of a solid ball, wherever it starts and however fast;
// the spin w_z + W is constant, and so is the energy of L. Reference: Milne, Vectorial Mechanics (1948), 337;
// Weltner, Am. J. Phys. 47 (1979) 984; Neimark, Fufaev (1972), III.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct TurntableBall {
  static constexpr std::string_view name = "turntable-ball";
  static constexpr std::string_view about = "Ball that rolls on a turntable, seen from the table";
  static constexpr int dim = 6;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}, {"q0"}, {"q1"}, {"q2"}, {"q3"}}};
  static constexpr std::array<Parameter, 4> parameters{
      {{"mass", 1.0, "of the ball"},
       {"radius", 1.0, "of the ball"},
       {"inertia", 0.4, "moment of inertia, 2/5 mass radius^2 of a solid ball"},
       {"rate", 1.0, "of the table, W"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x, y, a, b, c, d] = q;
    const auto [x_dot, y_dot, a_dot, b_dot, c_dot, d_dot] = v;
    const auto [mass, radius, inertia, rate] = p;
    const auto [wx, wy, wz] = angular_velocity(q, v);
    const auto stretching = (a * a_dot + b * b_dot + c * c_dot + d * d_dot) / length_squared(q);
    return 0.5 * mass * (square(x_dot - rate * y) + square(y_dot + rate * x)) +
           0.5 * inertia * (square(wx) + square(wy) + square(wz + rate)) + 2.0 * inertia * square(stretching);
  }
  auto rolling(const auto& q, const auto& v, const auto& p) const {
    const auto [x_dot, y_dot, a_dot, b_dot, c_dot, d_dot] = v;
    const auto [wx, wy, wz] = angular_velocity(q, v);
    const auto radius = p[1];
    return std::tuple(x_dot - radius * wy, y_dot + radius * wx);
  }

  static std::optional<std::string> objection(const std::array<double, 4>& p) {
    if (!(p[0] > 0 && p[1] > 0 && p[2] > 0)) return "mass, radius and inertia of a ball must be positive";
    return std::nullopt;
  }

 private:
  static auto length_squared(const auto& q) {
    using ad::square;
    const auto [x, y, a, b, c, d] = q;
    return square(a) + square(b) + square(c) + square(d);
  }
  static auto angular_velocity(const auto& q, const auto& v) {
    const auto [x, y, a, b, c, d] = q;
    const auto [x_dot, y_dot, a_dot, b_dot, c_dot, d_dot] = v;
    const auto scale = 2.0 / length_squared(q);
    return std::tuple(scale * (a * b_dot - a_dot * b + c * d_dot - d * c_dot),
                      scale * (a * c_dot - a_dot * c + d * b_dot - b * d_dot),
                      scale * (a * d_dot - a_dot * d + b * c_dot - c * b_dot));
  }
};

}  // namespace cotangent::mechanics
