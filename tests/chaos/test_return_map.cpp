// SPDX-License-Identifier: BSD-3-Clause
// The return map of Henon-Heiles on q1 = 0 as a map of the plane (q2, p2): it keeps areas, its derivative is
// that of neighbouring returns, and its stable manifolds, grown by its inverse, are the unstable ones with
// time reversed.
#include <Eigen/LU>
#include <cmath>

#include "catch.hpp"
#include "chaos/return_map.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::chaos;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

constexpr double energy = 0.12;

SectionPoint at(double q, double v) {
  return Eigen::Vector2d(q, v);
}

Closure on_q1(const Problem& problem, double step) {
  Closure closure;
  closure.problem = &problem;
  closure.method = gauss(8, step);
  closure.section.coordinate = 0;
  closure.section.direction = 1;
  closure.energy = energy;
  return closure;
}

/// The orbit that returns next to a start with q1 = 0.
ClosedOrbit orbit_near(const Closure& closure, double q2, double v2) {
  const Start start = henon_heiles_start(0, energy, q2, v2);
  const auto guess = first_return(closure, start.q, start.v);
  REQUIRE(guess);
  const auto orbit = close(closure, *guess, std::nullopt);
  REQUIRE(orbit);
  return *orbit;
}

}  // namespace

TEST_CASE("a return map keeps areas, and its derivative is that of neighbouring returns") {
  const auto problem = sections::test::problem("henon-heiles");
  const Closure closure = on_q1(*problem, 0.25);
  const ReturnMap map(closure, orbit_near(closure, 0.25, 0.0), 1);
  for (const SectionPoint& z : {at(0.1, 0.2), at(-0.2, 0.05), at(0.3, -0.15)}) {
    const auto image = map.image(z);
    REQUIRE(image);
    CHECK(image->derivative.determinant() == Approx(1).epsilon(1e-11));
    // Differences of the second order: the error falls to a quarter where the distance is halved.
    double before = 0;
    for (const double h : {4e-3, 2e-3, 1e-3}) {
      Eigen::Matrix2d differences;
      for (int k = 0; k < 2; ++k) {
        const SectionPoint step = h * SectionPoint::Unit(2, k);
        const auto up = map.image(z + step), down = map.image(z - step);
        REQUIRE((up && down));
        differences.col(k) = (up->at - down->at) / (2 * h);
      }
      const double off = (differences - image->derivative).norm();
      CHECK(off > 1e-9);
      if (before > 0) CHECK(before / off == within(4, 0.3));
      before = off;
    }
  }
  // Where no motion has the energy there is no return.
  CHECK_FALSE(map.image(at(0.0, 0.6)));
  CHECK(std::isnan(map.momentum(at(0.0, 0.6))[0]));
  CHECK(map.momentum(at(0.1, 0.2)) == at(0.2, 0.0));
}

TEST_CASE("a return map of a section finds the flight's own crossings") {
  const auto problem = sections::test::problem("henon-heiles");
  const Closure closure = on_q1(*problem, 0.25);
  const ClosedOrbit orbit = orbit_near(closure, 0.25, 0.0);
  const ReturnMap once(closure, orbit, 1), twice(closure, orbit, 2);
  const Start start = henon_heiles_start(0, energy, 0.1, 0.2);
  const auto flown = fly(*problem, closure.method, coordinate(0, 0.0, 1, 2), start.q, start.v);
  const auto after = [&](const ReturnMap& map) { return map.image(at(0.1, 0.2))->at; };
  CHECK((after(once) - at(row(flown, 0)[2], row(flown, 0)[4])).norm() < 1e-12);
  CHECK((after(twice) - at(row(flown, 1)[2], row(flown, 1)[4])).norm() < 1e-12);
  CHECK((after(once) - after(twice)).norm() > 1e-2);
}

TEST_CASE("what is no map of a plane is refused") {
  const auto galaxy = sections::test::problem("henon-heiles");
  CHECK(ReturnMap::columns(*galaxy, on_q1(*galaxy, 0.1).section) == std::vector<int>{1, 3});
  Section general = on_q1(*galaxy, 0.1).section;
  general.coordinate = -1;
  CHECK(ReturnMap::columns(*galaxy, general).empty());
  // An orbit that lies in its section never crosses it.
  const Closure closure = on_q1(*galaxy, 0.1);
  ClosedOrbit straight = orbit_near(closure, 0.25, 0.0);
  straight.v[0] = 0;
  CHECK_THROWS_WITH(ReturnMap(closure, straight, 1), ContainsSubstring("doesn't cross"));
}
