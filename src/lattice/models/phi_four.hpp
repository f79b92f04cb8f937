// SPDX-License-Identifier: BSD-3-Clause
// The phi-four field on a lattice of one or two dimensions:
//   L = sum of q'^2 / 2 - (q^2 - 1)^2 / 4 - |grad q|^2 / 2, differences over the spacing for the gradient.
// Its kink tanh(x / sqrt 2) moves at any speed below 1; kink and antikink repel, bounce or annihilate.
// Reference: Campbell, Schonfeld, Wingate, Physica D 9 (1983) 1.
#pragma once

#include "lattice/kernel.hpp"
#include "lattice/point.hpp"

namespace cotangent::lattice {

struct PhiFour {
  static constexpr std::string_view name = "phi-four";
  static constexpr std::string_view about = "phi-four field in one or two dimensions: kinks that bounce";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"q"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"spacing", 0.1, "between sites"}}};

  struct Site {
    static constexpr std::string_view name = "site";
    static constexpr std::array<Offset, 1> sites{{{0, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto&) const {
      const auto [x] = q;
      const auto [x_dot] = v;
      return 0.5 * ad::square(x_dot) - 0.25 * ad::square(ad::square(x) - 1.0);
    }
  };
  using Terms = std::tuple<Site, Gradient<1, 0>, Gradient<0, 1>>;
  static double spacing(const std::array<double, 1>& p) { return p[0]; }

  static std::vector<Wave> waves() {
    return {{"kink",
             "from -1 to 1, at a speed below 1",
             {{"speed", 0.0, "to the right"}, {"centre", 0.0, "where it begins"}},
             "tanh((x - centre - speed*t)/sqrt(2*(1 - speed^2)))",
             "-speed/sqrt(2*(1 - speed^2))*(1 - tanh((x - centre - speed*t)/sqrt(2*(1 - speed^2)))^2)"},
            {"kink-pair",
             "kink and antikink that approach each other",
             {{"speed", 0.3, "of each"}, {"distance", 20.0, "between them"}},
             "tanh((x + distance/2 - speed*t)/sqrt(2*(1 - speed^2))) - "
             "tanh((x - distance/2 + speed*t)/sqrt(2*(1 - speed^2))) - 1",
             "-speed/sqrt(2*(1 - speed^2))*(2 - tanh((x + distance/2 - speed*t)/sqrt(2*(1 - speed^2)))^2 - "
             "tanh((x - distance/2 + speed*t)/sqrt(2*(1 - speed^2)))^2)",
             false}};
  }
};

}  // namespace cotangent::lattice
