// SPDX-License-Identifier: BSD-3-Clause
// Mechanisms under RATTLE: the pendulum's periods, rods that stay as long as they are, the closed loop's one
// degree of freedom, and the heavy top: its integrals, its sleep, its precession, its symplectic form.
#include <numbers>

#include "fitted_order.hpp"
#include "integrators/rk4.hpp"
#include "manifold_orbits.hpp"
#include "mechanics/models/four_bar_linkage.hpp"
#include "mechanics/models/heavy_top.hpp"
#include "mechanics/models/planar_pendulum.hpp"
#include "mechanics/models/rod_on_ellipsoid.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
using Pendulum = mechanics::System<mechanics::PlanarPendulum, double>;
using Linkage = mechanics::System<mechanics::FourBarLinkage, double>;
using Top = mechanics::System<mechanics::HeavyTop, double>;
using Rod = mechanics::System<mechanics::RodOnEllipsoid, double>;

namespace {

constexpr double pi = std::numbers::pi;

/// The period of swings from rest at an angle: the time between passages of x = 0 to the right, each refined
/// by the method's own step to where x vanishes.
double period(double angle, double step) {
  const Pendulum system;
  Rattle<Pendulum> method(fixed(step));
  method.start(system, {0.0, {std::sin(angle), -std::cos(angle)}, {0, 0}}, true);
  std::vector<double> passages;
  while (passages.size() < 3) {
    if (!method.advance(system, true)) FAIL("a step failed");
    if (!(method.begin().q[0] < 0 && method.end().q[0] >= 0)) continue;
    double from = 0, to = 1;
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = 0.5 * (from + to);
      (method.again(system, middle, true).q[0] < 0 ? from : to) = middle;
    }
    passages.push_back(method.begin_time() + from * step);
  }
  return 0.5 * (passages[2] - passages[0]);
}

State<double, 4> linkage_start(const Linkage& system) {
  return projected(system, {0.0, {0.3, 0.9, 1.9, 2.3}, {-0.5, 0.2, 0.1, 0.0}});
}

/// The matrix whose third axis leans by `lean` towards x, turning at the rates given: `spin` about the body's
/// axis 3, `precession` about the vertical.
State<double, 9> top_start(double lean, double spin, double precession) {
  const double c = std::cos(lean), s = std::sin(lean);
  const std::array<double, 9> q{c, 0, s, 0, 1, 0, -s, 0, c};
  // Q' = [w] Q with w = precession e_z + spin (s, 0, c)
  const std::array<double, 3> w{spin * s, 0, precession + spin * c};
  std::array<double, 9> v;
  for (std::size_t j = 0; j < 3; ++j) {
    v[j] = w[1] * q[6 + j] - w[2] * q[3 + j];
    v[3 + j] = w[2] * q[j] - w[0] * q[6 + j];
    v[6 + j] = w[0] * q[3 + j] - w[1] * q[j];
  }
  return {0.0, q, v};
}

/// The top's angular momentum, sum over axes of D_j q_j x v_j.
std::array<double, 3> angular_momentum(const Top& system, const State<double, 9>& x) {
  const auto p = system.momentum(x.q, x.v, 0.0);
  std::array<double, 3> sum{};
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t a = 3 * ((i + 1) % 3) + j, b = 3 * ((i + 2) % 3) + j;
      sum[i] += x.q[a] * p[b] - x.q[b] * p[a];
    }
  }
  return sum;
}
double about_body_axis(const Top& system, const State<double, 9>& x) {
  const auto l = angular_momentum(system, x);
  return l[0] * x.q[2] + l[1] * x.q[5] + l[2] * x.q[8];
}

/// The lowest height of the axis along a run.
double lowest_axis(double spin, double time) {
  const Top system;
  Rattle<Top> method(fixed(0.01));
  method.start(system, top_start(0.01, spin, 0), true);
  double lowest = 1;
  while (method.end().t < time) {
    if (!method.advance(system, true)) FAIL("a step failed");
    lowest = std::min(lowest, method.end().q[8]);
  }
  return lowest;
}

}  // namespace

