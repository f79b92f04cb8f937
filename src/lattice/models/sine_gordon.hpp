// SPDX-License-Identifier: BSD-3-Clause
// The sine-Gordon field on a lattice of one or two dimensions (a row of coupled pendulums, of Frenkel and
// Kontorova):
//   L = sum of q'^2 / 2 - (1 - cos q) - |grad q|^2 / 2, differences over the spacing for the gradient.
// In the limit of small spacing kinks pass through one another, and breathers are exact.
// Reference: Drazin, Johnson, Solitons (1989), 5; Braun, Kivshar, The Frenkel-Kontorova Model (2004), 1.
#pragma once

#include "lattice/kernel.hpp"
#include "lattice/point.hpp"

namespace cotangent::lattice {

struct SineGordon {
  static constexpr std::string_view name = "sine-gordon";
  static constexpr std::string_view about = "sine-Gordon field in one or two dimensions: kinks and breathers";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q", "rad"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"spacing", 0.1, "between sites"}}};

  struct Site {
    static constexpr std::string_view name = "site";
    static constexpr std::array<Offset, 1> sites{{{0, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto&) const {
      using ad::sincos;
      const auto [x] = q;
      const auto [x_dot] = v;
      const auto [sine, cosine] = sincos(x);
      return 0.5 * ad::square(x_dot) + (cosine - 1.0);
    }
  };
  using Terms = std::tuple<Site, Gradient<1, 0>, Gradient<0, 1>>;
  static double spacing(const std::array<double, 1>& p) { return p[0]; }

  static std::vector<Wave> waves() {
    return {{"kink",
             "from 0 to 2 pi, at a speed below 1",
             {{"speed", 0.0, "to the right"}, {"centre", 0.0, "where it begins"}},
             "4*atan(exp((x - centre - speed*t)/sqrt(1 - speed^2)))",
             "-2*speed/(sqrt(1 - speed^2)*cosh((x - centre - speed*t)/sqrt(1 - speed^2)))"},
            {"kink-pair",
             "kink and antikink that pass through one another, at the middle at t = passage",
             {{"speed", 0.5, "of each"}, {"passage", 0.0, "when they meet"}},
             "4*atan(sinh(speed*(t - passage)/sqrt(1 - speed^2))/(speed*cosh(x/sqrt(1 - speed^2))))",
             "4*cosh(speed*(t - passage)/sqrt(1 - speed^2))/(sqrt(1 - speed^2)*cosh(x/sqrt(1 - speed^2)))/"
             "(1 + (sinh(speed*(t - passage)/sqrt(1 - speed^2))/(speed*cosh(x/sqrt(1 - speed^2))))^2)"},
            {"breather",
             "a pair bound to each other, at rest in the middle",
             {{"frequency", 0.6, "below 1"}},
             "4*atan(sqrt(1 - frequency^2)/frequency*sin(frequency*t)/cosh(sqrt(1 - frequency^2)*x))",
             "4*sqrt(1 - frequency^2)*cos(frequency*t)/cosh(sqrt(1 - frequency^2)*x)/"
             "(1 + (sqrt(1 - frequency^2)/frequency*sin(frequency*t)/cosh(sqrt(1 - frequency^2)*x))^2)"}};
  }
};

}  // namespace cotangent::lattice
