// SPDX-License-Identifier: BSD-3-Clause
// A chain of three magnetised balls of radii r1, r2, r3 (in radii of a reference ball of diameter d) that
// roll on one another, the first one fixed; balls 1 and 3 may pass through each other. Dimensionless as the
// chain of equal balls, which is r1 = r2 = r3 = 1. With the distances between centres a = (r1 + r2)/2, b =
// (r2 + r3)/2, the angles of the arms t, w = kappa t + s and of the balls 0, kappa t, phi = kappa t + sigma
// s, where rolling makes kappa = 1 + r1/r2, sigma = 1 + r2/r3, and masses and moments r_i^3,
//   T = (r2^3 (a t')^2 + r3^3 |x3'|^2) / 2 + (r2^5 (kappa t')^2 + r3^5 phi'^2) / 20
//   U = -alpha/12 sum_{i<j} r_i^3 r_j^3 M_ij + r2^3 y2 + r3^3 y3
//   M_ij = (cos(phi_i - phi_j) + 3 cos(phi_i + phi_j - 2 u_ij)) / r_ij^3,   u_ij the direction from i to j.
// Centres 1 and 3 can't meet where r1 and r3 differ: U is regular everywhere. Neither t nor s is periodic
// unless kappa and sigma are whole numbers. Reference: V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), ch. 5 and
// the end of ch. 6.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct MagneticChainUnequal {
  static constexpr std::string_view name = "magnetic-chain-unequal";
  static constexpr std::string_view about =
      "Three magnetised balls of unequal radii in a chain, the outer ones free to pass through each other";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"t", "rad"}, {"s", "rad"}}};
  static constexpr std::array<Parameter, 5> parameters{
      {{"alpha", 18.0,
        "magnetic energy over gravitational energy of the reference ball, B^2 / (4 mu0 rho g d)"},
       {"r1", 1.0, "radius of the ball that is fixed, over the reference ball's"},
       {"r2", 1.0, "of the ball in the middle"},
       {"r3", 0.5, "of the last ball"},
       {"contact", 0.0,
        "the model ends where balls 1 and 3 are this near, in sums of their radii: 1 at contact, "
        "0 never"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::cos, ad::square, ad::sqrt;
    const auto [t, s] = q;
    const auto [t_dot, s_dot] = v;
    const auto [alpha, r1, r2, r3, contact] = p;
    const auto kappa = 1.0 + r1 / r2, sigma = 1.0 + r2 / r3;
    const auto a = 0.5 * (r1 + r2), b = 0.5 * (r2 + r3);
    const auto m1 = r1 * r1 * r1, m2 = r2 * r2 * r2, m3 = r3 * r3 * r3;

    const auto w = kappa * t + s;
    const auto phi = kappa * t + sigma * s;
    const auto w_dot = kappa * t_dot + s_dot;
    const auto phi_dot = kappa * t_dot + sigma * s_dot;
    const auto cos_arms = cos(w - t);
    const auto kinetic = 0.5 * (m2 + m3) * square(a * t_dot) + 0.5 * m3 * square(b * w_dot) +
                         (m3 * a * b) * cos_arms * t_dot * w_dot +
                         0.05 * (m2 * square(r2 * kappa * t_dot) + m3 * square(r3 * phi_dot));

    const auto m12 = (cos(kappa * t) + 3.0 * cos((kappa - 2.0) * t)) / (a * a * a);
    const auto m23 = (cos(sigma * s) + 3.0 * cos((sigma - 2.0) * s)) / (b * b * b);
    const auto r_squared = a * a + b * b + (2.0 * a * b) * cos_arms;
    // r^2 cos(phi - 2 u), from the square of the complex number a e^{it} + b e^{iw}
    const auto turned =
        a * a * cos(phi - 2.0 * t) + (2.0 * a * b) * cos(phi - t - w) + b * b * cos(phi - 2.0 * w);
    const auto m13 = (cos(phi) + 3.0 * turned / r_squared) / (r_squared * sqrt(r_squared));
    const auto heights = (m2 + m3) * a * cos(t) + m3 * b * cos(w);
    return kinetic + alpha / 12.0 * (m1 * m2 * m12 + m2 * m3 * m23 + m1 * m3 * m13) - heights;
  }

  /// The distance of centres 1 and 3 beyond what `contact` allows.
  auto domain(const auto& q, const auto& p) const {
    using ad::cos, ad::sqrt;
    const auto [t, s] = q;
    const auto [alpha, r1, r2, r3, contact] = p;
    const auto a = 0.5 * (r1 + r2), b = 0.5 * (r2 + r3);
    return sqrt(a * a + b * b + (2.0 * a * b) * cos(r1 / r2 * t + s)) - contact * (0.5 * (r1 + r3));
  }

  static std::optional<std::string> objection(const std::array<double, 5>& p) {
    if (!(p[1] > 0 && p[2] > 0 && p[3] > 0)) return "the radii r1, r2, r3 must be positive";
    if (!(p[4] >= 0 && p[4] <= 1)) return "contact lies between 0 (never) and 1 (where the balls touch)";
    return std::nullopt;
  }
};

}  // namespace cotangent::mechanics
