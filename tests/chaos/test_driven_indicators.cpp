// SPDX-License-Identifier: BSD-3-Clause
// Indicators of motion with friction and a drive: exponents sum to the rate at which the phase volume
// shrinks, and end with the trajectory, however many crossings of a stroboscopic section fall into a step.
#include "catch.hpp"
#include "chaos/indicators.hpp"
#include "core/error.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// x'' = -sin x - c x' + A cos(w t).
struct DrivenPendulum : ByGauss {
  static constexpr std::string_view name = "driven-pendulum", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"c", 0.5, "damping"}, {"A", 1.2, "of the drive"}, {"w", 2.0 / 3, "of the drive"}}};

  auto operator()(const auto& q, const auto& v, const auto&) const {
    using std::cos;
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) + cos(x);
  }
  auto force(const auto&, const auto&, const auto& p, const auto& t) const {
    using std::cos;
    return p[1] * cos(p[2] * t);
  }
  auto dissipation(const auto&, const auto& v, const auto& p) const {
    const auto [x_dot] = v;
    return 0.5 * p[0] * ad::square(x_dot);
  }
};

const std::vector<std::string> names{"spectrum", "sali"};

/// Sections this far apart in time.
Observation strobe(const char* every, std::int64_t crossings) {
  Observation watch;
  watch.section.emplace();
  watch.section->strobe = {expressions::Expression::parse(every, {}),
                           expressions::Expression::parse("0", {})};
  watch.stop.crossings = crossings;
  watch.growth = chaos::growth_rule(chaos::read_indicators(names, 2, ""), 2);
  return watch;
}

}  // namespace

TEST_CASE("exponents sum to minus the damping, of each trajectory's own, and don't depend on neighbours",
          "[long]") {
  const ProblemOf<DrivenPendulum> pendulum;
  auto options = gauss(8, 0.4);
  options.name = "gauss";
  std::vector<Start> starts;
  for (int i = 0; i < 11; ++i) starts.push_back({i, {0.2 * i}, {0.1}, {0.3 + 0.05 * i, 1.2, 2.0 / 3}});
  // Eleven in a step, then one in 24 steps.
  for (const auto& [every, crossings] : {std::pair{"0.0371", 20005}, std::pair{"9.42477796076938", 80}}) {
    const Observation watch = strobe(every, crossings);
    const auto many = fly(pendulum, options, watch, starts);
    const auto alone = fly(pendulum, options, watch, starts, {.lanes = 1});
    const auto slow = fly(pendulum, options, watch, starts, {.lanes = 3, .steps = 7, .backwards = true});
    double off = 0;
    for (const Start& start : starts) {
      const auto& flown = many.at(start.id);
      CHECK(flown.status == Status::finished);
      CHECK(flown.crossing_count == crossings);
      CHECK(flown.tallies == alone.at(start.id).tallies);
      CHECK(flown.tallies == slow.at(start.id).tallies);
      REQUIRE(flown.tallies.size() == 4);
      off = std::max(off, std::abs(flown.tallies[1] + flown.tallies[2] + start.parameters[0]));
    }
    INFO("off by " << off);
    CHECK(off < 1e-12);
    CHECK(many.at(4).tallies[1] > 0.05);  // c = 1/2: chaotic
  }
}

/// Two coordinates, each pushed by the other's velocity: that keeps phase volumes.
struct MagneticPush {
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"B", 0.3, "of the field"}}};
  auto force(const auto&, const auto& v, const auto& p) const {
    const auto [x_dot, y_dot] = v;
    return std::tuple(p[0] * y_dot, -p[0] * x_dot);
  }
};
struct Drag {
  static constexpr int dim = 2;
  static constexpr auto parameters = MagneticPush::parameters;
  auto force(const auto&, const auto& v, const auto& p) const {
    const auto [x_dot, y_dot] = v;
    return std::tuple(p[0] * y_dot, -p[0] * y_dot);
  }
};
struct Push {
  static constexpr int dim = 2;
  static constexpr auto parameters = MagneticPush::parameters;
  auto force(const auto& q, const auto&, const auto& p) const {
    const auto [x, y] = q;
    return std::tuple(p[0] * y, p[0] * x);
  }
};

