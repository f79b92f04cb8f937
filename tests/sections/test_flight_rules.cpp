// SPDX-License-Identifier: BSD-3-Clause
// What counts and what ends a trajectory: starts on the section, angles, conditions, limits, domains,
// failures.
#include <cmath>

#include "catch.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::expressions;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// Of masses M and 1, that a product of the velocities ties to each other.
struct TwoMasses : ByGauss {
  static constexpr std::string_view name = "two-masses", about = "Of the tests";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 2> parameters{{{"M", 1.0, "mass"}, {"c", 0.0, "tie"}}};

  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    const auto [M, c] = p;
    return 0.5 * (M * ad::square(x_dot) + ad::square(y_dot)) + c * x_dot * y_dot -
           0.5 * (M * ad::square(x) + ad::square(y));
  }
};

}  // namespace

TEST_CASE("A start on the section isn't a crossing, whichever way it leaves") {
  const auto model = problem("harmonic-oscillator");
  for (const int way : {1, -1}) {
    for (const int direction : {-1, 0, 1}) {
      Observation watch = coordinate(0, 0.25, direction, 0);
      watch.stop.time = 20;
      // q1 = cos t / 4 + way sin t is back at 1/4 after every turn, and where tan(t/2) = 4 way.
      const TrajectoryRecord flown =
          fly(*model, gauss(10, 0.7), watch, {0.25, 0.1}, {1.0 * way, 0.0}, {1.0, 1.0});
      double expected = 0;
      std::int64_t found = 0;
      const double other = way > 0 ? 2 * std::atan(4.0) : 2 * M_PI - 2 * std::atan(4.0);
      for (int k = 0; k < 4; ++k) {
        for (const double time : {other + 2 * M_PI * k, 2 * M_PI * (k + 1)}) {
          if (time > 20) continue;
          const bool rising = 0.25 * -std::sin(time) + way * std::cos(time) > 0;
          if (direction != 0 && rising != (direction > 0)) continue;
          REQUIRE(found < flown.crossing_count);
          expected = row(flown, found++)[0];
          CHECK(std::abs(expected - time) < 1e-12);
        }
      }
      CHECK(found == flown.crossing_count);
    }
  }
  // At rest on the section: it turns back at once, and the contact of the start isn't one either.
  Observation watch = coordinate(0, 0.5, 0, 0);
  watch.stop.time = 6;
  CHECK(fly(*model, gauss(10, 0.7), watch, {0.5, 0.1}, {0.0, 0.0}, {1.0, 1.0}).crossing_count == 0);
}

TEST_CASE("Contacts of the section are counted apart") {
  // q1 = cos (t - 1) has its maxima at 1 + 2 pi k, four of them before 20, none at the start.
  const auto model = problem("harmonic-oscillator");
  const auto meetings = [&](double section) {
    Observation watch = coordinate(0, section, 0, 0);
    watch.stop.time = 20;
    const TrajectoryRecord flown =
        fly(*model, gauss(12, 0.7), watch, {std::cos(1.0), 0.1}, {std::sin(1.0), 0.0}, {1.0, 1.0});
    return std::array{flown.grazing_count, flown.crossing_count};
  };
  using Counts = std::array<std::int64_t, 2>;
  CHECK(meetings(1 + 4e-15) == Counts{4, 0});
  CHECK(meetings(1 + 1e-9) == Counts{0, 0});  // the controls: passed by, and crossed
  CHECK(meetings(1 - 1e-9) == Counts{0, 8});
}

TEST_CASE("A contact is one wherever round-off puts it, and none after the end") {
  // q1 = cos t / 2 touches 1/2 after each turn.
  const auto model = problem("harmonic-oscillator");
  const auto meetings = [&](double step, double time) {
    Observation watch = coordinate(0, 0.5, 0, 0);
    watch.stop.time = time;
    const TrajectoryRecord flown = fly(*model, gauss(10, step), watch, {0.5, 0.1}, {0.0, 0.0}, {1.0, 1.0});
    return std::array{flown.grazing_count, flown.crossing_count};
  };
  using Counts = std::array<std::int64_t, 2>;
  for (const double step : {0.3, 0.4, 0.5, 0.7, 1.0}) CHECK(meetings(step, 630) == Counts{100, 0});
  CHECK(meetings(0.7, 6.3) == Counts{1, 0});
  CHECK(meetings(0.7, 6.28) == Counts{0, 0});  // in the same step
}

