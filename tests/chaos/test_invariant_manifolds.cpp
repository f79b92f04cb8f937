// SPDX-License-Identifier: BSD-3-Clause
// Manifolds of return maps whose points are states: between walls and on a surface. What is integrable is
// known: in an ellipse the manifolds of the major axis are the ways through the foci, for a product of two
// angular momenta is conserved; on a torus Clairaut's integral keeps those of the inner equator. Elsewhere a
// lobe's area is the difference of the actions of the two homoclinic orbits at its corners (MacKay, Meiss,
// Percival, Physica D 13 (1984) 55), summed along these without any area. Where a map is discontinuous a
// manifold has gaps, and what lies behind them leads back to the orbit all the same.
#include <numbers>

#include "billiards/domain_family.hpp"
#include "billiards/perturbed_ellipse.hpp"
#include "billiards/problem.hpp"
#include "billiards/sets/ellipse.hpp"
#include "billiards/sets/sinai.hpp"
#include "catch.hpp"
#include "chaos/return_map.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::chaos;
using namespace cotangent::sections::test;

namespace {

using Map = std::shared_ptr<const ReturnMap>;

template <class Set>
struct Billiard {
  explicit Billiard(const std::array<double, Set::parameters.size()>& parameters) {
    domain.add<Set>("set", parameters);
    domain.enclose_all();
    problem = billiards::make_billiard<2>(domain, {});
  }
  billiards::Domain<2> domain;
  std::unique_ptr<sections::Problem> problem;
};

/// Of the orbit that bounces twice along the x axis at unit speed, between bounces at x; about either bounce.
Map along_x(const sections::Problem& problem, const std::vector<double>& parameters, double x, double length,
            int bounce = 0) {
  Closure closure;
  closure.problem = &problem;
  closure.returns = 2;
  closure.parameters = parameters;
  closure.energy = 0.5;
  closure.plane = Plane::across({x, 0}, {1, 0});
  Unknowns guess(5);
  guess << x, 0, 1, 0, 2 * length;
  const auto orbit = close(closure, guess, std::nullopt);
  REQUIRE(orbit);
  return std::make_shared<const ReturnMap>(closure, *orbit, 1, bounce);
}

/// Of the inner equator of a torus, on y = 0.
Map inner_equator(const sections::Problem& problem, const std::vector<double>& parameters) {
  Closure closure;
  closure.problem = &problem;
  closure.method.name = "rattle-kahan-li-6";
  closure.method.step = 0.05;
  closure.section.coordinate = 1;
  closure.section.direction = 1;
  closure.energy = 0.5;
  closure.parameters = parameters;
  const auto guess = first_return(closure, {parameters[0] - parameters[1], 0, 0}, {0, 1, 0});
  REQUIRE(guess);
  const auto orbit = close(closure, *guess, std::nullopt);
  REQUIRE(orbit);
  return std::make_shared<const ReturnMap>(closure, *orbit, 1);
}

/// Of Henon and Heiles' orbit at E = 0.12 between the islands of q1 = 0, by a Gauss method.
Map past_islands(const sections::Problem& problem, int stages, double step) {
  Closure closure;
  closure.problem = &problem;
  closure.method.stages = stages;
  closure.method.step = step;
  closure.section.coordinate = 0;
  closure.section.direction = 1;
  closure.energy = 0.12;
  const double q2 = -0.1775574, v1 = std::sqrt(0.24 - q2 * q2 + 2.0 / 3 * q2 * q2 * q2);
  const auto guess = first_return(closure, {0, q2}, {v1, 0});
  REQUIRE(guess);
  const auto orbit = close(closure, *guess, std::nullopt);
  REQUIRE(orbit);
  return std::make_shared<const ReturnMap>(closure, *orbit, 1);
}

/// dp dq of two deviations, of unit mass.
double area_of(const SectionPoint& a, const SectionPoint& b) {
  const auto n = a.size() / 2;
  return a.head(n).dot(b.tail(n)) - a.tail(n).dot(b.head(n));
}

/// The derivative is that of neighbouring returns, and keeps areas.
void check_derivative(const ReturnMap& map, const SectionPoint& z) {
  const auto image = map.image(z);
  REQUIRE(image);
  const auto back = map.back(image->at);
  REQUIRE(back);
  CHECK((*back - z).norm() < 1e-6);  // as well as the method knows a shorter step
  CHECK((image->basis.transpose() * image->basis - Eigen::Matrix2d::Identity()).norm() < 1e-13);
  CHECK(area_of(image->derivative.col(0), image->derivative.col(1)) ==
        Approx(area_of(image->basis.col(0), image->basis.col(1))).epsilon(1e-7));
  double before = 0;
  for (const double h : {1e-3, 5e-4}) {
    Eigen::MatrixXd differences(z.size(), 2);
    for (int k = 0; k < 2; ++k) {
      const SectionPoint step = h * image->basis.col(k);
      const auto up = map.image(*map.onto(z + step)), down = map.image(*map.onto(z - step));
      REQUIRE((up && down));
      differences.col(k) = (up->at - down->at) / (2 * h);
    }
    const double off = (differences - image->derivative).norm();
    CHECK(off > 1e-9);  // else all were linear
    if (before > 0) CHECK(before / off == within(4, 0.5));
    before = off;
  }
}

/// About both foci of the ellipse with half axes 1 and b.
double momenta(const SectionPoint& z, double b) {
  const double c = std::sqrt(1 - b * b);
  return ((z[0] - c) * z[3] - z[1] * z[2]) * ((z[0] + c) * z[3] - z[1] * z[2]);
}

/// The same map with its actions times a factor; NaN: it keeps them to itself.
class OtherActions : public SectionMap {
 public:
  OtherActions(Map map, double factor) : map_(std::move(map)), factor_(factor) {}
  std::optional<SectionImage> image(const SectionPoint& z) const override {
    auto image = map_->image(z);
    if (image) image->action *= factor_;
    return image;
  }
  std::optional<SectionPoint> back(const SectionPoint& z) const override { return map_->back(z); }
  std::optional<SectionPoint> onto(const SectionPoint& z) const override { return map_->onto(z); }
  SectionPoint momentum(const SectionPoint& z) const override { return map_->momentum(z); }