TEST_CASE("the pendulum's multiplier is its tension over its length") {
  Pendulum system;
  CHECK(system.multiplier({0, -1}, {0, 0}, 0.0)[0] == Approx(1).epsilon(1e-15));
  system.parameters = {2.0, 3.0, 0.7};
  const double angle = 0.8, speed = 1.1;
  const std::array<double, 2> q{2 * std::sin(angle), -2 * std::cos(angle)},
      v{speed * std::cos(angle), speed * std::sin(angle)};
  const double tension = 3 * (speed * speed / 2 + 0.7 * std::cos(angle));
  CHECK(system.multiplier(q, v, 0.0)[0] == Approx(tension / 2).epsilon(1e-14));
}

TEST_CASE("periods of the pendulum are those of the elliptic integral, to second order") {
  const std::vector<std::pair<double, double>> periods{{0.1, 6.2871145493104800}, {0.5, 6.3827896976777410},
                                                       {1.0, 6.6999756643704527}, {2.0, 8.3497529269184947},
                                                       {3.0, 16.155539372393375}, {3.1, 21.039223667953543}};
  for (const auto& [angle, exact] : periods) {
    INFO("from the angle " << angle);
    const std::vector<double> steps{0.02, 0.016, 0.0125, 0.01};
    std::vector<double> value, error;
    for (const double step : steps) {
      value.push_back(period(angle, step));
      error.push_back(std::abs(value.back() - exact));
    }
    CHECK(error[3] < 2e-4);
    CHECK(test::fitted_order(steps, error) == test::ClaimedOrder{2, 0.02, 0.005});
    CHECK((4 * value[3] - value[0]) / 3 == Approx(exact).epsilon(2e-8));  // the limit
  }
}

TEST_CASE("the four-bar linkage keeps its rods, its crank goes round, and its energy doesn't drift") {
  Linkage system;
  const auto start = linkage_start(system);
  Rattle<Linkage> method(fixed(0.01));
  method.start(system, start, true);
  Residual worst;
  double left = 0, right = 0;
  for (int i = 0; i < 20000; ++i) {
    REQUIRE(method.advance(system, true));
    const auto x = method.end();
    const auto& q = x.q;
    worst.include({std::abs(std::hypot(q[0], q[1]) - 1), 0});
    worst.include({std::abs(std::hypot(q[2] - q[0], q[3] - q[1]) - 3), 0});
    worst.include({std::abs(std::hypot(q[2] - 3, q[3]) - 2.5), 0});
    worst.include({0, residual(system, x).velocity});
    left = std::min(left, q[0]);
    right = std::max(right, q[0]);
  }
  CHECK(worst.position < 1e-14);
  CHECK(worst.velocity < 1e-13);
  CHECK(left < -0.9);  // by Grashof's rule: 1 + 3 < 3 + 2.5
  CHECK(right > 0.9);
  CHECK(there_and_back<Rattle>(system, start, 0.01, 500) < 1e-12);
  const auto energy = [&](const State<double, 4>& x) { return system.energy(x.q, x.v, 0.0); };
  const auto error = [&]<template <class> class Method>(double step, long steps) {
    std::array<double, 2> halves;
    const auto found = windows<Method>(system, start, step, steps, 2, energy);
    for (int i = 0; i < 2; ++i) halves[i] = std::max(-found[i].least, found[i].most);
    return halves;
  };
  const auto whole = error.operator()<Rattle>(0.01, 20000), half = error.operator()<Rattle>(0.005, 40000),
             control = error.operator()<Rk4>(0.01, 20000);
  INFO("energy off by " << whole[0] << ", then " << whole[1] << "; at half of the step " << half[0]
                        << "; rk4 " << control[0] << ", then " << control[1]);
  CHECK(whole[1] < 1.1 * whole[0]);
  CHECK(whole[0] / half[0] == within(4, 0.1));
  CHECK(control[1] > 1.8 * control[0]);
}

