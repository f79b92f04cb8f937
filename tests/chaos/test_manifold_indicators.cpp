// SPDX-License-Identifier: BSD-3-Clause
// Whole spectra under constraints and where bodies roll, of motion so long that what contracts has passed
// below round-off many times over: of methods that hold deviations in what these allow, and of those that
// only don't lead out of it.
#include "catch.hpp"
#include "chaos/indicators.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

struct BySpark {
  static constexpr std::string_view method = "lobatto-spark";
};
struct ByReducedGauss {
  static constexpr std::string_view method = "reduced-gauss";
};
struct ByRk4 {
  static constexpr std::string_view method = "rk4";
};
struct ByRattle {
  static constexpr std::string_view method = "rattle";
};

/// A pendulum of two rods, hanging from a point: each rod a constraint.
template <class Method>
struct TwoRods : Method {
  static constexpr std::string_view name = "two-rods", about = "Of the tests";
  static constexpr int dim = 4;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}, {"u"}, {"w"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    using ad::square;
    const auto [x, y, u, w] = q;
    const auto [x_dot, y_dot, u_dot, w_dot] = v;
    return 0.5 * (square(x_dot) + square(y_dot) + square(u_dot) + square(w_dot)) - y - w;
  }
  auto constraint(const auto& q, const auto&) const {
    using ad::square;
    const auto [x, y, u, w] = q;
    return std::tuple(square(x) + square(y) - 1.0, square(x - u) + square(y - w) - 1.0);
  }
};

/// A bead at the lowest point of a hoop that turns faster than gravity holds it there: x'' = (w^2 - 1) x.
template <class Method>
struct TurningHoop : Method {
  static constexpr std::string_view name = "turning-hoop", about = "Of the tests";
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}, {"z"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"w", 1.7, "how fast it turns"}}};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [x_dot, y_dot, z_dot] = v;
    return 0.5 * (square(x_dot) + square(y_dot) + square(z_dot)) - z;
  }
  auto constraint(const auto& q, const auto& p, const auto& t) const {
    using ad::square, std::cos, std::sin;
    const auto [x, y, z] = q;
    return std::tuple(square(x) + square(y) + square(z) - 1.0, x * sin(p[0] * t) - y * cos(p[0] * t));
  }
};

/// A driven particle with friction, z' = y x': with what that allows, phase volume shrinks at a known rate.
template <class Method>
struct RollingParticle : Method {
  static constexpr std::string_view name = "rolling-particle", about = "Of the tests";
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}, {"z"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"c", 0.2, "friction"}}};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [x_dot, y_dot, z_dot] = v;
    return 0.5 * (square(x_dot) + square(y_dot) + square(z_dot)) -
           0.5 * (square(x) + 2.0 * square(y) + square(z)) + square(x) * y / 3.0;
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    const auto [x, y, z] = q;
    const auto [x_dot, y_dot, z_dot] = v;
    return std::tuple(z_dot - y * x_dot);
  }
  auto force(const auto&, const auto& v, const auto& p, const auto& t) const {
    using std::cos;
    const auto [x_dot, y_dot, z_dot] = v;
    return std::tuple(-p[0] * x_dot + 0.5 * cos(t), -p[0] * y_dot, -p[0] * z_dot);
  }
};

template <class Model>
std::vector<double> spectrum_of(integrators::MethodOptions options, double time, const Start& start,
                                int dimensions) {
  const std::vector<std::string> names{"spectrum"};
  Observation watch;
  watch.stop.time = time;
  watch.growth = chaos::growth_rule(chaos::read_indicators(names, dimensions, ""), dimensions);
  options.name = Model::method;
  const auto flown = fly(ProblemOf<Model>(), options, watch, {start}).at(start.id);
  REQUIRE(flown.status == Status::finished);
  return {flown.tallies.begin() + 1, flown.tallies.end()};
}

double sum_of(const std::vector<double>& exponents) {
  double sum = 0;
  for (const double exponent : exponents) sum += exponent;
  return sum;
}

integrators::MethodOptions tolerance(double value) {
  integrators::MethodOptions options;
  options.step = 0.01;
  options.tolerance = value;
  return options;
}

}  // namespace

TEST_CASE("two rods' exponents sum to zero, whichever way a method takes deviations along", "[long]") {
  const Start start{0, {1, 0, 2, 0}, {0, 0, 0, 0}, {}};
  const auto check = [&]<class Method>(const integrators::MethodOptions& options) {
    const auto found = spectrum_of<TwoRods<Method>>(options, 200, start, 4);
    INFO(Method::method << ": " << found[0] << " " << found[1] << " " << found[2] << " " << found[3]);
    CHECK(found[0] > 0.1);
    CHECK(std::abs(sum_of(found)) < 0.02);  // volumes are measured in space: a bounded factor, over the time
  };
  check.operator()<ByRattle>(gauss(0, 0.02));
  check.operator()<ByReducedGauss>(gauss(3, 0.05));
  check.operator()<ByRk4>(gauss(0, 0.02));
}

TEST_CASE("at the bottom of a hoop that turns exponents are a pair that is known") {
  const Start start{0, {0, 0, -1}, {0, 0, 0}, {1.7}};
  const double known = std::sqrt(1.7 * 1.7 - 1);
  const auto check = [&]<class Method>() {
    const auto found = spectrum_of<TurningHoop<Method>>(gauss(4, 0.1), 60, start, 2);
    INFO(Method::method << ": " << found[0] << " " << found[1]);
    CHECK(std::abs(found[0] - known) < 0.03);
    CHECK(std::abs(found[1] + known) < 0.03);
  };
  check.operator()<BySpark>();
  check.operator()<ByReducedGauss>();
}

TEST_CASE("what rolls with friction loses phase volume at the rate of its friction", "[long]") {
  constexpr double friction = 0.5;
  const Start start{0, {0.5, 0.3, 0.1}, {0.2, 0.1, 0.06}, {friction}};
  const auto check = [&]<class Method>(const integrators::MethodOptions& options) {
    const auto found = spectrum_of<RollingParticle<Method>>(options, 200, start, 5);
    INFO(Method::method << ": " << found[0] << " " << found[4] << ", sum " << sum_of(found));
    CHECK(std::abs(sum_of(found) + 2 * friction) < 0.02);
  };
  check.operator()<BySpark>(gauss(4, 0.2));
  check.operator()<ByReducedGauss>(gauss(3, 0.1));
  check.operator()<ByDormandPrince>(tolerance(1e-8));
}