TEST_CASE("A contact is one and no crossing, wherever steps end and however short they are") {
  // q1 = cos t touches 1 and -1 a hundred times each; steps end there, close to it, and elsewhere.
  const auto model = problem("harmonic-oscillator");
  const auto meetings = [&](double step, double section, const std::string& of, int direction) {
    Observation watch = coordinate(of.empty() ? 0 : -1, section, direction, 0);
    if (!of.empty()) watch.section->expression = Expression::parse(of, model->variable_names());
    watch.stop.time = 200.5 * M_PI;
    const TrajectoryRecord flown = fly(*model, gauss(12, step), watch, {1.0, 0.1}, {0.0, 0.0}, {1.0, 1.0});
    return std::array{flown.grazing_count, flown.crossing_count};
  };
  using Counts = std::array<std::int64_t, 2>;
  for (const double step : {M_PI / 3, M_PI / 7, M_PI / 16, M_PI / 64, 0.37, 0.05}) {
    INFO("step " << step);
    const int way = step == M_PI / 64 ? 1 : 0;
    CHECK(meetings(step, 1.0, "", 0) == Counts{100, 0});
    CHECK(meetings(step, -1.0, "", way) == Counts{100, 0});
    CHECK(meetings(step, 1.0, "", -way) == Counts{100, 0});
    if (step > 0.1) CHECK(meetings(step, 1.0, "q1 + 0 * q2", 0) == Counts{100, 0});
    // The controls: passed by, and crossed.
    CHECK(meetings(step, -1.0 - 1e-9, "", 0) == Counts{0, 0});
    CHECK(meetings(step, -1.0 + 1e-9, "", 0) == Counts{0, 200});
  }
}

TEST_CASE("An angle meets its section once a turn, several times in a long step") {
  // Without gravity two rods in line turn at a constant rate.
  const auto model = problem("double-pendulum");
  for (const double rate : {20.0, -20.0, 3.0}) {
    Observation watch = coordinate(0, 0.5, rate > 0 ? 1 : -1, 50);
    const TrajectoryRecord flown =
        fly(*model, gauss(8, 1.0), watch, {0.0, 0.0}, {rate, rate}, {1.0, 1.0, 1.0, 1.0, 0.0});
    REQUIRE(flown.crossing_count == 50);
    const double first = rate > 0 ? 0.5 : 2 * M_PI - 0.5;
    double worst = 0;
    for (int k = 0; k < 50; ++k) {
      worst = std::max(worst, std::abs(row(flown, k)[0] - (first + 2 * M_PI * k) / std::abs(rate)));
    }
    CHECK(worst < 1e-11);
    // The other way it isn't met at all.
    watch.section->direction = -watch.section->direction;
    watch.stop.time = 20;
    const TrajectoryRecord none =
        fly(*model, gauss(8, 1.0), watch, {0.0, 0.0}, {rate, rate}, {1.0, 1.0, 1.0, 1.0, 0.0});
    CHECK(none.crossing_count == 0);
    CHECK(none.status == Status::time_limit);
  }
}

TEST_CASE("A condition keeps exactly the crossings for which it holds") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch = coordinate(0, 0.0, 0, 0);
  watch.stop.time = 500;
  const TrajectoryRecord all = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
  watch.section->condition = Condition::parse("p_q1 > 0 and q2 > 0.1", model->variable_names());
  const TrajectoryRecord some = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
  std::vector<std::vector<double>> kept;
  for (std::int64_t k = 0; k < all.crossing_count; ++k) {
    const auto x = row(all, k);
    if (x[3] > 0 && x[2] > 0.1) kept.push_back(x);
  }
  CHECK(some.crossing_count > 10);
  CHECK(some.crossing_count < all.crossing_count);
  REQUIRE(kept.size() == some.crossings.count());
  for (std::size_t k = 0; k < kept.size(); ++k) CHECK(kept[k] == row(some, k));
  // The number asked for is that of the crossings kept.
  watch.stop.crossings = 7;
  const TrajectoryRecord seven = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
  CHECK(seven.status == Status::finished);
  CHECK(seven.crossing_count == 7);
  CHECK(seven.t == row(some, 6)[0]);
  CHECK(seven.q[1] == row(some, 6)[2]);
}

TEST_CASE("A trajectory that doesn't meet the section is given up after its patience") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch = coordinate(0, 5.0, 1, 10);
  watch.stop.patience = 1234;
  const TrajectoryRecord flown = fly(*model, gauss(8, 0.5), watch, start.q, start.v);
  CHECK(flown.status == Status::section_not_met);
  CHECK(flown.steps == 1234);
  CHECK(flown.t == 617.0);
  // Patience counts from the last crossing.
  watch = coordinate(0, 0.0, 1, 1000);
  watch.stop.patience = 40;
  CHECK(fly(*model, gauss(8, 0.5), watch, start.q, start.v).status == Status::finished);
}

TEST_CASE("A chain whose end balls touch leaves its domain there") {
  const auto model = problem("magnetic-chain");
  for (const double step : {0.05, 0.1, 0.2}) {
    Observation watch = coordinate(0, 3.0, 1, 10);
    watch.stop.time = 100;
    const TrajectoryRecord flown = fly(*model, gauss(12, step), watch, {0.3, 0.3}, {0.1, 0.1}, {10.0});
    CHECK(flown.status == Status::left_domain);
    CHECK(flown.t > 0.1);
    const double gap = 2 * std::abs(std::cos(0.5 * (flown.q[0] + flown.q[1]))) - 1;
    CHECK(std::abs(gap) < 1e-12);
    static double time = flown.t;
    CHECK(std::abs(flown.t - time) < 1e-10);
  }
  // A start beyond the contact.
  const TrajectoryRecord outside =
      fly(*model, gauss(8, 0.1), coordinate(0, 0.0, 1, 1), {1.2, 1.2}, {0.0, 0.0}, {10.0});
  CHECK(outside.status == Status::left_domain);
  CHECK(outside.steps == 0);
}

