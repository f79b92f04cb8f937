// SPDX-License-Identifier: BSD-3-Clause
// The return map of Henon-Heiles on q1 = 0 as a map of the plane (q2, p2): it keeps areas, its derivative is
// that of neighbouring returns, and its stable manifolds, grown by its inverse, are the unstable ones with
// time reversed, however much the map stretches. The way back leads to what the map takes here, over kicks,
// through bounces and where motion is damped, too.
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chaos/return_map.hpp"
#include "sections/driven_models.hpp"
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

/// x'' = x - x^3 + A cos t - b x'.
struct Duffing : ByGauss {
  static constexpr std::string_view name = "duffing", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "length"}}};
  static constexpr std::array<mechanics::Parameter, 2> parameters{
      {{"A", 1e-3, "force"}, {"b", 0.0, "damping"}}};

  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + 0.5 * ad::square(x) - 0.25 * ad::square(ad::square(x));
  }
  auto force(const auto&, const auto& v, const auto& p, const auto& t) const {
    using std::cos;
    const auto [x_dot] = v;
    return p[0] * cos(t) - p[1] * x_dot;
  }
};

/// From strobe to strobe, about the orbit next to a state.
ReturnMap strobed(const Problem& problem, const integrators::MethodOptions& method,
                  const std::vector<double>& parameters, const std::string& every, const SectionPoint& near) {
  std::vector<std::string> names;
  for (const auto& parameter : problem.parameters()) names.push_back(parameter.name);
  Closure closure;
  closure.problem = &problem;
  closure.method = method;
  closure.parameters = parameters;
  closure.section.strobe = {expressions::Expression::parse(every, names),
                            expressions::Expression::parse("0", names)};
  const auto orbit = close(closure, near, std::nullopt);
  REQUIRE(orbit);
  return ReturnMap(closure, *orbit, 1);
}

/// How far from a point its image's way back ends, in units of what the derivative makes of round-off.
double off_back(const ReturnMap& map, const SectionPoint& z) {
  const auto image = map.image(z);
  REQUIRE(image);
  const auto back = map.back(image->at);
  REQUIRE(back);
  return (*back - z).norm() / image->derivative.norm();
}

InvariantManifold grown(const std::shared_ptr<const ReturnMap>& map, bool stable, int side,
                        const ManifoldRule& rule) {
  InvariantManifold manifold(map, map->fixed_point(), stable, side);
  manifold.grow(rule);
  return manifold;
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

TEST_CASE("the way back leads to what the map takes here") {
  const auto galaxy = sections::test::problem("henon-heiles");
  Closure closure = on_q1(*galaxy, 0.25);
  const ReturnMap once(closure, orbit_near(closure, 0.25, 0.0), 1),
      twice(closure, orbit_near(closure, 0.25, 0.0), 2);
  for (const SectionPoint& z : {at(0.1, 0.2), at(-0.2, 0.05), at(0.3, -0.15)}) {
    CHECK(off_back(once, z) < 1e-12);  // the method's accuracy: the shorter step is the last one either way
    CHECK(off_back(twice, z) < 1e-12);
  }
  // Only crossings that the condition counts.
  const std::vector<std::string> names{"q1", "q2", "q1_dot", "q2_dot", "p_q1", "p_q2"};
  closure.section.condition = expressions::Condition::parse("q2 > 0", names);
  const ReturnMap above(closure, orbit_near(closure, 0.25, 0.0), 1);
  CHECK(off_back(above, at(0.1, 0.2)) < 1e-11);

  const ProblemOf<Duffing> duffing;
  CHECK(off_back(strobed(duffing, gauss(8, 0.2), {1e-3, 0.0}, "2*pi", at(0, 0)), at(0.01, -0.005)) < 1e-14);
  CHECK(off_back(strobed(duffing, gauss(8, 0.2), {1e-3, 0.1}, "2*pi", at(0, 0)), at(0.01, -0.005)) < 1e-14);
  const ProblemOf<KickedPendulum<ByGauss>> kicked;
  const double top = std::numbers::pi;
  CHECK(off_back(strobed(kicked, gauss(4, 0.2), {1.0, 0.7, 1.3}, "2*T", at(top, 0)), at(top + 0.1, 0.3)) <
        1e-14);
}

TEST_CASE("stable manifolds reach the lengths of the unstable ones, their mirror images", "[long]") {
  const auto galaxy = sections::test::problem("henon-heiles");
  Closure closure = on_q1(*galaxy, 0.5);
  closure.energy = 0.2;  // above the escape energy: multipliers 11.9 and its inverse
  const Start start = henon_heiles_start(0, closure.energy, -0.25, 0.0);
  const auto orbit = close(closure, *first_return(closure, start.q, start.v), std::nullopt);
  REQUIRE(orbit);
  const auto returns = std::make_shared<const ReturnMap>(closure, *orbit, 1);
  const ProblemOf<Duffing> duffing;
  const auto strobes = std::make_shared<const ReturnMap>(
      strobed(duffing, gauss(8, 0.2), {1e-3, 0.0}, "2*pi", at(0, 0)));  // 535 and its inverse
  struct Case {
    std::shared_ptr<const ReturnMap> map;
    ManifoldRule rule;
  };
  for (const Case& it : {Case{returns, {.length = 3, .bend = 0.1, .spacing = 0.05, .points = 2000}},
                         Case{strobes, {.length = 8, .bend = 0.1, .spacing = 0.1, .points = 2000}}}) {
    for (const int side : {1, -1}) {
      const auto unstable = grown(it.map, false, side, it.rule), stable = grown(it.map, true, side, it.rule);
      CHECK(unstable.end() == InvariantManifold::End::reached);
      CHECK(stable.end() == InvariantManifold::End::reached);
      const auto gaps = [](const auto& nodes) {
        return std::ranges::count_if(nodes, &InvariantManifold::Node::gap);
      };
      CHECK(gaps(unstable.nodes()) == gaps(stable.nodes()));
      CHECK(stable.length() == Approx(unstable.length()).epsilon(0.02));
    }
  }
}

TEST_CASE("a driven oscillator's lobes have the areas of Melnikov's integral", "[long]") {
  const ProblemOf<Duffing> duffing;
  const double force = 1e-3;
  const auto map =
      std::make_shared<const ReturnMap>(strobed(duffing, gauss(8, 0.2), {force, 0.0}, "2*pi", at(0, 0)));
  const ManifoldRule rule{.length = 4.5, .bend = 0.1, .spacing = 0.1, .points = 2000};
  const auto unstable = grown(map, false, 1, rule), stable = grown(map, true, 1, rule);
  const auto points = homoclinic_points(unstable, stable, at(0, 0), 40);
  const double pi = std::numbers::pi, known = 2 * std::numbers::sqrt2 * pi * force / std::cosh(pi / 2);
  int lobes = 0;
  for (const auto& point : points) {
    if (!std::isfinite(point.area)) continue;
    ++lobes;
    INFO(point.unstable << " " << point.stable);
    CHECK(std::abs(point.area) == Approx(known).epsilon(0.02));
  }
  CHECK(lobes >= 2);
}
