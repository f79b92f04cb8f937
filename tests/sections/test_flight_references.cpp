// SPDX-License-Identifier: BSD-3-Clause
// Crossings against references of 40 and more digits; sections of every kind against each other.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "reference/crossings.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::expressions;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// The largest error of t, q, v over all crossings listed; q less `shift`.
template <std::size_t Count>
double error(const TrajectoryRecord& flown, const std::array<reference::Crossing, Count>& expected,
             std::array<double, 2> shift = {}) {
  REQUIRE(flown.crossing_count == static_cast<std::int64_t>(Count) - 1);
  double worst = 0;
  for (std::size_t k = 1; k < Count; ++k) {
    const auto x = row(flown, k - 1);
    worst = std::max(worst, std::abs(x[0] - expected[k].t));
    for (int n = 0; n < 2; ++n) {
      worst = std::max(worst, std::abs(x[1 + n] - shift[n] - expected[k].q[n]));
      worst = std::max(worst, std::abs(x[3 + n] - expected[k].v[n]));
    }
  }
  return worst;
}

TrajectoryRecord henon_heiles(const integrators::MethodOptions& method) {
  const auto& start = reference::henon_heiles[0];
  return fly(*problem("henon-heiles"), method, coordinate(0, 0.0, 1, reference::henon_heiles.size() - 1),
             {start.q[0], start.q[1]}, {start.v[0], start.v[1]});
}

template <std::size_t Count>
TrajectoryRecord chain(const integrators::MethodOptions& method, double alpha, double at,
                       const std::array<reference::Crossing, Count>& expected) {
  const auto model = problem("magnetic-chain");
  Observation watch = coordinate(0, at, 0, Count - 1);
  watch.section->condition = Condition::parse("p_t > 0", model->variable_names());
  return fly(*model, method, watch, {at, -at}, {expected[0].v[0], expected[0].v[1]}, {alpha});
}

}  // namespace

TEST_CASE("Henon-Heiles crossings agree with the reference") {
  // Measured: 2e-13 and below.
  for (const auto& [stages, step] : {std::pair{8, 0.5}, {8, 0.75}, {12, 1.0}, {16, 1.5}}) {
    const TrajectoryRecord flown = henon_heiles(gauss(stages, step));
    INFO(stages << " stages, h = " << step);
    CHECK(flown.status == Status::finished);
    CHECK(error(flown, reference::henon_heiles) < 2e-12);
    CHECK(flown.energy_error < 1e-14);
  }
  auto adaptive = gauss(10, 0.1);
  adaptive.tolerance = 1e-13;
  CHECK(error(henon_heiles(adaptive), reference::henon_heiles) < 1e-11);
}

TEST_CASE("Other methods find the same crossings through the same interface") {
  auto method = gauss(12, 0.1);
  method.name = "dormand-prince-853";
  method.tolerance = 1e-15;
  CHECK(error(henon_heiles(method), reference::henon_heiles) < 1e-10);
  method = gauss(14, 0.5);
  method.name = "chebyshev-lobatto";
  CHECK(error(henon_heiles(method), reference::henon_heiles) < 1e-10);
  // The control: a method that the bound above must refuse.
  method = gauss(0, 0.05);
  method.name = "rk4";
  const double rough = error(henon_heiles(method), reference::henon_heiles);
  CHECK(rough > 1e-7);
  CHECK(rough < 1e-2);
}

TEST_CASE("Crossings of the magnetic chain agree with the reference, upright and hanging") {
  CHECK(error(chain(gauss(12, 0.5), 18.0, 0.0, reference::upright_chain), reference::upright_chain) < 1e-11);
  CHECK(error(chain(gauss(12, 0.25), 10.0, M_PI, reference::hanging_chain), reference::hanging_chain,
              {M_PI, -M_PI}) < 1e-11);
}

TEST_CASE("Up and down together are both directions") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch = coordinate(1, 0.1, 1, 0);
  watch.stop.time = 200;
  std::vector<double> times[3];
  for (const int direction : {-1, 0, 1}) {
    watch.section->direction = direction;
    const TrajectoryRecord flown = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
    CHECK(flown.status == Status::finished);
    CHECK(flown.t == within(200, 1e-12));
    for (std::int64_t k = 0; k < flown.crossing_count; ++k) {
      const auto x = row(flown, k);
      times[direction + 1].push_back(x[0]);
      CHECK(std::abs(x[2] - 0.1) < 1e-15);
      if (direction != 0) CHECK(x[4] * direction > 0);
    }
  }
  std::vector<double> merged = times[0];
  merged.insert(merged.end(), times[2].begin(), times[2].end());
  std::sort(merged.begin(), merged.end());
  CHECK(merged.size() > 50);
  CHECK(merged == times[1]);
}

