// SPDX-License-Identifier: BSD-3-Clause
// Hard discs and spheres: two of them by hand, the equation of state, energy and momentum, no overlap,
// refusals.
#include <cmath>
#include <numbers>

#include "billiards/hard_spheres.hpp"
#include "catch.hpp"
#include "numerics/random.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

/// About `count` discs on a triangular lattice at a packing fraction, with uniform velocities of mean zero.
HardSpheres<2> discs(int side, double packing, bool periodic = true) {
  const double a = 1.0, height = std::sqrt(0.75) * a;
  const double radius = std::sqrt(packing * a * height / std::numbers::pi);
  std::vector<std::array<double, 2>> x, v;
  std::array<double, 2> mean{};
  for (int j = 0; j < side; ++j) {
    for (int i = 0; i < side; ++i) {
      const auto id = static_cast<std::int64_t>(x.size());
      x.push_back({(i + 0.5 * (j % 2) + 0.25) * a, (j + 0.5) * height});
      v.push_back({numerics::uniform(1, id, 0) - 0.5, numerics::uniform(1, id, 1) - 0.5});
      for (std::size_t d = 0; d < 2; ++d) mean[d] += v.back()[d] / (side * side);
    }
  }
  for (auto& one : v) {
    for (std::size_t d = 0; d < 2; ++d) one[d] -= mean[d];
  }
  return HardSpheres<2>({{side * a, side * height}, radius, periodic}, x, v);
}

}  // namespace

TEST_CASE("Two discs meet, exchange what lies along their normal, and meet again around the box", "[unit]") {
  HardSpheres<2> pair({{10.0, 10.0}, 0.5, true}, {{2.0, 5.0}, {6.0, 5.0 + std::sqrt(0.5)}},
                      {{1.0, 0.0}, {-1.0, 0.0}});
  const double hit = (4 - std::sqrt(0.5)) / 2;  // the normal is at 45 degrees
  pair.advance(hit - 1e-9);
  CHECK(pair.collisions() == 0);
  pair.advance(hit + 1e-9);
  CHECK(pair.collisions() == 1);
  CHECK(std::abs(pair.velocity(0)[0]) < 1e-14);
  CHECK(std::abs(pair.velocity(0)[1] + 1) < 1e-14);
  CHECK(std::abs(pair.velocity(1)[1] - 1) < 1e-14);
  CHECK(std::abs(pair.energy() - 1) < 1e-14);
}

TEST_CASE("Few discs in a wide box meet inside it, nearer than around it", "[unit]") {
  HardSpheres<2> pair({{10.0, 10.0}, 0.5, true}, {{0.5, 5.0}, {6.5, 5.0}}, {{1.0, 0.0}, {-1.0, 0.0}});
  pair.advance(2.5 - 1e-9);
  CHECK(pair.collisions() == 0);
  pair.advance(2.5 + 1e-9);
  CHECK(pair.collisions() == 1);
  CHECK(pair.least_gap() > -1e-12);
}

TEST_CASE("A disc between walls", "[unit]") {
  HardSpheres<2> one({{4.0, 4.0}, 0.5, false}, {{1.0, 2.0}}, {{1.0, 0.25}});
  one.advance(100.0);
  CHECK(one.wall_hits() == 33 + 8);  // along x every 3, first after 2.5; along y every 12, first after 6
  CHECK(one.collisions() == 0);
}

TEST_CASE("The equation of state of hard discs; energy, momentum, no overlap", "[unit]") {
  auto gas = discs(40, 0.3);
  const double energy = gas.energy();
  gas.advance(40);
  const double virial = gas.virial(), time = gas.time();
  const std::int64_t before = gas.collisions();
  gas.advance(240);
  CHECK(gas.collisions() - before > 100000);
  CHECK(std::abs(gas.energy() / energy - 1) < 1e-12);  // measured: 1e-14
  CHECK(gas.least_gap() > -1e-12);
  std::array<double, 2> momentum{};
  for (std::int64_t i = 0; i < gas.size(); ++i) {
    for (std::size_t d = 0; d < 2; ++d) momentum[d] += gas.velocity(i)[d];
  }
  CHECK(std::hypot(momentum[0], momentum[1]) < 1e-11);
  // P A / (N T) = 1 + virial / (2 N T t), N T the energy. Henderson (1975): (1 + eta^2 / 8) / (1 - eta)^2
  // = 2.064.
  const double state = 1 + (gas.virial() - virial) / (2 * gas.energy() * (gas.time() - time));
  CHECK(std::abs(state - 2.064) < 0.03);
}

