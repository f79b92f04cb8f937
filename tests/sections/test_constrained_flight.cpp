// SPDX-License-Identifier: BSD-3-Clause
// Flights under constraints: what is recorded, what ends a trajectory, and that its mates go on to the same
// bits.
#include "catch.hpp"
#include "flight_test.hpp"
#include "integrators/methods.hpp"
#include "mechanics/surface.hpp"
#include "sections/problem_of.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

/// The double cone z^2 = x^2 + y^2, whose gradient vanishes at the apex.
struct Cone {
  static constexpr std::string_view name = "cone", about = "A particle on a double cone";
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"slope", 1.0, "of the flanks"}}};
  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    return square(x) + square(y) - square(z) * square(p[0]);
  }
};

integrators::MethodOptions rattle(double step) {
  integrators::MethodOptions options;
  options.name = "rattle";
  options.step = step;
  return options;
}

Observation until(double time, double every = 0) {
  Observation watch;
  watch.stop.time = time;
  watch.sample_every = every;
  return watch;
}

const std::vector<double> cone{1.0, 1.0, 1.0};  // slope, mass, gravity

}  // namespace

TEST_CASE(
    "A start at a singular point of its manifold is a status, and its mates finish with their own bits") {
  const ProblemOf<mechanics::ParticleOn<Cone>> model;
  const std::vector<Start> starts{{0, {1, 0, 1}, {0, 0.5, 0}, cone},
                                  {1, {0, 0, 0}, {0, 0, 0}, cone},
                                  {2, {0, 0, 0}, {1, 0, 1}, cone},
                                  {3, {0, 2, 2}, {0.3, 0, 0}, cone}};
  const auto flown = fly(model, rattle(0.01), until(2), starts);
  CHECK(flown.at(1).status == Status::singular_constraint);
  CHECK(flown.at(2).status == Status::singular_constraint);
  for (const std::int64_t id : {0, 3}) {
    CHECK(flown.at(id).status == Status::finished);
    CHECK(flown.at(id).constraint_error < 1e-14);
    const auto alone = fly(model, rattle(0.01), until(2), {starts[static_cast<std::size_t>(id)]});
    CHECK(alone.at(id).q == flown.at(id).q);
    CHECK(alone.at(id).v == flown.at(id).v);
  }
  CHECK(is_failure(Status::singular_constraint));
}

TEST_CASE("A step without a multiplier ends its trajectory alone, after bounded work") {
  const auto model = problem("torus");
  const std::vector<double> shape{1.0, 0.4, 1.0, 0.0};
  // The line along the gradient (1, 0, 0) from (1.4, 0, 10) misses the torus.
  const std::vector<Start> starts{{0, {1.4, 0, 0}, {0, 0.5, 0.5}, shape},
                                  {1, {1.4, 0, 0}, {0, 0, 1000}, shape},
                                  {2, {0, 1.4, 0}, {0.3, 0, 0.1}, shape}};
  const auto flown = fly(*model, rattle(0.01), until(2), starts);
  CHECK(flown.at(1).status == Status::newton_diverged);
  CHECK(flown.at(1).q == starts[1].q);
  CHECK(flown.at(1).v == starts[1].v);
  CHECK(flown.at(1).steps == 0);
  for (const std::int64_t id : {0, 2}) {
    CHECK(flown.at(id).status == Status::finished);
    CHECK(flown.at(id).q ==
          fly(*model, rattle(0.01), until(2), {starts[static_cast<std::size_t>(id)]}).at(id).q);
  }
}

TEST_CASE("Samples hold the multiplier; they lie on the manifold, to the polynomial's order between steps") {
  const ProblemOf<mechanics::ParticleOn<Cone>> model;
  const auto flown = fly(model, rattle(0.01), until(1, 0.1), {1, 0, 1}, {0, 1, 0}, cone);
  CHECK(flown.status == Status::finished);
  REQUIRE(flown.samples.count() == 11);
  for (std::size_t k = 0; k < 11; ++k) {
    const auto row = sample(flown, k);
    REQUIRE(row.size() == 9);  // t, q, v, energy, multiplier
    const double x = row[1], y = row[2], z = row[3], u = row[4], v = row[5], w = row[6];
    CHECK(row[7] == within(1.5, 1e-4));
    // lambda = -(v H v + grad g . F) / |grad g|^2
    const double curvature = 2 * (u * u + v * v - w * w), steepness = 4 * (x * x + y * y + z * z);
    CHECK(row[8] == Approx(-(curvature + 2 * z) / steepness).epsilon(1e-9));
    CHECK(std::abs(x * x + y * y - z * z) / std::sqrt(steepness) < 1e-9);
  }
}

TEST_CASE("A problem says how far a state is off its manifold, and moves it there, a coordinate held") {
  const ProblemOf<mechanics::ParticleOn<Cone>> model;
  CHECK(model.constraints() == 1);
  CHECK(model.off_manifold(std::vector{0.6, 0.8, 1.0}, std::vector{0.8, -0.6, 0.0}, cone).position < 1e-16);
  const double position =
      model.off_manifold(std::vector{0.6, 0.8, 1.1}, std::vector{0.0, 0.0, 1.0}, cone).position;
  CHECK(position == Approx(0.21 / (2 * std::sqrt(1 + 1.21))).epsilon(1e-12));
  CHECK(
      std::isnan(model.off_manifold(std::vector{0.0, 0.0, 0.0}, std::vector{0.0, 0.0, 1.0}, cone).position));
  for (const int held : {-1, 0, 2}) {
    std::vector<double> q{0.7, 0.9, 1.3}, v{1, 0.2, -0.3};
    const auto before = q;
    REQUIRE(model.project(q, v, cone, held));
    const auto off = model.off_manifold(q, v, cone);
    CHECK(off.position < 1e-15);
    CHECK(off.velocity < 1e-15);
    if (held >= 0) CHECK(q[static_cast<std::size_t>(held)] == before[static_cast<std::size_t>(held)]);
  }
  std::vector<double> q{0.0, 0.0, 0.0}, v{1, 0, 0};
  CHECK_FALSE(model.project(q, v, cone, -1));  // at the apex there is no tangent plane
}

TEST_CASE("Crossings under constraints: Clairaut's momentum at each, all upwards") {
  const auto model = problem("torus");
  const auto flown = fly(*model, rattle(0.01), coordinate(2, 0.0, 1, 40), {1.4, 0, 0},
                         {0, std::cos(0.7), std::sin(0.7)}, {1.0, 0.4, 1.0, 0.0});
  CHECK(flown.status == Status::finished);
  REQUIRE(flown.crossings.count() == 40);
  for (std::size_t k = 0; k < 40; ++k) {
    const auto x = row(flown, k);
    CHECK(std::abs(x[3]) < 1e-14);
    CHECK(x[6] > 0);
    CHECK(x[1] * x[5] - x[2] * x[4] == Approx(1.0707790621982838).epsilon(1e-7));
  }
}