TEST_CASE("the four-bar linkage falls as its one angle says") {
  // All of its motion follows from the crank's angle a: with M(a) = sum m |dq/da|^2, M a'^2 / 2 + U(a) is the
  // energy. Position differences in a give dq/da.
  const Linkage system;
  const auto start = linkage_start(system);
  const auto end = run<Rattle>(system, start, 3, fixed(1e-4));
  const double energy = system.energy(start.q, start.v, 0.0);
  CHECK(system.energy(end.q, end.v, 0.0) == Approx(energy).epsilon(1e-7));
  const auto second_joint = [](double a, double below) {
    // On the circles about the first joint and the second pivot, on the side where it was.
    const double x = std::cos(a), y = std::sin(a), dx = 3 - x, dy = -y, d = std::hypot(dx, dy);
    const double along = (9 - 6.25 + d * d) / (2 * d), across = below * std::sqrt(9 - along * along);
    return std::array<double, 2>{x + (along * dx - across * dy) / d, y + (along * dy + across * dx) / d};
  };
  const double a = std::atan2(end.q[1], end.q[0]), h = 1e-5;
  const auto here = second_joint(a, 1);
  CHECK(end.q[2] == within(here[0], 1e-12));
  CHECK(end.q[3] == within(here[1], 1e-12));
  const double rate = (end.q[0] * end.v[1] - end.q[1] * end.v[0]);
  const auto up = second_joint(a + h, 1), down = second_joint(a - h, 1);
  CHECK(end.v[2] == within(rate * (up[0] - down[0]) / (2 * h), 1e-8));
  CHECK(end.v[3] == within(rate * (up[1] - down[1]) / (2 * h), 1e-8));
}

TEST_CASE(
    "a parallelogram is carried through its flat postures, where its constraints depend on one another") {
  Linkage system;
  system.parameters[2] = 1;  // crank and rocker alike, coupler and ground alike
  const State<double, 4> start{0.0, {0, 1, 3, 1}, {-1.5, 0, -1.5, 0}};
  Rattle<Linkage> method(fixed(0.01));
  method.start(system, start, true);
  double bent = 0, off = 0;
  int passages = 0;
  for (int i = 0; i < 2000; ++i) {
    REQUIRE(method.advance(system, true));
    const auto x = method.end();
    passages += x.q[1] * method.begin().q[1] < 0;
    bent = std::max(bent, std::hypot(x.q[2] - x.q[0] - 3, x.q[3] - x.q[1]));
    off = std::max(off, std::abs(system.energy(x.q, x.v, 0.0) - system.energy(start.q, start.v, 0.0)));
  }
  CHECK(passages > 6);
  CHECK(bent < 1e-10);  // it doesn't fold into the other loop with these rods
  CHECK(off < 1e-3);    // measured: 4e-4
}

TEST_CASE("a rod on an ellipsoid keeps its length and its ends on the surface") {
  Rod system;
  system.parameters[6] = 1;
  const auto start =
      projected(system, {0.0, {0.9, 0.5, 0.4, 0.3, 0.9, 0.1}, {0.3, -0.2, 0.5, 0.4, 0.1, -0.3}});
  Rattle<Rod> method(fixed(0.01));
  method.start(system, start, true);
  Residual worst;
  for (int i = 0; i < 20000; ++i) {
    REQUIRE(method.advance(system, true));
    worst.include(residual(system, method.end()));
  }
  CHECK(worst.position < 1e-14);
  CHECK(worst.velocity < 1e-13);
  CHECK(there_and_back<Rattle>(system, start, 0.01, 200) < 1e-12);
  const auto map = [&](const auto& at) { return run<Rattle>(system, at, 0.1, fixed(0.05)); };
  const auto control = [&](const auto& at) {
    return projected(system, run<Rk4>(system, at, 0.4, fixed(0.2)));
  };
  CHECK(symplectic_defect(system, start, map) < 1e-9);
  CHECK(symplectic_defect(system, start, control) > 1e-6);
}

