// SPDX-License-Identifier: BSD-3-Clause
// The chain of three magnetised balls, nothing reduced by hand: balls 2 and 3 as free bodies in the plane
// with places (x, y) and angles a, kept in contact (on a manifold) and rolling on one another without
// slipping. Dimensionless as magnetic-chain, with diameters 1, upright at angles 0 that grow clockwise,
//   L = sum_{i=2,3} (|x_i'|^2 / 2 + a_i'^2 / 20 - y_i) - alpha/6 sum_{i<j} D_ij,
//   D_ij = (m_i . m_j) / r_ij^3 - 3 (m_i . r_ij)(m_j . r_ij) / r_ij^5,   m_i = (sin a_i, cos a_i),
//   |x_j - x_i| = 1,   (x_j - x_i) x (x_j' - x_i') = (a_i' + a_j') / 2 clockwise   for neighbours i, j.
// Its motion is that of magnetic-chain with x_2 = (sin t, cos t), a_2 = 2 t, a_3 = 2 (t + s). Reference: V.
// P. Chan, The design, implementation, and applications of a novel numerical solver: the Lagrangian solver
// (master's thesis, OIST, 2018), (5.1) to (5.15).
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct MagneticBallsRolling {
  static constexpr std::string_view name = "magnetic-balls-rolling";
  static constexpr std::string_view about =
      "Three magnetised balls as bodies in a plane that touch and roll: magnetic-chain, not reduced";
  static constexpr int dim = 6;
  static constexpr std::array<Coordinate, dim> coordinates{
      {{"x2"}, {"y2"}, {"a2", "rad"}, {"x3"}, {"y3"}, {"a3", "rad"}}};
  static constexpr std::array<Parameter, 1> parameters{
      {{"alpha", 18.0, "magnetic energy over gravitational energy, B^2 / (4 mu0 rho g d)"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::sin, ad::square;
    const auto [x2, y2, a2, x3, y3, a3] = q;
    const auto [u2, w2, a2_dot, u3, w3, a3_dot] = v;
    const auto kinetic =
        0.5 * (square(u2) + square(w2) + square(u3) + square(w3)) + 0.05 * (square(a2_dot) + square(a3_dot));
    const auto s2 = sin(a2);
    const auto c2 = cos(a2);
    const auto s3 = sin(a3);
    const auto c3 = cos(a3);
    const auto dipoles = dipole(c2, x2, y2, y2, s2 * x2 + c2 * y2) +
                         dipole(c3, x3, y3, y3, s3 * x3 + c3 * y3) +
                         dipole(s2 * s3 + c2 * c3, x3 - x2, y3 - y2, s2 * (x3 - x2) + c2 * (y3 - y2),
                                s3 * (x3 - x2) + c3 * (y3 - y2));
    return kinetic - p[0] / 6.0 * dipoles - y2 - y3;
  }
  auto constraint(const auto& q, const auto&) const {
    using ad::square;
    const auto [x2, y2, a2, x3, y3, a3] = q;
    return std::tuple(square(x2) + square(y2) - 1.0, square(x3 - x2) + square(y3 - y2) - 1.0);
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    const auto [x2, y2, a2, x3, y3, a3] = q;
    const auto [u2, w2, a2_dot, u3, w3, a3_dot] = v;
    return std::tuple(y2 * u2 - x2 * w2 - 0.5 * a2_dot,
                      (y3 - y2) * (u3 - u2) - (x3 - x2) * (w3 - w2) - 0.5 * (a2_dot + a3_dot));
  }
  /// The gap between balls 1 and 3, in diameters.
  auto domain(const auto& q, const auto&) const {
    using ad::sqrt, ad::square;
    const auto [x2, y2, a2, x3, y3, a3] = q;
    return sqrt(square(x3) + square(y3)) - 1.0;
  }

 private:
  /// Of two dipoles at (x, y) from each other: from their product and those with that vector.
  static auto dipole(const auto& product, const auto& x, const auto& y, const auto& first,
                     const auto& second) {
    using ad::sqrt, ad::square;
    const auto r_squared = square(x) + square(y);
    return (product - 3.0 * first * second / r_squared) / (r_squared * sqrt(r_squared));
  }
};

}  // namespace cotangent::mechanics
