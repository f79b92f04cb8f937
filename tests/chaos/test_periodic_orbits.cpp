// SPDX-License-Identifier: BSD-3-Clause
// Periodic orbits whose every number is known: the kicked rotor at rest, whose trace is 2 - K T; equilibria
// of a pendulum under a constant torque F, sin x = F, that fold at F = 1; and the derivative over kicks.
#include <algorithm>
#include <numbers>
#include <set>

#include "billiards/problem.hpp"
#include "billiards/sets/ellipse.hpp"
#include "catch.hpp"
#include "chaos/continuation.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::chaos;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// x'' = -sin x + F.
struct TwistedPendulum : ByGauss {
  static constexpr std::string_view name = "twisted-pendulum", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"F", 0.0, "torque"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using std::cos;
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + cos(x) + p[0] * x;
  }
};

/// The same with F in units of the second parameter.
struct ScaledPendulum : ByGauss {
  static constexpr std::string_view name = "scaled-pendulum", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 2> parameters{
      {{"F", 0.0, "torque"}, {"unit", 1.0, "of F"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    using std::cos;
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + cos(x) + p[0] / p[1] * x;
  }
};

integrators::MethodOptions method(const char* name, double step) {
  integrators::MethodOptions options;
  options.name = name;
  options.step = step;
  return options;
}

Closure strobed(const Problem& problem, const integrators::MethodOptions& method,
                std::vector<double> parameters, double every) {
  std::vector<std::string> names;
  for (const auto& parameter : problem.parameters()) names.push_back(parameter.name);
  Closure closure;
  closure.problem = &problem;
  closure.method = method;
  closure.section.strobe = {expressions::Expression::parse(std::to_string(every), names),
                            expressions::Expression::parse("0", names)};
  closure.parameters = std::move(parameters);
  return closure;
}

ClosedOrbit at(const Closure& closure, double x, double v) {
  const auto orbit = close(closure, Eigen::Vector2d(x, v), std::nullopt);
  REQUIRE(orbit);
  return *orbit;
}

}  // namespace

TEST_CASE("the rotor at rest turns by 1/4, 1/3 and 1/2 where its kicks are 2, 3 and 4 strong") {
  const ProblemOf<KickedPendulum<ByVerlet>> rotor;
  Closure closure = strobed(rotor, method("stormer-verlet", 1.0), {0.0, 0.5, 1.0}, 1.0);
  const ClosedOrbit rest = at(closure, 0.01, -0.02);
  CHECK(rest.unknowns.norm() < 1e-14);
  CHECK(std::abs(rest.trace() - (1.5)) <= 1e-13);
  CHECK(rest.contraction() == 1);
  CHECK(std::abs(at(closure, std::numbers::pi + 0.01, 0).trace() - (2.5)) <= 1e-13);

  closure.continued = 1;
  ContinuationRule rule;
  rule.to = 4.5;
  rule.step = 0.1;
  rule.largest = 0.3;
  rule.turns = {1, 2, 3, 4};
  Family family(closure, rule, *with_value(closure, rest));
  std::vector<Bifurcation> passed;
  for (int k = 0; k < 200 && family.end() == Family::End::none; ++k) {
    for (auto& bifurcation : family.advance()) passed.push_back(bifurcation);
    const Family again(closure, rule, family.save());
    CHECK(again.orbit().trace() == family.orbit().trace());
  }
  CHECK(family.end() == Family::End::reached);
  CHECK(family.orbit().value() == 4.5);
  CHECK(stability(family.orbit()) == Stability::inverse);
  REQUIRE(passed.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(passed[k].n == 4 - (k == 2 ? 2 : static_cast<int>(k)));
    CHECK(std::abs(passed[k].orbit.value() - (2.0 + static_cast<double>(k))) <= 1e-12);
  }
  // An orbit of twice the period, no longer at rest, branches off there.
  const auto children = branch_off(closure, passed.back(), 0.05);
  REQUIRE(children.size() == 1);
  CHECK(children[0].closure.returns == 2);
  CHECK(children[0].orbit.error < 1e-12);
  CHECK(std::abs(children[0].orbit.q[0]) > 0.01);

  // Orbits of four times the period are (A, 0, -A, 0) and (A, A, -A, -A), both at the strength 2 A / sin A;
  // of three times (0, A, -A) at 3 A / sin A and (a, b, b) with sin a = -2 sin b at (b - a) / sin b. The map
  // is odd: the former are their own images, those of three times each other's, two of each.
  const auto branches = [&](const Bifurcation& from) {
    std::vector<double> off;
    auto all = branch_off(closure, from, 0.05);
    REQUIRE(all.size() == (from.n == 4 ? 2 : 4));
    CHECK(stability(all[0].orbit) != stability(all[1].orbit));  // each kind first once, then again
    std::set<std::pair<bool, bool>> told;
    for (const auto& [of, orbit, tangent] : all) {
      CHECK(of.returns == from.n);
      CHECK(orbit.error < 1e-12);
      double x = orbit.q[0], v = orbit.v[0], largest = 0;
      const double strength = orbit.value();
      std::vector<double> xs;
      for (int k = 0; k < from.n; ++k) {
        xs.push_back(x);
        v -= strength * std::sin(x);
        x += v;
      }
      CHECK(std::abs(x - orbit.q[0]) < 1e-12);
      const auto size = [](double each) { return std::abs(each); };
      const auto least = std::ranges::min_element(xs, {}, size);
      const double smallest = std::abs(*least);
      for (const double each : xs) largest = std::max(largest, std::abs(each));
      CHECK(largest > 0.01);
      const bool with_zero = smallest < 1e-9;
      const double turned =
          with_zero ? xs[static_cast<std::size_t>(least - xs.begin() + 1) % xs.size()] : *least;
      if (from.n == 3) told.emplace(stability(orbit) == Stability::stable, turned > 0);
      if (from.n == 4) off.push_back(strength - 2 * largest / std::sin(largest));
      if (from.n == 3)
        off.push_back(strength - (with_zero ? 3 * largest / std::sin(largest)
                                            : (smallest + largest) / std::sin(smallest)));
    }
    if (from.n == 3) CHECK(told.size() == 4);
    return off;
  };
  for (const double off : branches(passed[0])) CHECK(std::abs(off) < 1e-11);
  for (const double off : branches(passed[1])) CHECK(std::abs(off) < 1e-11);
}

TEST_CASE("a billiard's family goes on as the flights of its orbits move, and from what it has saved") {
  // Along the minor axis of an ellipse of half axes 1 and b: of trace 4 (1 - 2 b^2)^2 - 2, and 4 b long.
  billiards::Domain<2> domain;
  domain.add<billiards::Ellipse>("ellipse", {1.0, 0.8});
  domain.enclose_all();
  billiards::BilliardRules<2> rules;
  rules.collisions = 100;
  const auto problem = billiards::make_billiard<2>(domain, rules);
  Closure closure;
  closure.problem = problem.get();
  closure.returns = 2;
  closure.parameters = {1.0, 0.8};
  closure.energy = 0.5;
  closure.plane = Plane{{0.0, 1.0}, 0.7};
  const auto orbit = close(closure, Eigen::Matrix<double, 5, 1>{0.0, 0.7, 0.0, 1.0, 3.2}, std::nullopt);
  REQUIRE(orbit);
  closure.continued = 1;
  ContinuationRule rule;
  rule.to = 0.2;
  rule.largest = 0.2;
  Family family(closure, rule, *with_value(closure, *orbit));
  for (int k = 0; k < 100 && family.end() == Family::End::none; ++k) {
    Family again(closure, rule, family.save());
    family.advance();
    again.advance();
    CHECK(again.orbit().unknowns == family.orbit().unknowns);
    const double b = family.orbit().value();
    CHECK(std::abs(family.orbit().period - 4 * b) <= 1e-12);
    CHECK(std::abs(family.orbit().trace() - (4 * std::pow(1 - 2 * b * b, 2) - 2)) <= 1e-12);
  }
  CHECK(family.end() == Family::End::reached);
}

TEST_CASE("what a damped orbit's stability is doesn't hang on the units of length and time") {
  for (const double unit : {1.0, 1e-4, 1e5}) {
    INFO(unit);
    ClosedOrbit saddle;  // of trace 1.8 and determinant 0.5: multipliers 1.457 and 0.343
    saddle.transverse = Eigen::MatrixXd{{0.9, 0.31 * unit}, {1 / unit, 0.9}};
    saddle.multiplier = {0.9 + std::sqrt(0.31), 0.9 - std::sqrt(0.31)};
    CHECK(std::abs(saddle.contraction() - 0.5) < 1e-14);
    CHECK(stability(saddle) == Stability::unstable);
    saddle.transverse(0, 1) = -0.19 * unit;  // a control: an area is kept
    CHECK(saddle.contraction() == 1);
  }
}

TEST_CASE("a family turns back at a fold, which is located") {
  const ProblemOf<TwistedPendulum> pendulum;
  Closure closure = strobed(pendulum, method("gauss", 0.25), {0.0}, 1.0);
  const ClosedOrbit rest = at(closure, 0.01, 0.0);
  closure.continued = 0;
  ContinuationRule rule;
  rule.to = -0.5;
  rule.largest = 0.1;
  const Eigen::Vector3d upward(std::numbers::sqrt2 / 2, 0, std::numbers::sqrt2 / 2);
  Family family(closure, rule, *with_value(closure, rest), Unknowns(upward));
  std::vector<Bifurcation> passed;
  for (int k = 0; k < 500 && family.end() == Family::End::none; ++k) {
    for (auto& bifurcation : family.advance()) passed.push_back(bifurcation);
    CHECK(std::abs(std::sin(family.orbit().q[0]) - (family.orbit().value())) <= 1e-11);
  }
  CHECK(family.end() == Family::End::reached);
  CHECK(std::abs(family.orbit().q[0] - (std::numbers::pi + std::asin(0.5))) <= 1e-11);
  CHECK(stability(family.orbit()) == Stability::unstable);
  REQUIRE(passed.size() == 1);
  CHECK(passed[0].fold);
  CHECK(std::abs(passed[0].orbit.value() - (1.0)) <= 1e-11);
  CHECK(std::abs(passed[0].orbit.q[0] - (std::numbers::pi / 2)) <= 1e-5);
}

TEST_CASE("the derivative of an arc over kicks is that of its ends, and keeps areas") {
  const ProblemOf<KickedPendulum<ByGauss>> pendulum;
  const auto fine = method("gauss", 0.2);
  const std::vector<double> parameters{1.0, 0.7, 1.3};
  const auto end = [&](double x, double v) { return pendulum.arc(fine, {0, {x}, {v}, parameters}, 4 * 1.3); };
  const Arc arc = end(0.4, 0.9);
  REQUIRE(arc.status == Status::finished);
  const auto& d = arc.derivative;
  CHECK(std::abs(d[0] * d[3] - d[1] * d[2] - (1.0)) <= 1e-12);
  const double h = 1e-5;
  const Arc right = end(0.4 + h, 0.9), left = end(0.4 - h, 0.9), up = end(0.4, 0.9 + h),
            down = end(0.4, 0.9 - h);
  const double size = std::abs(d[0]) + std::abs(d[1]) + std::abs(d[2]) + std::abs(d[3]);
  CHECK(std::abs((right.q[0] - left.q[0]) / (2 * h) - (d[0])) <= 1e-7 * size);
  CHECK(std::abs((up.q[0] - down.q[0]) / (2 * h) - (d[1])) <= 1e-7 * size);
  CHECK(std::abs((right.v[0] - left.v[0]) / (2 * h) - (d[2])) <= 1e-7 * size);
  CHECK(std::abs((up.v[0] - down.v[0]) / (2 * h) - (d[3])) <= 1e-7 * size);
  // A control: without kicks the ends move otherwise.
  const Arc free = pendulum.arc(fine, {0, {0.4}, {0.9}, {1.0, 0.0, 1.3}}, 4 * 1.3);
  CHECK(std::abs(free.derivative[0] - d[0]) > 1e-2);
}

TEST_CASE("the integral of p dq under a constraint is as accurate as the steps' ends", "[long]") {
  // A swing from rest at the angle a, to and fro: T = 4 K(k), J = 16 (E(k) - (1 - k^2) K(k)), k = sin(a/2).
  const auto pendulum = problem("planar-pendulum");
  const double angle = 2.0, k = std::sin(angle / 2);
  const double K = std::comp_ellint_1(k), exact = 16 * (std::comp_ellint_2(k) - (1 - k * k) * K);
  const Start start{0, {std::sin(angle), -std::cos(angle)}, {0, 0}, {1, 1, 1}};
  const auto off = [&](int steps) {
    auto options = method("lobatto-spark", 4 * K / steps);
    options.stages = 6;
    const auto arc = pendulum->arc(options, start, 4 * K);
    REQUIRE(arc.status == Status::finished);
    CHECK(!arc.action_as_end);
    return std::abs(arc.action - exact);
  };
  CHECK(off(160) < 1e-11);
  CHECK(off(80) > 128 * off(160));  // of order 9, nearly
  CHECK(off(14) > 1e-6);            // a control: the polynomial between steps
}

TEST_CASE("a family is followed in a parameter of any size") {
  // The fold of equilibria at F = 1, the parameter in units of it; and a pendulum of no torque, past F = 0.
  const ProblemOf<ScaledPendulum> pendulum;
  for (const double unit : {1.0, 1e-9, 1e-20, 1e12}) {
    INFO(unit);
    for (const double from : {0.5, 0.0, -0.5}) {
      INFO(from);
      Closure closure = strobed(pendulum, method("gauss", 0.25), {from * unit, unit}, 1.0);
      const ClosedOrbit rest = at(closure, std::asin(from) + 0.01, 0.0);
      ContinuationRule rule;
      rule.to = 0.8 * unit;
      rule.step *= std::max(1.0, unit);  // they are lengths along what moves most
      rule.largest *= std::max(1.0, unit);
      closure.continue_to(0, rule.to);
      Family family(closure, rule, *with_value(closure, rest));
      int orbits = 0;
      for (; orbits < 500 && family.end() == Family::End::none; ++orbits) family.advance();
      CHECK(family.end() == Family::End::reached);
      CHECK(orbits > 1);
      CHECK(std::abs(std::sin(family.orbit().q[0]) - 0.8) <= 1e-11);
    }
  }
}
