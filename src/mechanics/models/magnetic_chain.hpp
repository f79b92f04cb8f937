// SPDX-License-Identifier: BSD-3-Clause
// A chain of three magnetised balls that roll on one another, the first one fixed. Dimensionless; t and s are
// the angles at the contacts, upright at t = s = 0, and alpha weighs the magnets' energy against gravity.
//   T = (17/5 + 2 cos(t+s)) t'^2 + 7/10 s'^2 + (12/5 + cos(t+s)) t' s'
//   U = -alpha/12 (M12 + M23 + M13) + 2 cos t + cos(2t+s)
//   M12 = cos 2t + 3,  M23 = cos 2s + 3,  M13 = (cos 2(t+s) + 3 cos(t-s)) / r13^3,  r13 = 2 |cos((t+s)/2)|
// Balls 1 and 3 touch at r13 = 1, where the model ends. Reference: V. P. Chan, The design, implementation,
// and applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018),
// (5.17), (5.18). In half the sum and half the difference of the angles all this needs two sines and two
// cosines.
#pragma once

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct MagneticChain {
  static constexpr std::string_view name = "magnetic-chain";
  static constexpr std::string_view about = "Three magnetised balls in a chain, upright against gravity";
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"t", "rad", true}, {"s", "rad", true}}};
  static constexpr std::array<Parameter, 1> parameters{
      {{"alpha", 18.0, "magnetic energy over gravitational energy, B^2 / (4 mu0 rho g d)"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::abs, ad::sincos, ad::square;
    const auto [t, s] = q;
    const auto [t_dot, s_dot] = v;
    const auto [alpha] = p;
    const auto [sin_c, cos_c] = sincos(0.5 * (t + s));
    const auto [sin_d, cos_d] = sincos(0.5 * (t - s));
    const auto cos_sum = 2.0 * square(cos_c) - 1.0;         // cos(t + s)
    const auto cos_difference = 2.0 * square(cos_d) - 1.0;  // cos(t - s)

    const auto kinetic =
        (3.4 + 2.0 * cos_sum) * square(t_dot) + 0.7 * square(s_dot) + (2.4 + cos_sum) * t_dot * s_dot;
    const auto r13 = 2.0 * abs(cos_c);
    const auto far = 1.0 / (r13 * r13 * r13);
    const auto magnetic =  // M12 + M23 + M13
        6.0 + (2.0 * square(cos_sum) - 1.0) * far + cos_difference * (2.0 * cos_sum + 3.0 * far);
    const auto heights =  // 2 cos t + cos(2t + s)
        (2.0 * cos_sum + 1.0) * cos_c * cos_d - (2.0 * cos_sum + 3.0) * sin_c * sin_d;
    return kinetic + alpha / 12.0 * magnetic - heights;
  }

  /// The gap between balls 1 and 3, in diameters.
  auto domain(const auto& q, const auto&) const {
    using ad::abs, ad::cos;
    const auto [t, s] = q;
    return 2.0 * abs(cos(0.5 * (t + s))) - 1.0;
  }
};

}  // namespace cotangent::mechanics