TEST_CASE("No event is overtaken by a later one, at whatever time one looks", "[unit]") {
  auto gas = discs(60, 0.5);
  for (int k = 1; k <= 60; ++k) {
    gas.advance(k);
    CHECK(gas.least_gap() > -1e-12);  // a collision that waits while the clock runs on shows as an overlap
  }
  CHECK(gas.collisions() > 250000);
}

TEST_CASE("Dense discs, and spheres between walls", "[unit]") {
  auto dense = discs(30, 0.7);
  dense.advance(20);
  CHECK(dense.collisions() > 50000);
  CHECK(dense.least_gap() > -1e-12);

  std::vector<std::array<double, 3>> x, v;
  for (int k = 0; k < 216; ++k) {
    x.push_back({0.5 + k % 6, 0.5 + k / 6 % 6, 0.5 + k / 36});
    v.push_back({numerics::uniform(1, k, 0) - 0.5, numerics::uniform(1, k, 1) - 0.5,
                 numerics::uniform(1, k, 2) - 0.5});
  }
  HardSpheres<3> balls({{6.0, 6.0, 6.0}, 0.4, false}, x, v);
  const double energy = balls.energy();
  balls.advance(50);
  CHECK(balls.collisions() > 10000);
  CHECK(balls.wall_hits() > 2000);
  CHECK(std::abs(balls.energy() / energy - 1) < 1e-12);
  CHECK(balls.least_gap() > -1e-12);
  for (std::int64_t i = 0; i < balls.size(); ++i) {
    for (const double component : balls.position(i)) {
      CHECK(component > 0.4 - 1e-12);
      CHECK(component < 5.6 + 1e-12);
    }
  }
}

TEST_CASE("The same discs, the same bits, however time is cut into stretches", "[unit]") {
  auto whole = discs(20, 0.5), parts = discs(20, 0.5);
  whole.advance(10);
  for (int k = 1; k <= 40; ++k) parts.advance(0.25 * k);
  CHECK(whole.collisions() == parts.collisions());
  for (std::int64_t i = 0; i < whole.size(); ++i) CHECK(whole.position(i) == parts.position(i));
}

TEST_CASE("Discs that are gone on with from their state have the same bits", "[unit]") {
  auto whole = discs(20, 0.5), resumed = discs(20, 0.5), moved = discs(20, 0.5);
  CHECK(whole.advance(10, 5000) == 5000);  // stopped between two events
  CHECK(whole.time() < 10);
  const std::vector<double> state = whole.state();
  CHECK(state.size() == HardSpheres<2>::state_size(whole.size()));
  resumed.advance(3);  // whatever it did before
  resumed.restore(state);
  CHECK(resumed.time() == whole.time());
  // The control: a state of which one number is another in its last places.
  std::vector<double> other = state;
  other[4] *= 1 + 1e-15;
  moved.restore(other);
  for (auto* gas : {&whole, &resumed, &moved}) gas->advance(10);
  CHECK(resumed.collisions() == whole.collisions());
  CHECK(resumed.virial() == whole.virial());
  bool same = true;
  for (std::int64_t i = 0; i < whole.size(); ++i) {
    CHECK(resumed.position(i) == whole.position(i));
    CHECK(resumed.velocity(i) == whole.velocity(i));
    same = same && moved.position(i) == whole.position(i);
  }
  CHECK(!same);
}

TEST_CASE("Overlapping discs are refused by their numbers", "[unit]") {
  const auto make = [](double second) {
    return HardSpheres<2>({{10.0, 10.0}, 0.5, true}, {{1.0, 1.0}, {second, 1.0}}, {{0.0, 0.0}, {0.0, 0.0}});
  };
  CHECK_THROWS_WITH(make(1.9), ContainsSubstring("particles 0 and 1 overlap"));
  CHECK_THROWS_WITH(make(11.0), ContainsSubstring("particle 1 is outside"));
  CHECK_NOTHROW(make(2.1));
}