TEST_CASE("Samples come at their times, the limit of time included") {
  const auto model = problem("harmonic-oscillator");
  for (const double every : {0.3, 0.05, 2.0}) {
    Observation watch;
    watch.sample_every = every;
    watch.stop.time = 12.0;
    const TrajectoryRecord flown = fly(*model, gauss(10, 0.7), watch, {1.0, 0.0}, {0.0, 1.0}, {1.0, 2.0});
    CHECK(flown.status == Status::finished);
    CHECK(flown.t == within(12.0, 1e-14));
    CHECK(flown.q[0] == within(std::cos(12.0), 1e-12));
    REQUIRE(flown.sample_count == std::llround(12.0 / every) + 1);
    double worst = 0;
    for (std::int64_t k = 0; k < flown.sample_count; ++k) {
      const auto x = sample(flown, static_cast<std::size_t>(k));
      const double t = static_cast<double>(k) * every;
      worst = std::max({worst, std::abs(x[0] - t), std::abs(x[1] - std::cos(t)),
                        std::abs(x[2] - std::sin(2 * t) / 2), std::abs(x[3] + std::sin(t)),
                        std::abs(x[4] - std::cos(2 * t)), std::abs(x[5] - 1.0)});
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("Steps that go far beyond the end list what is due before it", "[long]") {
  // x = 1 + t / 2, in steps that grow by themselves.
  const auto model = problem("harmonic-oscillator");
  integrators::MethodOptions method;
  method.name = "dormand-prince-853";
  method.step = 0.1;
  method.tolerance = 1e-10;
  Observation watch;
  watch.stop.time = 1e4;
  watch.sample_every = 0.01;
  const TrajectoryRecord flown = fly(*model, method, watch, {1.0, 0.0}, {0.5, 0.0}, {0.0, 0.0});
  CHECK(flown.status == Status::finished);
  CHECK(flown.q[0] == within(5001.0, 1e-9));
  CHECK(flown.sample_count == 1000001);
  CHECK(flown.steps < 20);
}

TEST_CASE("A time limit before the crossings asked for is told apart from a finished run") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch = coordinate(0, 0.0, 1, 1000);
  watch.stop.time = 50;
  const TrajectoryRecord flown = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
  CHECK(flown.status == Status::time_limit);
  CHECK(flown.t == within(50, 1e-13));
  CHECK(flown.crossing_count > 3);
  CHECK(flown.crossing_count < 10);
}

TEST_CASE("The error of the energy is that of the worst step, and small") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch;
  watch.stop.time = 2000;
  const TrajectoryRecord fine = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
  CHECK(fine.energy == within(0.125, 1e-16));
  CHECK(fine.energy_error < 0.125 * 1e-13);  // measured: 2e-14 relative
  CHECK(fine.energy_error > 0);
  const TrajectoryRecord rough = fly(*model, gauss(2, 0.75), watch, start.q, start.v);
  CHECK(rough.energy_error > 1e-6);
}

TEST_CASE("Starts that can't fly land at once with their status, and their mates go on") {
  const auto model = problem("henon-heiles");
  std::vector<Start> starts{henon_heiles_start(0, 0.125, 0.1, 0.05), henon_heiles_start(1, 0.125, 0.2, 0.0)};
  starts.push_back({2, {0.0, NAN}, {0.1, 0.1}, {}});
  starts.push_back({3, {0.0, 3.0}, {0.1, 0.1}, {}});  // escapes to infinity
  const auto flown = fly(*model, gauss(8, 0.75), coordinate(0, 0.0, 1, 50), starts);
  CHECK(flown.at(0).status == Status::finished);
  CHECK(flown.at(1).status == Status::finished);
  CHECK(flown.at(2).status == Status::non_finite);
  CHECK(is_failure(flown.at(3).status));
  const auto alone = fly(*model, gauss(8, 0.75), coordinate(0, 0.0, 1, 50), {starts[0]});
  CHECK(alone.at(0).crossings == flown.at(0).crossings);
}

TEST_CASE("Masses of any proportion fly; a singular mass matrix is told in any units") {
  const ProblemOf<TwoMasses> model;
  Observation watch;
  watch.stop.time = 1;
  const auto status = [&](double M, double c) {
    return fly(model, gauss(4, 0.1), watch, {0.1, 0.2}, {0.0, 0.1}, {M, c}).status;
  };
  for (const double M : {1e-20, 1.0, 1e15, 1e30}) {
    CHECK(status(M, 0.0) == Status::finished);
    CHECK(status(M, 0.5 * std::sqrt(M)) == Status::finished);
    CHECK(status(M, std::sqrt(M)) == Status::singular_mass_matrix);
  }
  CHECK(status(0.0, 0.0) == Status::singular_mass_matrix);
}
