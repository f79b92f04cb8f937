// SPDX-License-Identifier: BSD-3-Clause
// Models of the tests that are driven: pendulums that are kicked, by the one method that each names.
#pragma once

#include "integrators/methods.hpp"
#include "sections/problem_of.hpp"

namespace cotangent::sections::test {

/// A pendulum or, with gravity 0, a rotor, kicked by -dV/dx, V = -K cos x, every T.
template <class Method>
struct KickedPendulum : Method {
  static constexpr std::string_view name = "kicked-pendulum", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 3> parameters{{{"gravity", 1.0, "of the pendulum"},
                                                                   {"K", 0.7, "strength of the kicks"},
                                                                   {"T", 1.3, "between kicks"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + p[0] * cos(x);
  }
  auto kick(const auto& q, const auto& p) const {
    const auto [x] = q;
    return -p[1] * cos(x);
  }
  auto kick_every(const auto& p) const { return p[2]; }
};
struct ByGauss {
  static constexpr std::string_view method = "gauss";
};
struct ByVerlet {
  static constexpr std::string_view method = "stormer-verlet";
};
struct ByDormandPrince {
  static constexpr std::string_view method = "dormand-prince-853";
};

/// The same without kicks.
struct FreePendulum : ByGauss {
  static constexpr std::string_view name = "free-pendulum", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};

  auto operator()(const auto& q, const auto& v) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + cos(x);
  }
};

}  // namespace cotangent::sections::test
