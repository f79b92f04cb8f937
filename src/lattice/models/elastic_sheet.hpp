// SPDX-License-Identifier: BSD-3-Clause
// A discrete elastic sheet: masses on a square grid of spacing 1, joined by springs to their neighbours and
// across each cell, free to leave the plane; and bent against a stiffness along its rows and columns. (u, v,
// w) is a mass' displacement from its place.
//   L = sum of m |u'|^2 / 2 - stiffness (|r| - |r0|)^2 / 2 - bending |u_- - 2 u + u_+|^2 / 2 - m gravity w
// Reference: Seung, Nelson, Phys. Rev. A 38 (1988) 1005, on a square grid.
#pragma once

#include "lattice/kernel.hpp"

namespace cotangent::lattice {

struct ElasticSheet {
  static constexpr std::string_view name = "elastic-sheet";
  static constexpr std::string_view about = "elastic sheet of masses and springs that leaves its plane";
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, 3> coordinates{{{"u"}, {"v"}, {"w"}}};
  static constexpr std::array<mechanics::Parameter, 4> parameters{{{"mass", 1.0, "of each site"},
                                                                   {"stiffness", 1.0, "of the springs"},
                                                                   {"bending", 0.05, "against curvature"},
                                                                   {"gravity", 0.0, "down along w"}}};

  struct Site {
    static constexpr std::string_view name = "site";
    static constexpr std::array<Offset, 1> sites{{{0, 0}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto& v, const auto& p) const {
      const auto [x, y, z] = q;
      const auto [x_dot, y_dot, z_dot] = v;
      return (0.5 * p[0]) * (ad::square(x_dot) + ad::square(y_dot) + ad::square(z_dot)) - (p[0] * p[3]) * z;
    }
  };
  template <int X, int Y>
  struct Spring {
    static constexpr std::string_view name = X == 0   ? "spring-across"
                                             : Y == 0 ? "spring-along"
                                             : X > 0  ? "spring-up"
                                                      : "spring-down";
    static constexpr std::array<Offset, 2> sites{{{0, 0}, {X, Y}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      using std::sqrt;
      const auto [xa, ya, za, xb, yb, zb] = q;
      constexpr double rest = X * Y == 0 ? 1.0 : std::numbers::sqrt2;
      const auto length = sqrt(ad::square((xb - xa) + static_cast<double>(X)) +
                               ad::square((yb - ya) + static_cast<double>(Y)) + ad::square(zb - za));
      return ad::square(length - rest) * (-0.5 * p[1]);
    }
  };
  template <int X, int Y>
  struct CubicDeviation {
    static constexpr std::string_view name = X != 0 ? "bend-along" : "bend-across";
    static constexpr std::array<Offset, 3> sites{{{0, 0}, {X, Y}, {2 * X, 2 * Y}}};

    [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
      const auto [xa, ya, za, xb, yb, zb, xc, yc, zc] = q;
      return (ad::square((xa - xb) + (xc - xb)) + ad::square((ya - yb) + (yc - yb)) +
              ad::square((za - zb) + (zc - zb))) *
             (-0.5 * p[2]);
    }
  };
  using Terms = std::tuple<Site, Spring<1, 0>, Spring<0, 1>, Spring<1, 1>, Spring<-1, 1>,
                           CubicDeviation<1, 0>, CubicDeviation<0, 1>>;
};

}  // namespace cotangent::lattice
