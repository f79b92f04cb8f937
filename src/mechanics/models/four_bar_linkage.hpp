// SPDX-License-Identifier: BSD-3-Clause
// The four-bar linkage, a closed loop in the plane: pivots at (0, 0) and (ground, 0), joints with masses m1
// at (x1, y1) and m2 at (x2, y2), held by three massless rods,
//   |q1| = crank,   |q2 - q1| = coupler,   |q2 - (ground, 0)| = rocker:
// four coordinates, three constraints, one degree of freedom. Where all joints lie on one line, which takes
// crank +- coupler +- rocker = +-ground, the constraints depend on one another: a status there.
// Reference: Grashof, Theoretische Maschinenlehre (1883), on which of the rods go round.
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

struct FourBarLinkage {
  static constexpr std::string_view name = "four-bar-linkage";
  static constexpr std::string_view about =
      "Closed loop of three rods and the ground, masses at its two joints";
  static constexpr int dim = 4;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x1"}, {"y1"}, {"x2"}, {"y2"}}};
  static constexpr std::array<Parameter, 7> parameters{
      {{"crank", 1.0, "length of the rod from (0, 0) to the first joint"},
       {"coupler", 3.0, "length of the rod between the joints"},
       {"rocker", 2.5, "length of the rod from the second joint to (ground, 0)"},
       {"ground", 3.0, "distance of the two pivots"},
       {"m1", 1.0, "mass of the first joint"},
       {"m2", 1.0, "mass of the second joint"},
       {"gravity", 1.0, "acceleration of free fall, down the y axis"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
    using ad::square;
    const auto [x1, y1, x2, y2] = q;
    const auto [u1, w1, u2, w2] = v;
    const auto m1 = p[4], m2 = p[5], gravity = p[6];
    return m1 * (0.5 * (square(u1) + square(w1)) - gravity * y1) +
           m2 * (0.5 * (square(u2) + square(w2)) - gravity * y2);
  }
  [[gnu::always_inline]] auto constraint(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x1, y1, x2, y2] = q;
    return std::tuple(square(x1) + square(y1) - square(p[0]),
                      square(x2 - x1) + square(y2 - y1) - square(p[1]),
                      square(x2 - p[3]) + square(y2) - square(p[2]));
  }

  static std::optional<std::string> objection(const std::array<double, 7>& p) {
    for (int k = 0; k < 4; ++k) {
      if (!(p[k] > 0)) return "crank, coupler, rocker and ground are lengths > 0";
    }
    if (!(p[4] > 0 && p[5] > 0)) return "the masses m1, m2 must be positive";
    const double longest = std::max({p[0], p[1], p[2], p[3]});
    if (longest < p[0] + p[1] + p[2] + p[3] - longest) return std::nullopt;
    return "the loop can't close: its longest rod must be shorter than the three others together";
  }
};

}  // namespace cotangent::mechanics
