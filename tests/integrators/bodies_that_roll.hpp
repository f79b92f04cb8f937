// SPDX-License-Identifier: BSD-3-Clause
// What the tests of rolling and of collocation under constraints share: a disc and a ball that roll, a bead
// on an ellipsoid, and their starts.
#pragma once

#include <cmath>

#include "fitted_order.hpp"
#include "integrators/constrained.hpp"
#include "mechanics/models/rolling_disc.hpp"
#include "mechanics/models/turntable_ball.hpp"

namespace cotangent::integrators {

using Disc = mechanics::System<Plain<mechanics::RollingDisc>, double>;
using Ball = mechanics::System<Plain<mechanics::TurntableBall>, double>;

/// A bead on an ellipsoid whose mass grows with x, in a magnetic field: L isn't separable, its mass matrix
/// varies.
struct HeavyBead {
  static constexpr std::string_view name = "heavy-bead", about = "";
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}, {"z"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return 0.5 * (1.0 + 0.5 * x * x) * (square(u) + square(w) + square(s)) + 0.3 * u * w * y +
           0.8 * z * z * u - z;
  }
  auto constraint(const auto& q, const auto&) const {
    using ad::square;
    const auto [x, y, z] = q;
    return square(x) + 2.0 * square(y) + square(z) - 1.0;
  }
};
using Bead = mechanics::System<Plain<HeavyBead>, double>;

inline State<double, 3> bead_start() {
  return {0, {1, 0, 0}, {0, 0.6, 0.5}};
}
/// Tilted, rolling and wobbling.
inline State<double, 5> disc_start() {
  const double s = 1.1;
  return {0, {0, 0, 0.2, 1.2, 0}, {-s * std::cos(0.2), -s * std::sin(0.2), 0.4, 0.1, s}};
}
inline State<double, 6> ball_start() {
  State<double, 6> x{0, {0.4, 0.1, 1, 0, 0, 0}, {0.2, -0.3, 0, 0.1, 0.2, 0.35}};
  REQUIRE(project_state(Ball{}, x.q, x.v, -1));
  return x;
}

/// The order that make(step) shows over `time` with `fewest` to twice as many steps, beside the Lobatto pair
/// of ten orders with `many` steps.
template <class System, int N, class Make>
test::FittedOrder order_of(const System& system, const State<double, N>& start, double time, int many,
                           int fewest, const Make& make) {
  MethodOptions options;
  options.name = "lobatto-spark";
  options.stages = 6;
  options.step = time / many;
  AStepper<System> pair(std::make_unique<StepperOf<System, LobattoSpark<System>>>(options));
  const auto reference = after(system, pair, start, many);
  std::vector<double> steps, errors;
  for (const int count : {fewest, fewest * 5 / 4, fewest * 3 / 2, fewest * 2}) {
    steps.push_back(time / count);
    errors.push_back(distance_of(after(system, *make(steps.back()), start, count), reference));
  }
  return test::fitted_order(steps, errors);
}

}  // namespace cotangent::integrators
