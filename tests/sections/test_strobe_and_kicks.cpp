// SPDX-License-Identifier: BSD-3-Clause
// Stroboscopic sections are exact in time, kicks come when they should, and what they do to the energy is no
// error.
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "reference/henon_heiles_states.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::expressions;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

Observation strobe(const Statement& model, const std::string& every, const std::string& phase,
                   std::int64_t crossings) {
  std::vector<std::string> names;
  for (const auto& p : model.parameters()) names.push_back(p.name);
  Observation watch;
  watch.section.emplace();
  watch.section->strobe = {Expression::parse(every, names), Expression::parse(phase, names)};
  watch.stop.crossings = crossings;
  return watch;
}

integrators::MethodOptions method(const std::string& name, double step) {
  auto options = gauss(8, step);
  options.name = name;
  return options;
}

/// Of one coordinate.
TrajectoryRecord fly_alone(const Flights& flights, const integrators::MethodOptions& options,
                           const Observation& watch, double x, double x_dot,
                           std::vector<double> parameters = {}) {
  return fly(flights, options, watch, {Start{0, {x}, {x_dot}, std::move(parameters)}})[0];
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

/// x' = x + p, p' = p - K sin x, in long double, as what a rotor has just before kicks; from just after one.
std::vector<double> standard_map(long double K, long double x, long double p, int kicks) {
  std::vector<double> states;
  for (int k = 0; k < kicks; ++k) {
    x += p;
    states.push_back(static_cast<double>(x));
    states.push_back(static_cast<double>(p));
    p -= K * std::sin(x);
  }
  return states;
}

/// The mass depends on place and velocity.
struct Relativistic : ByGauss {
  static constexpr std::string_view name = "relativistic", about = "Of the tests";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    return -sqrt(1.0 - ad::square(x_dot) - ad::square(y_dot) * (1.0 + ad::square(x)));
  }
  auto kick(const auto& q, const auto&) const {
    const auto [x, y] = q;
    return 0.3 * ad::square(x) * y;
  }
  auto kick_every(const auto&) const { return 1.0; }
};

/// A harmonic oscillator with friction.
struct DampedAndKicked : ByGauss {
  static constexpr std::string_view name = "damped-and-kicked", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (ad::square(x_dot) - ad::square(x));
  }
  auto dissipation(const auto&, const auto& v, const auto&) const {
    const auto [x_dot] = v;
    return 0.1 * ad::square(x_dot);
  }
  auto kick(const auto& q, const auto&) const {
    const auto [x] = q;
    return 0.5 * cos(x);
  }
  auto kick_every(const auto&) const { return 1.0; }
};

struct Thrown : ByVerlet {
  static constexpr std::string_view name = "thrown", about = "Of the tests";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"g", 1.0, "gravity"}}};
  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * ad::square(x_dot) - p[0] * x;
  }
};

}  // namespace

TEST_CASE("Ticks: rounded once, later than a time, whatever the phase") {
  for (const double every : {0.1, 1.0 / 3, 2 * std::numbers::pi / 0.7, 1e-3}) {
    for (const double phase : {0.0, 0.25, -1e-20, 5.0, -7.3}) {
      const Ticks ticks(every, phase);
      for (const double t : {0.0, 0.1, 1.0, 12.5, 1e4}) {
        const std::int64_t k = ticks.after(t);
        CHECK(ticks[k] > t);
        CHECK((k == 0 || ticks[k - 1] <= t));
        for (const std::int64_t j : {k, k + 1, k + 1000}) {
          const double turns = (ticks[j] - phase) / every;
          CHECK(std::abs(turns - std::round(turns)) < 1e-9);  // found: 3e-11
        }
      }
      CHECK(ticks[0] < every);
    }
  }
  CHECK(Ticks()[Ticks().after(1e300)] == std::numeric_limits<double>::infinity());
}