TEST_CASE("Several crossings in one step are all found, in order") {
  // Near the turning points of q1 the section is passed up and down within a long step.
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  Observation watch = coordinate(0, 0.3, 0, 0);
  watch.stop.time = 1500;
  const TrajectoryRecord fine = fly(*model, gauss(8, 0.1), watch, start.q, start.v);
  const TrajectoryRecord coarse = fly(*model, gauss(16, 2.0), watch, start.q, start.v);
  REQUIRE(coarse.crossing_count == fine.crossing_count);
  CHECK(fine.crossing_count > 100);
  int pairs = 0;
  for (std::int64_t k = 0; k < fine.crossing_count; ++k) {
    CHECK(std::abs(row(fine, k)[0] - row(coarse, k)[0]) < 1e-8);
    pairs += k > 0 && std::floor(row(coarse, k)[0] / 2) == std::floor(row(coarse, k - 1)[0] / 2);
  }
  CHECK(pairs > 5);
}

TEST_CASE("A crossing at the end of a step is counted once") {
  // q1 = sin t passes zero downwards at pi, upwards at 2 pi: steps of pi / 4, give or take some bits.
  const auto model = problem("harmonic-oscillator");
  for (int bits = -40; bits <= 40; ++bits) {
    Observation watch = coordinate(0, 0.0, 0, 0);
    watch.stop.time = 40.5;
    const double step = M_PI / 4 * (1 + bits * 0x1p-52);
    const TrajectoryRecord flown = fly(*model, gauss(10, step), watch, {0.0, 0.3}, {1.0, 0.0}, {1.0, 1.0});
    REQUIRE(flown.crossing_count == 12);
    for (int k = 0; k < 12; ++k) CHECK(std::abs(row(flown, k)[0] - (k + 1) * M_PI) < 1e-12);
  }
}

TEST_CASE("An expression that is a coordinate gives the coordinate's section") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  const TrajectoryRecord plain = fly(*model, gauss(8, 0.75), coordinate(0, 0.1, 1, 100), start.q, start.v);
  for (const std::string text : {"q1 - 0.1", "2*q1 - 0.2", "exp(q1) - exp(0.1)"}) {
    Observation watch = coordinate(-1, 0.0, 1, 100);
    watch.section->expression = Expression::parse(text, model->variable_names());
    const TrajectoryRecord flown = fly(*model, gauss(8, 0.75), watch, start.q, start.v);
    REQUIRE(flown.crossing_count == plain.crossing_count);
    double worst = 0;
    for (std::size_t k = 0; k < plain.crossings.count(); ++k) {
      const auto a = row(flown, k), b = row(plain, k);
      for (std::size_t n = 0; n < b.size(); ++n) worst = std::max(worst, std::abs(a[n] - b[n]));
    }
    CHECK(worst < 2e-13);
  }
}

TEST_CASE("General sections: every change of sign along the way is a crossing on the section") {
  const auto model = problem("henon-heiles");
  const Start start = henon_heiles_start(0, 0.125, 0.1, 0.05);
  for (const std::string text : {"q1*q2_dot - 0.02", "p_q1 - 0.2", "q1^2 + q2^2 - 0.1"}) {
    const Expression s = Expression::parse(text, model->variable_names());
    Observation watch = coordinate(-1, 0.0, 0, 0);
    watch.section->expression = s;
    watch.stop.time = 200;
    watch.sample_every = 0.005;
    const TrajectoryRecord flown = fly(*model, gauss(10, 0.75), watch, start.q, start.v);
    const auto value = [&](const std::vector<double>& x) {
      return s.evaluate(model->variables({&x[1], 2}, {&x[3], 2}, {}, x[0]));
    };
    // Samples too close together to hide a pair: compare in order.
    std::int64_t found = 0;
    auto b = sample(flown, 0);
    for (std::size_t k = 1; k < flown.samples.count(); ++k) {
      const auto a = std::exchange(b, sample(flown, k));
      if ((value(a) < 0) == (value(b) < 0)) continue;
      REQUIRE(found < flown.crossing_count);
      const auto x = row(flown, found++);
      CHECK(x[0] >= a[0]);
      CHECK(x[0] <= b[0]);
      CHECK(std::abs(value(x)) < 2e-14);
    }
    CHECK(found == flown.crossing_count);
    CHECK(found > 30);
  }
}
