// SPDX-License-Identifier: BSD-3-Clause
// Projection, on the pendulum as a point on a circle and in its angle: the numbers of P. Mullen, M.
// Desbrun, CS 101: Numerical Geometric Integration, slides "Projection Methods & Constraints", worked out
// independently.
#include "integrators/constrained.hpp"
#include "mechanics/models/pendulum.hpp"

namespace cotangent::integrators {
namespace {

struct Course {
  double worst_energy = 0, late_energy = 0, last_energy = 0, circle = 0, tangent = 0;
};

/// What a method makes of the pendulum's invariants until time T; `late`: the mean over the last quarter.
Course course(const std::string& name, double h, double T, const std::string& projection = "none",
              const std::string& onto = "") {
  const Circle system;
  auto method = stepper<Circle>(name, h, projection, onto);
  const auto start = pendulum_start();
  method->start(system, start, true);
  const double energy = system.energy(start.q, start.v, 0.0);
  const auto steps = std::lround(T / h);
  Course c;
  for (long i = 0; i < steps; ++i) {
    REQUIRE(method->advance(system, true));
    const auto x = method->end();
    c.last_energy = system.energy(x.q, x.v, 0.0) - energy;
    c.worst_energy = std::max(c.worst_energy, std::abs(c.last_energy));
    if (i >= 3 * steps / 4) c.late_energy += c.last_energy / (steps - 3 * steps / 4);
    c.circle = std::max(c.circle, std::abs(x.q[0] * x.q[0] + x.q[1] * x.q[1] - 1));
    c.tangent = std::max(c.tangent, std::abs(x.q[0] * x.v[0] + x.q[1] * x.v[1]));
  }
  return c;
}

TEST_CASE("midpoint on the index-reduced pendulum keeps q . p, and |q|^2 to h^2/2 (q_y - q_y0)") {
  for (const auto& [h, worst] : {std::pair{0.2, 9.2155e-3}, {0.1, 2.2998e-3}, {0.05, 5.7464e-4}}) {
    const Course c = course("reduced-midpoint", h, 200);
    CHECK(c.tangent < 2e-14);  // 4.4e-15
    CHECK(c.circle == Approx(worst).epsilon(1e-4));
  }
}

TEST_CASE("standard projection makes the energy drift, symmetric projection doesn't") {
  // The mean over the last quarter of T = 1000 at h = 0.1.
  const Course standard = course("reduced-midpoint", 0.1, 1000, "standard");
  CHECK(standard.late_energy == Approx(-9.7e-3).epsilon(0.01));
  CHECK(standard.worst_energy == Approx(1.13e-2).epsilon(0.01));
  const Course symmetric = course("reduced-midpoint", 0.1, 1000, "symmetric");
  CHECK(symmetric.late_energy == Approx(1.9e-4).epsilon(0.02));
  CHECK(symmetric.worst_energy == Approx(5.3e-4).epsilon(0.01));
  CHECK(course("trapezoidal", 0.1, 1000, "standard").late_energy == Approx(-5.0e-2).epsilon(0.01));
  CHECK(course("trapezoidal", 0.1, 1000, "symmetric").late_energy == Approx(-4.94e-4).epsilon(0.01));
  for (const Course& c : {standard, symmetric}) {
    CHECK(c.circle < 1e-12);  // 4e-16, 2.6e-14
    CHECK(c.tangent < 1e-12);
  }
}

TEST_CASE("standard projection spoils symplectic Euler") {
  CHECK(course("symplectic-euler", 0.05, 5, "standard").last_energy == Approx(0.079).epsilon(0.01));
  CHECK(course("symplectic-euler", 0.05, 20, "standard").last_energy == Approx(0.625).epsilon(0.01));
  CHECK(course("symplectic-euler", 0.025, 5, "standard").last_energy == Approx(0.037).epsilon(0.01));
  CHECK(course("symplectic-euler", 0.025, 20, "standard").last_energy == Approx(0.200).epsilon(0.01));
  CHECK(course("constrained-symplectic-euler", 0.05, 200).worst_energy < 0.03);  // the control: no projection
}

TEST_CASE("one step there and back: to round-off by symmetric projection alone") {
  const auto defect = [](const char* name, const char* projection) {
    const Circle system;
    auto method = stepper<Circle>(name, 0.1, projection);
    State<double, 2> x = after(system, *method, pendulum_start(), 10);
    const State<double, 2> begin = x;
    x = after(system, *method, x, 1);
    for (auto& v : x.v) v = -v;
    x = after(system, *method, x, 1);
    for (auto& v : x.v) v = -v;
    return distance_of(x, begin);
  };
  CHECK(defect("reduced-midpoint", "symmetric") < 1e-13);
  CHECK(defect("trapezoidal", "symmetric") < 1e-13);
  CHECK(defect("reduced-midpoint", "standard") > 1e-8);
  CHECK(defect("trapezoidal", "standard") > 1e-7);
}

TEST_CASE("the variational pendulum's energy, by central velocities") {
  CHECK(course("shake-two-step", 0.1, 200).worst_energy == Approx(1.4e-3).epsilon(0.02));
  CHECK(course("shake-two-step", 0.05, 200).worst_energy == Approx(3.5e-4).epsilon(0.02));
  // Its own momenta aren't tangent: twice the energy error, and order 2 as well.
  const double coarse = course("variational", 0.1, 200).worst_energy;
  CHECK(coarse / course("variational", 0.05, 200).worst_energy == Approx(4).epsilon(0.02));
}

TEST_CASE("manifold and energy together") {
  const Course c = course("rk4", 0.1, 100, "standard", "both");
  CHECK(c.worst_energy < 1e-14);
  CHECK(c.circle < 1e-14);
  CHECK(course("rk4", 0.1, 100, "standard", "manifold").worst_energy > 1e-6);  // the control
}

double period(const std::string& name, double h, const std::string& projection) {
  using Angle = mechanics::System<mechanics::Pendulum, double>;
  const Angle system;
  auto method = stepper<Angle>(name, h, projection);
  method->start(system, {0.0, {1.0}, {0.0}}, true);
  double first = 0, last = 0;
  int count = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto begin = method->end();
    REQUIRE(method->advance(system, true));
    if (!(begin.q[0] > 0 && method->end().q[0] <= 0)) continue;
    double theta = begin.q[0] / (begin.q[0] - method->end().q[0]);
    for (int k = 0; k < 5; ++k) {
      const auto x = method->dense(theta);
      theta -= x.q[0] / (x.v[0] * h);
    }
    last = begin.t + theta * h;
    if (count++ == 0) first = last;
  }
  return (last - first) / (count - 1);
}

TEST_CASE("projection onto the energy, in the angle: the right energy and a wrong period") {
  CHECK(period("explicit-euler", 0.1, "standard") == within(6.719561, 2e-6));
  CHECK(period("explicit-euler", 0.05, "standard") == within(6.704881, 2e-6));
  CHECK(period("symplectic-euler", 0.1, "none") == within(6.698469, 2e-6));
  CHECK(period("symplectic-euler", 0.1, "standard") == within(6.696838, 2e-6));
}

/// The largest distance from the circle, and the distance of the end from another one.
double off_circle(double scale, const std::string& projection, State<double, 2>& end) {
  using Scaled = mechanics::System<Plain<ScaledCircle>, double>;
  Scaled system;
  system.parameters = {scale};
  MethodOptions options;
  options.name = "reduced-gauss";
  options.stages = 1;
  options.step = 0.1;
  options.projection = projection;
  options.onto = "manifold";
  auto method = one_of<Scaled, ReducedGauss<Scaled>>(options);
  const State<double, 2> start{0.0, {1, 0}, {0, 0.5}};
  method.start(system, start, true);
  double worst = 0;
  for (int i = 0; i < 300; ++i) {
    REQUIRE(method.advance(system, true));
    end = method.end();
    worst = std::max(worst, std::abs(end.q[0] * end.q[0] + end.q[1] * end.q[1] - 1));
    worst = std::max(worst, std::abs(end.q[0] * end.v[0] + end.q[1] * end.v[1]));
  }
  return worst;
}

TEST_CASE("projection holds to round-off whatever the constraint is multiplied by") {
  for (const char* projection : {"standard", "symmetric"}) {
    State<double, 2> unit, other;
    off_circle(1, projection, unit);
    for (const double scale : {1e-8, 1e-3, 1.0, 1e4, 1e8}) {
      INFO(projection << ", scale " << scale);
      CHECK(off_circle(scale, projection, other) < 1e-14);
      CHECK(distance_of(unit, other) < 1e-12);
    }
  }
}

TEST_CASE("symmetric projection that runs away fails, and doesn't end anywhere") {
  MethodOptions options;
  options.name = "reduced-gauss";
  options.stages = 2;
  options.step = 0.3;
  options.projection = "symmetric";
  options.onto = "manifold";
  const Circle system;
  auto method = one_of<Circle, ReducedGauss<Circle>>(options);
  const State<double, 2> start{0.0, {1, 0}, {0, 6.45}};
  method.start(system, start, true);
  for (int i = 0; i < 333 && method.advance(system, true); ++i) {
    const auto x = method.end();
    CHECK(std::abs(x.q[0] * x.q[0] + x.q[1] * x.q[1] - 1) < 1e-13);
  }
  CHECK(method.failure() == static_cast<double>(Status::newton_diverged));
  options.step = 0.1;  // the control
  auto shorter = one_of<Circle, ReducedGauss<Circle>>(options);
  after(system, shorter, start, 1000);
  CHECK(shorter.failure() == 0);
}

TEST_CASE("what can't be projected says so") {
  using Angle = mechanics::System<mechanics::Pendulum, double>;
  CHECK_THROWS_WITH(stepper<Angle>("rk4", 0.1, "standard", "manifold"),
                    ContainsSubstring("this model has no constraints"));
}

}  // namespace
}  // namespace cotangent::integrators