TEST_CASE("A strobe's states are those of the reference, to round-off, for steps of any length") {
  const auto model = problem("henon-heiles");
  const auto& start = reference::henon_heiles_start;
  for (const double step : {1.5, 0.75, 0.3}) {
    const auto flown = fly(*model, gauss(12, step), strobe(*model, "1", "0", 100), {start[0], start[1]},
                           {start[2], start[3]});
    REQUIRE(flown.crossing_count == 100);
    double most = 0, late = 0;
    for (const auto& expected : reference::henon_heiles_states) {
      const auto found = row(flown, static_cast<std::size_t>(expected.time) - 1);
      late = std::max(late, std::abs(found[0] - expected.time));
      for (int n = 0; n < 4; ++n) most = std::max(most, std::abs(found[1 + n] - expected.state[n]));
    }
    CHECK(late == 0);
    CHECK(most < 2e-13);  // found: 2.4e-14
  }
}

TEST_CASE("A strobe within a step is the method's own step there, not its polynomial") {
  const auto model = problem("henon-heiles");
  const auto& start = reference::henon_heiles_start;
  const auto flown_to = [&](double step, const std::string& every) {
    return row(fly(*model, method("stormer-verlet", step), strobe(*model, every, "0", 1),
                   {start[0], start[1]}, {start[2], start[3]}),
               0);
  };
  const auto alone = flown_to(0.35, "0.35");                        // one step
  CHECK(largest_difference(flown_to(0.8, "0.35"), alone) < 1e-15);  // found: 6e-17
  // The control: the exact state differs by the method's error, as the cubic over the long step does.
  CHECK(largest_difference(row(fly(*model, gauss(12, 0.7), strobe(*model, "0.35", "0", 1),
                                   {start[0], start[1]}, {start[2], start[3]}),
                               0),
                           alone) > 1e-4);
}

TEST_CASE("Several periods in one step, several steps in one period, a phase, a condition") {
  const ProblemOf<FreePendulum> model;
  const auto flown = [&](double step, const std::string& every, const std::string& phase, int crossings,
                         const std::string& condition = "") {
    auto watch = strobe(model, every, phase, crossings);
    watch.stop.time = 30;
    if (!condition.empty()) watch.section->condition = Condition::parse(condition, model.variable_names());
    return fly_alone(model, gauss(10, step), watch, 0.4, 1.1);
  };
  const auto fine = flown(0.05, "0.11", "0", 200), coarse = flown(0.7, "0.11", "0", 200);
  CHECK(fine.status == Status::finished);
  CHECK(fine.crossings.time == coarse.crossings.time);
  CHECK(largest_difference(fine.crossings.state, coarse.crossings.state) < 1e-13);
  // Every second of them, by phase; the first of all is the phase itself.
  const auto odd = flown(0.3, "0.22", "0.11", 100), far = flown(0.3, "0.22", "0.11 - 22", 100);
  CHECK(odd.crossings.time[0] == 0.11);
  for (std::size_t k = 0; k < 100; ++k) {
    CHECK(std::abs(odd.crossings.time[k] - fine.crossings.time[2 * k]) < 1e-14);
    CHECK(std::abs(odd.crossings.state[2 * k] - fine.crossings.state[4 * k]) < 1e-13);
  }
  CHECK(largest_difference(odd.crossings.time, far.crossings.time) < 1e-13);
  // A condition keeps some; the time limit ends what doesn't find enough.
  const auto some = flown(0.3, "0.11", "0", 200, "x_dot > 0");
  CHECK(some.status == Status::time_limit);
  CHECK(some.crossing_count > 80);
  for (std::size_t k = 1; k < some.crossings.state.size(); k += 2) CHECK(some.crossings.state[k] > 0);
}

