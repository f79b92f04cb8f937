// SPDX-License-Identifier: BSD-3-Clause
// Where velocities, forces or the energy's gradient vanish, positions and the energy itself still round: what
// begins at rest where nothing pulls, what comes to rest away from the origin, what swings by next to
// nothing.
#include <random>

#include "integrators/chebyshev_collocation.hpp"
#include "integrators/constrained.hpp"
#include "integrators/driven.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/implicit_midpoint.hpp"
#include "mechanics/models/pendulum.hpp"
#include "mechanics/surfaces/sphere.hpp"

namespace cotangent::integrators {
namespace {

/// A pendulum that begins to be moved: a'' = -sin a + A sin(w t), newtonian.
struct BeginningDrive : ForcedPendulum {
  static constexpr std::array<mechanics::Parameter, 2> parameters{{{"A", 0.5, ""}, {"w", 1.2, ""}}};
  auto force(const auto&, const auto&, const auto& p, const auto& t) const {
    using std::sin, ad::sin;
    return p[0] * sin(p[1] * t);
  }
};

/// A bead that friction brings to rest at x = 1; its mass varies.
struct DampedBead {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    using std::cos, ad::cos;
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (1.0 + 0.2 * x * x) * x_dot * x_dot + cos(x - 1.0);
  }
  auto dissipation(const auto&, const auto& v, const auto&) const {
    const auto [x_dot] = v;
    return 0.4 * x_dot * x_dot;
  }
};

}  // namespace

TEST_CASE("what is driven begins at rest where nothing pulls, by steps of any length") {
  using System = mechanics::System<BeginningDrive, double>;
  std::mt19937_64 random{3};
  std::uniform_real_distribution<double> strength(0.1, 2.0), rate(0.3, 2.0);
  for (const int stages : {2, 4, 8, 12}) {
    for (const double step : {0.25, 0.5, 1.0, 1.5, 2.0}) {
      int arrived = 0;
      for (int k = 0; k < 50; ++k) {
        System system;
        system.parameters = {strength(random), rate(random)};
        Gauss<System> method(fixed(step, stages));
        method.start(system, {0.0, {0.0}, {0.0}}, true);
        bool goes_on = true;
        for (int i = 0; i < 3; ++i) goes_on = goes_on && method.advance(system, true);
        arrived += goes_on;
      }
      INFO(stages << " stages, step " << step);
      CHECK(arrived == 50);
    }
  }
}

TEST_CASE("what friction brings to rest away from the origin stays there, by implicit methods") {
  using System = mechanics::System<DampedBead, double>;
  const System system;
  const auto rests = [&]<template <class> class Method>(const MethodOptions& options) {
    const auto end = run<Method>(system, {0.0, {0.3}, {0.2}}, 1000 * options.step, options);
    CHECK(end.q[0] == within(1, 1e-12));
    CHECK(std::abs(end.v[0]) < 1e-12);
  };
  for (const double step : {0.3, 0.7, 1.5}) {
    INFO("step " << step);
    rests.operator()<ImplicitEuler>(fixed(step));
    rests.operator()<ImplicitMidpoint>(fixed(step));
    for (const int stages : {2, 3, 4, 8}) rests.operator()<Gauss>(fixed(step, stages));
    for (const char* treatment : {"A", "E"})
      rests.operator()<ChebyshevLobattoCollocation>(fixed(step, 4, treatment));
  }
}

TEST_CASE("a pendulum on its circle swings by next to nothing, by the reduced midpoint rule") {
  for (const double angle : {1e-2, 1e-4, 1e-6, 0.0}) {
    INFO("from the angle " << angle);
    const Circle system;
    auto method = stepper<Circle>("reduced-midpoint", 0.6);
    const State<double, 2> start{0.0, {std::sin(angle), -std::cos(angle)}, {0.0, 0.0}};
    const auto end = after(system, method, start, 300);
    CHECK(std::abs(end.q[0]) <= 1.001 * angle);
  }
}

TEST_CASE("small oscillations are projected onto their energy, and equilibrium is left as it is") {
  using Angle = mechanics::System<mechanics::Pendulum, double>;
  const Angle system;
  for (const char* projection : {"standard", "symmetric"}) {
    for (const double amplitude : {1.0, 0.05, 0.02, 0.01, 1e-3, 1e-4, 0.0}) {
      INFO(projection << ", amplitude " << amplitude);
      auto method = stepper<Angle>("rk4", 0.05, projection);
      const State<double, 1> start{0.0, {amplitude}, {0.0}};
      const auto end = after(system, method, start, 1000);
      CHECK(system.energy(end.q, end.v, end.t) == within(system.energy(start.q, start.v, 0.0), 1e-14));
      CHECK(std::abs(end.q[0]) <= 1.01 * amplitude);
    }
  }
}

TEST_CASE("states are moved onto a surface of any size") {
  std::mt19937_64 random{4};
  std::normal_distribution<double> normal;
  for (const double radius : {1e-3, 1.0, 6.371e6, 1e11}) {
    mechanics::System<Plain<mechanics::ParticleOn<mechanics::Sphere>>, double> system;
    system.parameters[0] = radius;
    INFO("radius " << radius);
    for (int k = 0; k < 100; ++k) {
      std::vector<double> q(3), v(3);
      for (double& x : q) x = radius * normal(random);
      for (double& x : v) x = normal(random);
      REQUIRE(project_state(system, q, v, -1));
      CHECK(std::hypot(q[0], q[1], q[2]) == Approx(radius).epsilon(2e-15));
      CHECK(std::abs(q[0] * v[0] + q[1] * v[1] + q[2] * v[2]) < 1e-14 * radius);
    }
  }
}

}  // namespace cotangent::integrators
