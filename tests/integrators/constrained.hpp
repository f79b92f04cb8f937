// SPDX-License-Identifier: BSD-3-Clause
// What the tests of constrained motion share: the pendulum as a point on a circle (Mullen, Desbrun, CS 101:
// Numerical Geometric Integration, slides "Projection Methods & Constraints", m = g = L = 1), the particle
// on a surface of genus 2, and steppers by name.
#pragma once

#include <cmath>
#include <memory>

#include "a_stepper.hpp"
#include "catch.hpp"
#include "integrators/methods.hpp"
#include "mechanics/surfaces/lemniscate.hpp"

namespace cotangent::integrators {

struct PointOnCircle {
  static constexpr std::string_view name = "point-on-circle", about = "";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    using ad::square;
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (square(u) + square(w)) - y;
  }
  auto constraint(const auto& q, const auto&) const {
    using ad::square;
    const auto [x, y] = q;
    return square(x) + square(y) - 1.0;
  }
};

/// The same circle by a constraint of any scale.
struct ScaledCircle : PointOnCircle {
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"scale", 1.0, ""}}};
  auto constraint(const auto& q, const auto& p) const { return p[0] * PointOnCircle::constraint(q, p); }
};

using Circle = mechanics::System<Plain<PointOnCircle>, double>;
using Genus2 = mechanics::System<Plain<mechanics::ParticleOn<mechanics::Lemniscate>>, double>;

/// Of these methods the one that the options name: a test that says which it needs doesn't compile them all.
template <class System, class... Methods>
AStepper<System> one_of(const MethodOptions& options) {
  std::unique_ptr<StepperFor<System>> result;
  const MakeByName<System> make{options, result};
  (make.template operator()<Methods>(), ...);
  REQUIRE(result);
  return AStepper<System>(std::move(result));
}

template <class System>
AStepper<System> stepper(const std::string& name, double step, const std::string& projection = "none",
                         const std::string& onto = "") {
  MethodOptions options;
  options.name = name;
  options.step = step;
  options.projection = projection;
  options.onto = onto;
  return make_stepper<System>(options);
}

/// The pendulum at rest, 1 rad from the bottom.
inline State<double, 2> pendulum_start() {
  return {0.0, {std::sin(1.0), -std::cos(1.0)}, {0.0, 0.0}};
}

/// The particle under gravity at the top of the surface, with unit speed.
inline Genus2 genus2() {
  Genus2 system;
  system.parameters = {1.0, 1.0 / 6, 1.0, 1.0};
  return system;
}
inline State<double, 3> genus2_start(double direction = 0.7) {
  return {0.0, {0.0, 0.0, 1.0 / 6}, {std::cos(direction), std::sin(direction), 0.0}};
}

/// The state after so many steps; each must succeed.
template <class System, int N>
State<double, N> after(const System& system, AStepper<System>& method, const State<double, N>& start,
                       int steps) {
  method.start(system, start, true);
  for (int i = 0; i < steps; ++i) REQUIRE(method.advance(system, true));
  return method.end();
}

template <int N>
double distance_of(const State<double, N>& a, const State<double, N>& b, bool velocities = true) {
  double sum = 0;
  for (int n = 0; n < N; ++n) {
    sum += std::pow(a.q[n] - b.q[n], 2);
    if (velocities) sum += std::pow(a.v[n] - b.v[n], 2);
  }
  return std::sqrt(sum);
}

}  // namespace cotangent::integrators