TEST_CASE("A kicked rotor is the standard map, by any method and step") {
  const auto states = [&](const Problem& model, const integrators::MethodOptions& options, double T) {
    auto watch = strobe(model, "T", "0", 200);
    return fly_alone(model, options, watch, 0.3, 0.2 / T, {0.0, 0.4 / T, T});
  };
  const auto expected = standard_map(0.4L, 0.3L, 0.2L, 200);
  const auto differs = [&](const TrajectoryRecord& flown, double T) {
    REQUIRE(flown.status == Status::finished);
    auto found = flown.crossings.state;
    for (std::size_t k = 1; k < found.size(); k += 2) found[k] *= T;
    CHECK(flown.energy_error < 1e-14 / (T * T));
    for (std::size_t k = 0; k < flown.crossings.count(); ++k)
      CHECK(flown.crossings.time[k] == static_cast<double>(k + 1) * T);
    return largest_difference(found, expected);
  };
  const ProblemOf<KickedPendulum<ByGauss>> by_gauss;
  const ProblemOf<KickedPendulum<ByVerlet>> by_verlet;
  const ProblemOf<KickedPendulum<ByDormandPrince>> by_dormand_prince;
  auto adaptive = method("dormand-prince-853", 0.1);
  adaptive.tolerance = 1e-12;
  CHECK(differs(states(by_verlet, method("stormer-verlet", 1.0), 1.0), 1.0) < 1e-13);  // found: 1e-15
  CHECK(differs(states(by_verlet, method("stormer-verlet", 0.37), 1.0), 1.0) < 1e-13);
  CHECK(differs(states(by_gauss, gauss(4, 7.0), 1.0), 1.0) < 1e-13);
  CHECK(differs(states(by_gauss, gauss(8, 0.1), 0.77), 0.77) < 3e-13);  // found: 6e-14
  CHECK(differs(states(by_dormand_prince, adaptive, 2.5), 2.5) < 1e-13);
  // The control: kicks of another strength.
  auto watch = strobe(by_verlet, "T", "0", 200);
  const auto other =
      fly_alone(by_verlet, method("stormer-verlet", 1.0), watch, 0.3, 0.2, {0.0, 0.4 + 1e-9, 1.0});
  CHECK(largest_difference(other.crossings.state, expected) > 1e-9);
}

TEST_CASE("Between kicks a pendulum swings freely, and its energy error is of the swing alone") {
  const ProblemOf<KickedPendulum<ByGauss>> kicked;
  const ProblemOf<FreePendulum> free;
  const double T = 1.3, K = 0.7;
  auto watch = strobe(kicked, "T/4", "0", 400);
  watch.sample_every = 0.5;
  const auto flown = fly_alone(kicked, gauss(10, 0.4), watch, 0.4, 1.1, {1.0, K, T});
  REQUIRE(flown.status == Status::finished);
  std::vector<double> expected;
  double x = 0.4, x_dot = 1.1;
  for (int k = 0; k < 100; ++k) {
    const auto part = fly_alone(free, gauss(10, 0.3), strobe(free, "1.3/4", "0", 4), x, x_dot);
    expected.insert(expected.end(), part.crossings.state.begin(), part.crossings.state.end());
    x = expected[expected.size() - 2];
    x_dot = expected.back() - K * std::sin(x);
  }
  const double most = largest_difference(flown.crossings.state, expected);
  CHECK(most < 1e-11);                // found: 6.2e-13
  CHECK(flown.energy_error < 1e-13);  // found: 2.6e-15
  // The control: the energy itself goes far.
  double low = flown.samples.energy[0], high = low;
  for (const double energy : flown.samples.energy) {
    low = std::min(low, energy);
    high = std::max(high, energy);
  }
  CHECK(high - low > 0.5);
}

TEST_CASE("The balance of what is kicked and damped is kept to round-off, wherever kicks cut steps") {
  // A quadratic energy, and so it is with the work as one more unknown: Gauss keeps it over any part of a
  // step.
  const ProblemOf<DampedAndKicked> model;
  Observation watch;
  watch.stop.time = 20;
  for (const int stages : {1, 2, 3}) {
    for (const double step : {0.25, 0.3, 0.15, 0.075}) {
      INFO(stages << " stages, step " << step);
      const auto flown = fly_alone(model, gauss(stages, step), watch, 0.4, 1.1);
      REQUIRE(flown.status == Status::finished);
      CHECK(flown.energy_error < 3e-15);
    }
  }
}