 private:
  Map map_;
  double factor_;
};

InvariantManifold grown(const Map& map, bool stable, int side, const ManifoldRule& rule) {
  InvariantManifold manifold(map, map->fixed_point(), stable, side);
  manifold.grow(rule);
  return manifold;
}

/// What another has grown, with its map's actions times a factor.
InvariantManifold with_actions(const InvariantManifold& grown, const Map& map, int side, double factor) {
  InvariantManifold other(std::make_shared<const OtherActions>(map, factor), map->fixed_point(),
                          grown.stable(), side);
  other.restore(grown.nodes());
  return other;
}
constexpr double silent = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("in an ellipse the manifolds of the major axis lead through the foci") {
  const double b = 0.6;
  const Billiard<billiards::Ellipse> ellipse({1.0, b});
  const Map map = along_x(*ellipse.problem, {1.0, b}, 0.1, 2.0);
  CHECK(map->fixed_point().size() == 4);
  check_derivative(*map, *map->onto(map->fixed_point() + Eigen::Vector4d(0, 0.2, 0, 0.1)));
  const double root = 2 / (b * b) - 1;  // between mirrors: trace 4 (1 - L/R)^2 - 2
  for (const bool stable : {false, true}) {
    const auto manifold = grown(map, stable, 1, {.length = 3, .bend = 0.2, .spacing = 0.1, .points = 500});
    CHECK(manifold.end() == InvariantManifold::End::reached);
    const double large = 2 * root * root - 1 + 2 * root * std::sqrt(root * root - 1);
    CHECK(manifold.multiplier() == Approx(stable ? 1 / large : large).epsilon(1e-11));
    double largest = 0, other = 0, off_wall = 0, off_energy = 0;
    for (const auto& node : manifold.nodes()) {
      REQUIRE_FALSE(node.gap());
      largest = std::max(largest, std::abs(momenta(node.at, b)));
      other = std::max(other, std::abs(momenta(node.at, b + 0.001)));
      off_wall =
          std::max(off_wall, std::abs(node.at[0] * node.at[0] + node.at[1] * node.at[1] / (b * b) - 1));
      off_energy = std::max(off_energy, std::abs(node.at.tail(2).norm() - 1));
    }
    CHECK(largest < 1e-11);
    CHECK(other > 1e-4);  // a control: the foci of another ellipse
    CHECK(off_wall < 1e-14);
    CHECK(off_energy < 1e-14);
  }
}

TEST_CASE("on a torus the manifolds of the inner equator keep Clairaut's integral") {
  const double large = 1.0, small = 0.7;
  const std::vector<double> parameters{large, small, 1, 0};
  const auto problem = sections::test::problem("torus");
  const Map map = inner_equator(*problem, parameters);
  const auto clairaut = [](const SectionPoint& z) { return z[0] * z[4] - z[1] * z[3]; };
  const double known = large - small;
  CHECK(clairaut(map->fixed_point()) == Approx(known).epsilon(1e-12));
  SectionPoint off(6);
  off << 0.0, 0.0, 0.02, 0.0, 0.0, 0.03;
  check_derivative(*map, *map->onto(map->fixed_point() + off));
  for (const bool stable : {false, true}) {
    const ManifoldRule rule{.length = stable ? 0.1 : 0.8, .bend = 0.4, .spacing = 0.2, .points = 200};
    const auto manifold = grown(map, stable, -1, rule);
    CHECK(manifold.end() == InvariantManifold::End::reached);
    // Jacobi's equation along it has the curvature -1/(r (R - r)).
    const double growth = std::exp(2 * std::numbers::pi * std::sqrt(known / small));
    CHECK(manifold.multiplier() == Approx(stable ? 1 / growth : growth).epsilon(1e-6));  // the method's
    double largest = 0;
    for (const auto& node : manifold.nodes()) {
      largest = std::max(largest, std::abs(clairaut(node.at) - known));
      CHECK(std::abs(node.at[1]) < 1e-14);
      const sections::Values q(node.at.data(), 3), v(node.at.data() + 3, 3);
      CHECK(problem->off_manifold(q, v, parameters).position < 1e-12);
      CHECK(problem->energy(q, v, parameters) == Approx(0.5).epsilon(1e-13));
    }
    CHECK(largest < 1e-8);  // the method's, of energy
    CHECK(std::abs(manifold.nodes().back().at[2]) > (stable ? 0.03 : 0.2));
    CHECK(std::abs(clairaut(*map->onto(map->fixed_point() + off)) - known) > 1e-5);  // a control
  }
}

TEST_CASE("a lobe's area is the difference of two homoclinic orbits' lengths") {
  const std::vector<double> parameters{0.8, 0.3};
  const Billiard<billiards::PerturbedEllipse> oval({parameters[0], parameters[1]});
  const auto& problem = *oval.problem;
  const Map map = along_x(problem, parameters, 0.1, 2.0), other = along_x(problem, parameters, 0.1, 2.0, 1);
  CHECK(other->fixed_point()[0] == Approx(-1));
  const ManifoldRule rule{.length = 8, .bend = 0.1, .spacing = 0.05, .points = 5'000};
  const auto unstable = grown(map, false, 1, rule);
  const auto silent_unstable = with_actions(unstable, map, 1, silent);
  int lobes = 0;
  for (const int side : {1, -1}) {
    const auto stable = grown(other, true, side, rule);
    const auto silent_stable = with_actions(stable, other, side, silent);
    const auto points = homoclinic_points(unstable, stable, SectionPoint::Zero(4), 50);
    // The length of a homoclinic orbit from near the fixed point back to it, over that of the periodic orbit;
    // what is left at the ends by the trapezium's rule for p dq.
    const SectionPoint fixed = map->fixed_point(), end = other->fixed_point();
    const auto length = [&](const HomoclinicPoint& h) {
      double sum = 0;
      const auto add = [&](const SectionPoint& z) {
        const std::vector<double> q(z.data(), z.data() + 2), v(z.data() + 2, z.data() + 4);
        sum += problem.bounces({0, q, v, parameters}, 2).action - 4;
      };
      for (int k = 1; k <= static_cast<int>(h.unstable); ++k) add(unstable.at(h.unstable - k)->at);
      for (int k = 0; k < static_cast<int>(h.stable); ++k) add(stable.at(h.stable - k)->at);
      const auto rest = [&](const SectionPoint& z, const SectionPoint& x) {
        return 0.5 * (z.tail(2) + x.tail(2)).dot(z.head(2) - x.head(2));
      };
      const double first = h.unstable - std::floor(h.unstable), last = h.stable - std::floor(h.stable);
      return sum + rest(unstable.at(first)->at, fixed) - rest(stable.at(last)->at, end);
    };
    for (std::size_t k = 0; k + 1 < points.size(); ++k) {
      CHECK(points[k].error < 1e-11);
      if (!std::isfinite(points[k].area)) continue;
      ++lobes;
      const double difference = length(points[k + 1]) - length(points[k]);
      CHECK(std::abs(points[k].area - difference) < 1e-13);
      CHECK(std::abs(difference) > 1e-3);
      const auto along = silent_unstable.action(points[k].unstable, points[k + 1].unstable),
                 back = silent_stable.action(points[k].stable, points[k + 1].stable);
      REQUIRE((along && back));
      CHECK(std::abs(*along - *back - difference) < 1e-11);  // and by the area itself
    }
  }
  CHECK(lobes >= 5);
}

TEST_CASE("the integral of p dq along a manifold is known from its ends' actions", "[long]") {
  const std::vector<double> parameters{0.8, 0.3};
  const Billiard<billiards::PerturbedEllipse> oval({parameters[0], parameters[1]});
  const auto henon_heiles = problem("henon-heiles");
  struct Case {
    Map map;
    double length, accuracy;
  };
  for (const Case& it : {Case{along_x(*oval.problem, parameters, 0.1, 2.0), 0.8, 1e-12},
                         Case{past_islands(*henon_heiles, 8, 0.5), 0.2, 1e-11},
                         Case{past_islands(*henon_heiles, 3, 0.2), 0.2, 1e-6}}) {
    const ManifoldRule rule{.length = it.length, .bend = 0.1, .spacing = 0.05, .points = 5'000};
    for (const bool stable : {false, true}) {
      const auto manifold = grown(it.map, stable, 1, rule);
      const auto by_area = with_actions(manifold, it.map, 1, silent),
                 wrong = with_actions(manifold, it.map, 1, 1.001);
      const double last = manifold.nodes().back().t;
      CHECK(last > 2);
      for (const double from : {0.0, 1.3}) {
        const double known = by_area.action(from, last).value();
        CHECK(std::abs(known) > 1e-3);
        CHECK(std::abs(manifold.action(from, last).value() - known) < it.accuracy);
        CHECK(manifold.action(last, from).value() == -manifold.action(from, last).value());
        CHECK(std::abs(wrong.action(from, last).value() - known) > 10 * it.accuracy);  // the control
      }
    }
  }
  // Between RATTLE's steps motion is known less well than at them: no actions are told.
  const auto torus = problem("torus");
  const Map equator = inner_equator(*torus, {1.0, 0.7, 1, 0});
  CHECK(std::isnan(equator->image(equator->fixed_point())->action));
}

TEST_CASE("a manifold has gaps where its map is discontinuous, and leads on behind them") {
  const Billiard<billiards::Sinai> sinai({1.0, 0.3});
  const auto& problem = *sinai.problem;
  const Map map = along_x(problem, {1.0, 0.3}, 0.65, 0.7);
  const ManifoldRule rule{.length = 12, .bend = 0.3, .spacing = 0.05, .points = 20'000};
  const auto manifold = grown(map, false, 1, rule);
  CHECK(manifold.end() == InvariantManifold::End::reached);
  const auto& nodes = manifold.nodes();
  const SectionPoint fixed = map->fixed_point();
  int gaps = 0;
  for (std::size_t k = 0; k + 1 < nodes.size(); ++k) {
    gaps += nodes[k].gap();
    CHECK(nodes[k + 1].t > nodes[k].t);
    if (nodes[k].gap() || nodes[k + 1].gap()) continue;
    CHECK((nodes[k + 1].at - nodes[k].at).norm() <= rule.spacing);
  }
  CHECK(gaps > 1);
  // However many points there may be, there are no more, also where a gap and the point behind it come last.
  for (int points = 2; points < 200; ++points) {
    ManifoldRule few = rule;
    few.points = points;
    CHECK(std::ssize(grown(map, false, 1, few).nodes()) <= points);
  }
  // Time reversed, behind its bounce, it leads to where the orbit bounces, also from beyond all gaps.
  int judged = 0;
  for (const std::size_t k : {nodes.size() - 1, nodes.size() - 20, nodes.size() / 2}) {
    if (nodes[k].gap()) continue;
    ++judged;
    const SectionPoint& z = nodes[k].at;
    const auto slope = problem.wall({z[0], z[1]}, {1.0, 0.3}).slope;
    const Eigen::Vector2d n = Eigen::Vector2d(slope[0], slope[1]).normalized(), v = z.tail(2);
    const Eigen::Vector2d back = 2 * v.dot(n) * n - v;
    const auto arc = problem.bounces({0, {z[0], z[1]}, {back[0], back[1]}, {1.0, 0.3}},
                                     2 * static_cast<std::int64_t>(nodes[k].t));
    CHECK(arc.status == Status::finished);
    CHECK(std::hypot(arc.q[0] - fixed[0], arc.q[1] - fixed[1]) < 1e-3);
  }
  CHECK(judged >= 2);
}

TEST_CASE("points are those of one coordinate, or states, as the problem asks") {
  const Billiard<billiards::Ellipse> ellipse({1.0, 0.6});
  CHECK(ReturnMap::columns(*ellipse.problem, {}) == std::vector<int>{0, 1, 2, 3});
  sections::Section on;
  on.coordinate = 2;
  CHECK(ReturnMap::columns(*problem("torus"), on).size() == 6);
  on.coordinate = -1;
  CHECK(ReturnMap::columns(*problem("torus"), on).empty());
}