TEST_CASE("the symmetric heavy top conserves both angular momenta exactly, its energy in bounds") {
  const Top system;
  const auto start = top_start(0.6, 4, 0.3);
  const auto vertical = [&](const State<double, 9>& x) { return angular_momentum(system, x)[2]; };
  const auto axial = [&](const State<double, 9>& x) { return about_body_axis(system, x); };
  const auto energy = [&](const State<double, 9>& x) { return system.energy(x.q, x.v, 0.0); };
  // T = I1 (w1^2 + w2^2) / 2 + I3 w3^2 / 2 with w = (-precession sin, 0, spin + precession cos) in the body.
  const double w1 = 0.3 * std::sin(0.6), w3 = 4 + 0.3 * std::cos(0.6);
  CHECK(energy(start) == Approx(0.5 * w1 * w1 + 0.25 * w3 * w3 + std::cos(0.6)).epsilon(1e-14));
  CHECK(axial(start) == Approx(0.5 * w3).epsilon(1e-14));
  CHECK(vertical(start) == Approx(0.5 * w3 * std::cos(0.6) + w1 * std::sin(0.6)).epsilon(1e-14));
  const auto extent = [](const Window& w) { return std::max(-w.least, w.most); };
  CHECK(extent(windows<Rattle>(system, start, 0.01, 20000, 1, vertical)[0]) < 1e-12);
  CHECK(extent(windows<Rattle>(system, start, 0.01, 20000, 1, axial)[0]) < 1e-12);
  const auto first = windows<Rattle>(system, start, 0.02, 20000, 2, energy),
             halved = windows<Rattle>(system, start, 0.01, 40000, 2, energy);
  CHECK(extent(first[1]) < 1.1 * extent(first[0]));
  CHECK(extent(first[0]) / extent(halved[0]) == Approx(4).epsilon(0.05));
  // The controls: another method; and a top without symmetry, which keeps the vertical one alone.
  CHECK(extent(windows<Rk4>(system, start, 0.02, 2000, 1, axial)[0]) > 1e-7);
  Top uneven;
  uneven.parameters = {1.0, 0.8, 0.5, 1.0};
  const auto other = [&](const State<double, 9>& x) { return about_body_axis(uneven, x); };
  const auto upright = [&](const State<double, 9>& x) { return angular_momentum(uneven, x)[2]; };
  CHECK(extent(windows<Rattle>(uneven, start, 0.01, 5000, 1, other)[0]) > 1e-3);
  CHECK(extent(windows<Rattle>(uneven, start, 0.01, 5000, 1, upright)[0]) < 1e-12);
}

TEST_CASE("a fast top sleeps, a slow one falls: the limit is I3^2 w^2 = 4 I1 weight_length") {
  const double limit = std::sqrt(4.0) / 0.5;  // 4 with the default moments
  CHECK(lowest_axis(1.1 * limit, 60) > 0.99);
  CHECK(lowest_axis(0.9 * limit, 60) < 0.9);
}

TEST_CASE("a top in steady precession keeps its lean") {
  // weight_length = precession (I3 w3 - I1 precession cos), w3 the whole rate about axis 3.
  const Top system;
  const double lean = 0.7, precession = 0.4;
  const double w3 = (1 / precession + precession * std::cos(lean)) / 0.5;
  const auto start = top_start(lean, w3 - precession * std::cos(lean), precession);
  Rattle<Top> method(fixed(0.002));
  method.start(system, start, true);
  double off = 0;
  while (method.end().t < 20 - 1e-9) {
    REQUIRE(method.advance(system, true));
    off = std::max(off, std::abs(method.end().q[8] - std::cos(lean)));
  }
  CHECK(off < 1e-5);
  const double angle = std::atan2(method.end().q[5], method.end().q[2]);
  CHECK(std::remainder(angle - precession * 20, 2 * pi) == within(0, 1e-4));
}

TEST_CASE("RATTLE preserves the symplectic form of the rotation group's cotangent bundle") {
  Top system;
  system.parameters = {1.0, 0.8, 0.5, 1.0};
  const auto start = top_start(0.6, 2, 0.3);
  const auto map = [&](const auto& at) { return run<Rattle>(system, at, 0.2, fixed(0.1)); };
  const auto control = [&](const auto& at) {
    return projected(system, run<Rk4>(system, at, 0.4, fixed(0.2)));
  };
  CHECK(symplectic_defect(system, start, map) < 1e-9);
  CHECK(symplectic_defect(system, start, control) > 1e-6);
  CHECK(there_and_back<Rattle>(system, start, 0.05, 100) < 1e-12);
  CHECK(there_and_back<Rk4>(system, start, 0.05, 100) > 1e-6);
}
