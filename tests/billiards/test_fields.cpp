// SPDX-License-Identifier: BSD-3-Clause
// Flights in potentials between walls: against closed forms, backward in time, and what they keep.
#include <cmath>
#include <numbers>

#include "billiards/fields/harmonic.hpp"
#include "billiards/fields/henon_heiles.hpp"
#include "billiards/fields/kepler.hpp"
#include "billiards/gas.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/egg.hpp"
#include "billiards/sets/sphere.hpp"
#include "billiards/sets/stadium.hpp"
#include "catch.hpp"
#include "numerics/random.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

template <class Set>
Domain<Set::dim> only(const std::array<double, Set::parameters.size()>& parameters) {
  Domain<Set::dim> domain;
  domain.template add<Set>("set", parameters);
  domain.enclose_all();
  return domain;
}

template <int D>
bool bounce_once(Gas<D>& gas, int lane = 0) {
  const auto before = gas.bounces(lane);
  while (gas.status(lane) == Status::pending && gas.bounces(lane) == before) gas.advance(1e9);
  return gas.status(lane) == Status::pending;
}
template <int D>
Vector<D> lane_of(const Point<D>& point, int lane = 0) {
  Vector<D> x;
  for (int d = 0; d < D; ++d) x[d] = point[d][lane];
  return x;
}

}  // namespace

TEST_CASE("In a harmonic trap within a circle each hit is where the closed form has it", "[unit]") {
  // |x cos t + v sin t|^2 = 1 has the roots of a + b cos 2t + c sin 2t = 1.
  const Domain<2> disc = only<Circle>({1.0});
  const FieldOf<Harmonic> trap({1.0, 1.0});
  const auto worst_miss = [&](const Field<2>* field) {
    Gas<2> gas(disc, {}, 1, field);
    Vector<2> x{0.3, -0.2}, v{1.7, 0.9};
    gas.load(0, 0, x, v);
    double worst = 0, begun = 0;
    for (int hit = 0; hit < 200; ++hit) {
      const double xx = x[0] * x[0] + x[1] * x[1], vv = v[0] * v[0] + v[1] * v[1],
                   xv = x[0] * v[0] + x[1] * v[1];
      const double phase = std::atan2(xv, (xx - vv) / 2), size = std::hypot(xv, (xx - vv) / 2);
      // On the wall 2t = 0 is one root, phase +- angle; the other, a turn on at most, is the next.
      const double angle = std::acos((1 - (xx + vv) / 2) / size);
      double t = 10;
      for (const double root :
           {phase + angle, phase - angle, phase + angle + 2 * M_PI, phase - angle + 2 * M_PI})
        if (root > 1e-9) t = std::min(t, root / 2);
      if (!bounce_once(gas)) return 1.0;
      worst = std::max(worst, std::abs(gas.time()[0] - begun - t));
      begun = gas.time()[0];
      x = lane_of<2>(gas.x());
      v = lane_of<2>(gas.v());
    }
    return worst;
  };
  CHECK(worst_miss(&trap) < 1e-12);   // 1e-13
  CHECK(worst_miss(nullptr) > 1e-2);  // without the field
}

TEST_CASE("An orbit that meets no wall goes on, however often it passes from one part of a set to another",
          "[unit]") {
  const Domain<2> stadium = only<Stadium>({0.8, 1.0}), disc = only<Circle>({2.0});
  const FieldOf<Harmonic> trap({1.0, 1.0});
  const auto flown = [&](const Domain<2>& domain, double time) {
    Gas<2> gas(domain, {}, 1, &trap);
    gas.load(0, 0, {1.5, 0.1}, {0.0, 0.0});
    while (gas.status(0) == Status::pending) gas.advance(time);
    return std::pair(gas.status(0), std::array{gas.time()[0], gas.x()[0][0], gas.x()[1][0]});
  };
  const auto [status, end] = flown(stadium, 1000);
  CHECK(status == Status::finished);
  CHECK(end[0] == 1000);
  CHECK(end[1] == within(1.5 * std::cos(1000.0), 1e-10));
  CHECK(end[2] == within(0.1 * std::cos(1000.0), 1e-10));
  // Without an end in time it is given up after as many arcs, wherever the cells are.
  const auto for_ever = flown(stadium, never), without_cells = flown(disc, never);
  CHECK(for_ever.first == Status::left_domain);
  CHECK(for_ever.second == without_cells.second);
}

TEST_CASE("A circle's trap keeps energy and angular momentum; Henon and Heiles' the energy alone", "[unit]") {
  const Domain<2> disc = only<Circle>({0.8});
  const auto changes = [&](const Field<2>& field) {
    Gas<2> gas(disc, {}, 1, &field);
    for (int lane = 0; lane < Gas<2>::width; ++lane)
      gas.load(lane, lane, {0.3 - 0.05 * lane, 0.1}, {0.9, 1.5 - 0.1 * lane});
    const auto momentum = [&] { return gas.x()[0] * gas.v()[1] - gas.x()[1] * gas.v()[0]; };
    const Pack first = momentum(), energy = gas.energy();
    Pack turned(0.0);
    while (gas.bounces(0) < 1000) {
      gas.advance(1e9);
      turned = max(turned, abs(momentum() - first));
    }
    const Pack drift = abs(gas.energy() - energy);
    double worst = 0, turn = 0;
    for (int lane = 0; lane < Gas<2>::width; ++lane) {
      worst = std::max({worst, drift[lane], gas.energy_error()[lane]});
      turn = std::max(turn, turned[lane]);
      CHECK(gas.status(lane) == Status::pending);
    }
    return std::array{worst, turn};
  };
  const auto trap = changes(FieldOf<Harmonic>({2.0, 2.0})), waves = changes(FieldOf<HenonHeilesField>({1.0}));
  CHECK(trap[0] < 1e-13);   // 2e-15
  CHECK(trap[1] < 1e-12);   // 6e-15
  CHECK(waves[0] < 1e-13);  // 2e-15
  CHECK(waves[1] > 1e-2);
}

