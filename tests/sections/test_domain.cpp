// SPDX-License-Identifier: BSD-3-Clause
// A trajectory leaves its model's domain where its method's own polynomial does, however long the steps.
#include <cmath>

#include "catch.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// Two equal oscillators outside of a disc.
struct RoundADisc : ByGauss {
  static constexpr std::string_view name = "round-a-disc", about = "Of the tests";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"R", 0.5, "radius of the disc"}}};

  auto operator()(const auto& q, const auto& v, const auto&) const {
    using ad::square;
    const auto [x, y] = q;
    const auto [x_dot, y_dot] = v;
    return 0.5 * (square(x_dot) + square(y_dot) - square(x) - square(y));
  }
  auto domain(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y] = q;
    const auto [R] = p;
    return square(x) + square(y) - square(R);
  }
};

}  // namespace

TEST_CASE("a circle round a disc doesn't touch it, though its chords do") {
  const ProblemOf<RoundADisc> model;
  Observation watch;
  watch.stop.time = 60;
  const auto flown = [&](double step, double R, double speed) {
    return fly(model, gauss(12, step), watch, {1.0, 0.0}, {0.0, speed}, {R});
  };
  for (const double step : {0.5, 1.0, 1.5, 2.0}) {
    for (const double R : {0.9, 0.99, 0.999, 1 - 1e-9}) {
      INFO("step " << step << ", radius " << R);
      const auto found = flown(step, R, 1.0);
      CHECK(found.status == Status::finished);
      CHECK(found.t == 60);
    }
    // The controls: an ellipse of half axes 1 and .95 meets a disc between them where x^2 + y^2 = R^2.
    for (const double R : {0.96, 0.98}) {
      INFO("step " << step << ", radius " << R);
      const auto found = flown(step, R, 0.95);
      CHECK(found.status == Status::left_domain);
      CHECK(found.t == within(std::acos(std::sqrt((R * R - 0.9025) / (1 - 0.9025))), 1e-10));
    }
  }
}