TEST_CASE("friction is a force along a velocity, or Rayleigh's function") {
  CHECK(mechanics::has_friction<DrivenPendulum>);
  CHECK(mechanics::has_friction<Drag>);
  CHECK_FALSE(mechanics::has_friction<MagneticPush>);
  CHECK_FALSE(mechanics::has_friction<Push>);
  CHECK_FALSE(mechanics::has_friction<FreePendulum>);
}

/// A mass that depends on the place: deviations are then of momenta.
struct KickedBead : ByGauss {
  static constexpr std::string_view name = "kicked-bead", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x", "m"}}};
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"k", 1.0, "of the spring"}, {"K", 0.7, "strength of the kicks"}, {"T", 1.3, "between kicks"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (1.0 + 0.3 * ad::square(x)) * ad::square(x_dot) - 0.5 * p[0] * ad::square(x);
  }
  auto kick(const auto& q, const auto& p) const {
    const auto [x] = q;
    return -p[1] * cos(2.0 * x);
  }
  auto kick_every(const auto& p) const { return p[2]; }
};

namespace {

template <class Model>
TrajectoryRecord kicked(double step, double time, const std::vector<double>& parameters, double x = 1.0) {
  const ProblemOf<Model> problem;
  Observation watch;
  watch.stop.time = time;
  watch.growth = chaos::growth_rule(chaos::read_indicators(names, 2, ""), 2);
  auto options = gauss(8, step);
  options.name = Model::method;
  return fly(problem, options, watch, {x}, {0.3}, parameters);
}

}  // namespace

TEST_CASE("over kicks deviations follow, wherever in a step a kick comes") {
  const auto check = []<class Model>() {
    INFO(Model::name);
    const std::vector<double> parameters{1.0, 0.7, 1.3};
    const double end = 20 * 1.3;
    // Eight steps between kicks, or six and a half.
    const auto whole = kicked<Model>(1.3 / 8, end, parameters), cut = kicked<Model>(0.2, end, parameters);
    REQUIRE(whole.tallies.size() == 4);
    INFO("exponents " << whole.tallies[1] << " " << whole.tallies[2] << ", " << cut.tallies[1]);
    CHECK(std::abs(whole.q[0] - cut.q[0]) < 1e-9);
    CHECK(std::abs(whole.tallies[1] - cut.tallies[1]) < 1e-10);
    CHECK(std::abs(cut.tallies[1]) > 1e-3);
    // Canonical deviations of symplectic steps and of kicks.
    CHECK(std::abs(cut.tallies[1] + cut.tallies[2]) < 1e-12);
    const auto other = kicked<Model>(0.2, end, {1.0, 0.7001, 1.3});  // the control
    CHECK(std::abs(other.tallies[1] - cut.tallies[1]) > 1e-7);
  };
  check.operator()<KickedPendulum<ByGauss>>();
  check.operator()<KickedBead>();
}

TEST_CASE("the standard map's exponent at K = 10 is ln 5, and nothing on a torus of it", "[long]") {
  // A rotor, without gravity.
  const auto exponent = [&](double strength, double x) {
    return kicked<KickedPendulum<ByVerlet>>(1.0, 200'000, {0.0, strength, 1.0}, x);
  };
  const auto wild = exponent(10, 1.0);
  INFO("exponent " << wild.tallies[1]);
  CHECK(std::abs(wild.tallies[1] - std::log(5.0)) < 0.02);  // Chirikov (1979), 5.1: ln (K / 2)
  CHECK(wild.tallies[0] == static_cast<double>(chaos::Verdict::chaotic));
  const auto tame = exponent(0.3, 0.2);
  CHECK(std::abs(tame.tallies[1]) < 1e-4);
  CHECK(tame.tallies[0] == static_cast<double>(chaos::Verdict::regular));
}
