// SPDX-License-Identifier: BSD-3-Clause
// The heavy top: a rigid body with one point fixed, as the matrix Q that takes body axes to space,
//   L = tr(Q' D Q'^T) / 2 - weight_length Q_33,   Q^T Q = 1,
// D diagonal with the body's second moments D_1 = (I2 + I3 - I1) / 2, ...: nine coordinates, six constraints,
// a constant diagonal mass matrix. r_ij is Q_ij: i an axis in space, 3 upwards, j one in the body, 3 through
// the centre of mass. Energy and the vertical angular momentum are conserved; if I1 = I2 so is that about
// body axis 3, and a top that sleeps upright with the spin w is stable iff I3^2 w^2 > 4 I1 weight_length.
// Reference: Moser, Veselov, Commun. Math. Phys. 139 (1991) 217; McLachlan, Scovel, J. Nonlinear Sci. 5
// (1995) 233; Landau, Lifshitz, Mechanics, 35.
#pragma once

#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct HeavyTop {
  static constexpr std::string_view name = "heavy-top";
  static constexpr std::string_view about = "Rigid body with one point fixed, as a 3 x 3 rotation matrix";
  static constexpr int dim = 9;
  static constexpr std::array<Coordinate, dim> coordinates{
      {{"r11"}, {"r12"}, {"r13"}, {"r21"}, {"r22"}, {"r23"}, {"r31"}, {"r32"}, {"r33"}}};
  static constexpr std::array<Parameter, 4> parameters{
      {{"I1", 1.0, "moment of inertia about body axis 1, through the fixed point"},
       {"I2", 1.0, "about body axis 2"},
       {"I3", 0.5, "about body axis 3, towards the centre of mass"},
       {"weight_length", 1.0, "weight times the distance of the centre of mass from the fixed point"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [r11, r12, r13, r21, r22, r23, r31, r32, r33] = q;
    const auto [v11, v12, v13, v21, v22, v23, v31, v32, v33] = v;
    const auto [I1, I2, I3, weight_length] = p;
    return 0.25 * ((I2 + I3 - I1) * (square(v11) + square(v21) + square(v31)) +
                   (I3 + I1 - I2) * (square(v12) + square(v22) + square(v32)) +
                   (I1 + I2 - I3) * (square(v13) + square(v23) + square(v33))) -
           weight_length * r33;
  }
  [[gnu::always_inline]] auto constraint(const auto& q, const auto&) const {
    using ad::square;
    const auto [r11, r12, r13, r21, r22, r23, r31, r32, r33] = q;
    return std::tuple(square(r11) + square(r21) + square(r31) - 1.0,
                      square(r12) + square(r22) + square(r32) - 1.0,
                      square(r13) + square(r23) + square(r33) - 1.0,  //
                      r12 * r13 + r22 * r23 + r32 * r33, r13 * r11 + r23 * r21 + r33 * r31,
                      r11 * r12 + r21 * r22 + r31 * r32);
  }

  static std::optional<std::string> objection(const std::array<double, 4>& p) {
    const auto [I1, I2, I3, weight_length] = p;
    if (I1 > 0 && I2 > 0 && I3 > 0 && I1 + I2 > I3 && I2 + I3 > I1 && I3 + I1 > I2) return std::nullopt;
    return "a body that isn't flat has moments of inertia I1, I2, I3 > 0, each less than the two others "
           "together";
  }
};

}  // namespace cotangent::mechanics