TEST_CASE("Back through fifteen hits of an egg about an attracting centre", "[unit]") {
  // Short of the horizon beyond which round-off fills the egg.
  const Domain<2> egg = only<Egg>({1.3, 1.0, 0.4});
  const FieldOf<Kepler> centre({0.5});
  Gas<2> gas(egg, {0.0, -0.3}, 1, &centre);
  const Vector<2> x{0.6, 0.2}, v{-0.2, 0.8};
  gas.load(0, 0, x, v);
  gas.advance(1e-9);  // off the middle of an arc
  Gas<2> back(egg, {0.0, -0.3}, 1, &centre);
  Gas<2> there(egg, {0.0, -0.3}, 1, &centre);
  there.load(0, 0, x, v);
  for (int k = 0; k < 15; ++k) REQUIRE(bounce_once(there));
  const double until = there.time()[0] + 1e-3;
  while (there.status(0) == Status::pending) there.advance(until);
  REQUIRE(there.status(0) == Status::finished);
  Vector<2> turned = lane_of<2>(there.v());
  for (double& component : turned) component = -component;
  back.load(0, 0, lane_of<2>(there.x()), turned);
  while (back.status(0) == Status::pending) back.advance(until);
  REQUIRE(back.status(0) == Status::finished);
  CHECK(back.bounces(0) == 15);
  CHECK(std::abs(back.x()[0][0] - x[0]) < 1e-6);
  CHECK(std::abs(back.x()[1][0] - x[1]) < 1e-6);
}

TEST_CASE("A field of no stiffness leaves the parabolas of gravity", "[unit]") {
  const Domain<3> ball = only<Sphere>({1.0});
  const FieldOf<HarmonicInSpace> none({0.0, 0.0, 0.0});
  Gas<3> bent(ball, {0.0, 0.0, -10.0}, 1, &none), exact(ball, {0.0, 0.0, -10.0});
  for (Gas<3>* gas : {&bent, &exact}) gas->load(0, 0, {0.1, 0.3, 0.2}, {0.4, -0.2, 0.1});
  for (int k = 0; k < 8; ++k) {
    REQUIRE(bounce_once(bent));
    REQUIRE(bounce_once(exact));
    CHECK(bent.time()[0] == Approx(exact.time()[0]).epsilon(1e-9));
    for (int d = 0; d < 3; ++d) CHECK(std::abs(bent.x()[d][0] - exact.x()[d][0]) < 1e-8);
  }
}

TEST_CASE("A lane's motion in a field is its own, and goes on from what was saved", "[unit]") {
  const Domain<2> egg = only<Egg>({1.3, 1.0, 0.4});
  const FieldOf<HenonHeilesField> field({1.0});
  const auto start = [](std::int64_t id) {
    return std::array{Vector<2>{numerics::uniform(3, id, 0) - 0.5, numerics::uniform(3, id, 1) - 0.5},
                      Vector<2>{2 * numerics::uniform(3, id, 2) - 1, 2 + numerics::uniform(3, id, 3)}};
  };
  Gas<2> many(egg, {}, 1, &field), alone(egg, {}, 1, &field), resumed(egg, {}, 1, &field);
  for (int lane = 0; lane < Gas<2>::width; ++lane) many.load(lane, lane, start(lane)[0], start(lane)[1]);
  const int watched = Gas<2>::width - 1;
  alone.load(0, watched, start(watched)[0], start(watched)[1]);
  for (int k = 0; k < 300; ++k) {
    many.advance(1e9);
    alone.advance(1e9);
    if (k == 150) {
      std::vector<double> state(alone.state_size());
      alone.save(0, state.data());
      resumed.restore(1 % Gas<2>::width, watched, state.data());
    }
    if (k > 150) resumed.advance(1e9);
  }
  REQUIRE(alone.bounces(0) > 10);
  for (int d = 0; d < 2; ++d) {
    CHECK(many.x()[d][watched] == alone.x()[d][0]);
    CHECK(resumed.v()[d][1 % Gas<2>::width] == alone.v()[d][0]);
  }
}

TEST_CASE("A particle that falls onto a centre ends with a status", "[unit]") {
  const FieldOf<Kepler> centre({1.0});
  const Domain<2> disc = only<Circle>({1.0});
  Gas<2> gas(disc, {}, 1, &centre);
  gas.load(0, 0, {0.5, 0.0}, {0.0, 0.0});
  for (int k = 0; k < 10000 && gas.status(0) == Status::pending; ++k) gas.advance(10.0);
  CHECK(gas.status(0) != Status::pending);
  CHECK(gas.status(0) != Status::finished);
}

TEST_CASE("What falls into a centre ends before it, without a bounce", "[unit]") {
  const Domain<2> disc = only<Circle>({3.0});
  const FieldOf<Kepler> centre({1.0});
  Gas<2> gas(disc, {}, 1, &centre);
  gas.load(0, 0, {1.0, 0.0}, {0.0, 0.0});
  for (int k = 0; k < 10000 && gas.active()[0]; ++k) gas.advance(10.0);
  CHECK(gas.status(0) == Status::step_too_small);
  CHECK(gas.bounces(0) == 0);
  CHECK(std::abs(gas.time()[0] - 0.25 * std::numbers::pi * std::sqrt(2.0)) < 1e-9);
  CHECK(std::hypot(gas.x()[0][0], gas.x()[1][0]) < 1e-6);
}