TEST_CASE("A kick changes the momenta, whatever the Lagrangian makes of them") {
  const mechanics::System<Relativistic, double> system;
  const std::array<double, 2> q{0.4, -0.7}, v{0.3, -0.2};
  const auto after = system.kicked_velocity(q, v, 0.0);
  const auto p = system.momentum(q, v, 0.0), p_after = system.momentum(q, after, 0.0);
  CHECK(std::abs(p_after[0] - p[0] + 0.6 * q[0] * q[1]) < 1e-15);
  CHECK(std::abs(p_after[1] - p[1] + 0.3 * q[0] * q[0]) < 1e-15);
  // The control: the mass at the old velocities would not do.
  const std::array<double, 2> impulse{-0.6 * q[0] * q[1], -0.3 * q[0] * q[0]};
  const auto naive = numerics::solve<double, 2>(system.mass(q, v, 0.0), impulse);
  CHECK(std::abs(after[0] - v[0] - naive[0]) > 1e-3);
}

TEST_CASE("A crossing at the time of a kick is neither lost nor doubled") {
  // Fixed points of the standard map cross x = 0 at kicks, whatever the steps that these cut.
  const ProblemOf<KickedPendulum<ByVerlet>> model;
  const double turn = 2 * std::numbers::pi;
  auto watch = coordinate(0, 0.0, 0, 0);
  for (const double step : {1.0, 0.5, 0.3, 0.1, 0.37, 0.7}) {
    for (const double turns : {0.5, 1.0, 2.0}) {
      INFO(turns << " turns a kick, step " << step);
      watch.stop.time = 100.25;
      const auto flown =
          fly_alone(model, method("stormer-verlet", step), watch, 0.0, turns * turn, {0.0, 0.9, 1.0});
      CHECK(flown.crossing_count == std::llround(100 * turns));
      CHECK(flown.grazing_count == 0);
    }
  }
  // Without a force: the k-th kick finds it at zero, to round-off.
  watch.stop.time = 3;
  for (int i = 0; i < 100; ++i) {
    const double T = 0.1, x_dot = 0.2 + 0.0173 * i;
    const auto flown = fly_alone(model, method("stormer-verlet", 0.3), watch, -x_dot * (1 + i % 5) * T, x_dot,
                                 {0.0, 0.0, T});
    CHECK(flown.crossing_count == 1);
  }
}

TEST_CASE("A contact where two steps meet is one, from above and from below") {
  const ProblemOf<Thrown> model;
  auto watch = coordinate(0, 0.0, 0, 0);
  watch.stop.time = 3;
  for (const double side : {1.0, -1.0}) {
    for (const double step : {0.5, 0.3, 1.0, 2.0}) {
      INFO("side " << side << ", step " << step);
      const auto flown = fly_alone(model, method("stormer-verlet", step), watch, 0.5 * side, -side, {-side});
      CHECK(flown.grazing_count == 1);
      CHECK(flown.crossing_count == 0);
    }
  }
}

TEST_CASE("A strobe is waited for, and one that can't be listed ends its trajectory") {
  const ProblemOf<FreePendulum> model;
  auto watch = strobe(model, "300", "0", 2);
  watch.stop.patience = 1000;
  const auto flown = fly_alone(model, gauss(2, 0.1), watch, 0.4, 1.1);
  CHECK(flown.status == Status::finished);
  CHECK(flown.t == 600.0);
  watch.section->condition = Condition::parse("x > 100", model.variable_names());
  CHECK(fly_alone(model, gauss(2, 0.1), watch, 0.4, 1.1).status == Status::section_not_met);
  for (const std::string every : {"1e-18", "1e-300"}) {
    for (const std::string phase : {"0", "1e10", "-1e10"}) {
      watch = strobe(model, every, phase, 100);
      CHECK(fly_alone(model, gauss(2, 0.1), watch, 0.4, 1.1).status == Status::crowded_step);
    }
  }
  Observation samples;
  samples.stop.time = 1;
  samples.sample_every = 1e-18;
  CHECK(fly_alone(model, gauss(2, 0.1), samples, 0.4, 1.1).status == Status::crowded_step);
}
