// SPDX-License-Identifier: BSD-3-Clause
// RATTLE's motion against other knowledge of it: periods of a pendulum, the double pendulum by Gauss
// collocation, energy, reversibility.
#include <numbers>

#include "dense_rattle.hpp"
#include "fitted_order.hpp"
#include "integrators/gauss.hpp"
#include "la/petsc.hpp"
#include "mechanics/models/double_pendulum.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

RodOptions step(double h) {
  RodOptions options;
  options.step = h;
  return options;
}

/// Twice the time between the first two passages of the lowest point, each by a cubic through four steps.
double period(double amplitude, double h) {
  const auto pendulum = rod_chain<2>(1, 1.0, 1.0, 1.0, amplitude, false);
  RodRattle<2> rattle(pendulum, step(h));
  std::vector<double> x{std::sin(amplitude)}, passages;
  while (passages.size() < 2) {
    REQUIRE(rattle.advance() == Status::pending);  // the same on every rank
    x.push_back(test::state(rattle, 2)[2]);
    const std::size_t n = x.size() - 1;
    if (n < 4 || x[n - 2] * x[n - 1] > 0) continue;
    // Inverse interpolation of t(x) at x = 0.
    double t = 0;
    for (std::size_t i = n - 3; i <= n; ++i) {
      double weight = 1;
      for (std::size_t j = n - 3; j <= n; ++j) {
        if (j != i) weight *= -x[j] / (x[i] - x[j]);
      }
      t += weight * h * static_cast<double>(i);
    }
    passages.push_back(t);
  }
  return 2 * (passages[1] - passages[0]);
}

}  // namespace

TEST_CASE("one rod is the pendulum, with its periods") {
  const la::Petsc petsc;
  // 4 K(sin(amplitude / 2))
  for (const auto& [amplitude, exact] :
       {std::pair(0.1, 6.2871145493104800), std::pair(1.0, 6.6999756643704527),
        std::pair(2.0, 8.3497529269184947)}) {
    const std::vector<double> steps{0.08, 0.06, 0.04, 0.02};
    std::vector<double> periods, errors;
    for (const double h : steps) {
      periods.push_back(period(amplitude, h));
      errors.push_back(std::abs(periods.back() - exact));
    }
    const auto order = test::fitted_order(steps, errors);
    CAPTURE(amplitude, order, errors);
    CHECK_ALL(order == test::ClaimedOrder{2, 0.02, 0.005});
    CHECK_ALL(std::abs((4 * periods[3] - periods[2]) / 3 - exact) < 2e-6);  // measured: 4e-7
    CHECK_ALL(errors[2] > 1e-4);                                            // there is something to fit
  }
}

TEST_CASE("two rods are the double pendulum") {
  const la::Petsc petsc;
  using System = mechanics::System<mechanics::DoublePendulum, double>;
  const System system;
  integrators::MethodOptions how;
  how.stages = 8;
  how.step = 0.05;
  integrators::Gauss<System> gauss(how);
  gauss.start(system, {0.0, {1.0, 2.0}, {0.0, 0.0}}, true);
  for (int k = 0; k < 60; ++k) gauss.advance(system, true);
  const auto end = gauss.end();
  const double exact[4] = {std::sin(end.q[0]), -std::cos(end.q[0]), std::sin(end.q[0]) + std::sin(end.q[1]),
                           -std::cos(end.q[0]) - std::cos(end.q[1])};

  RodSystem<2> chain = rod_chain<2>(2, 1.0, 1.0, 1.0, 1.0, false);
  chain.position[2] = {std::sin(1.0) + std::sin(2.0), -std::cos(1.0) - std::cos(2.0)};
  const std::vector<double> steps{0.02, 0.0125, 0.01, 0.005};
  std::vector<double> errors;
  for (const double h : steps) {
    RodRattle<2> rattle(chain, step(h));
    for (int k = 0; k < std::lround(3.0 / h); ++k) REQUIRE(rattle.advance() == Status::pending);
    const auto state = test::state(rattle, 3);
    double error = 0;
    for (std::size_t i = 0; i < 4; ++i) error = std::max(error, std::abs(state[2 + i] - exact[i]));
    errors.push_back(error);
  }
  const auto order = test::fitted_order(steps, errors);
  CAPTURE(order, errors);
  CHECK_ALL(order == test::ClaimedOrder{2, 0.01, 0.005});
  CHECK_ALL(errors[3] < 5e-5);  // measured: 2.0e-5
  CHECK_ALL(errors[3] > 1e-9);
}

TEST_CASE("the energy doesn't drift, and that of projected Euler does") {
  const la::Petsc petsc;
  const auto chain = rod_chain<2>(4, 0.25, 0.25, 1.0, 1.2, false);
  const double h = 0.01;
  const int steps = parallel::size() == 1 ? 12000 : 800;  // ranks may outnumber cores here
  RodRattle<2> rattle(chain, step(h));
  const double start = rattle.kinetic_energy() + rattle.potential_energy();
  double early = 0, late = 0, constraint = 0, tangent = 0;
  for (int k = 0; k < steps; ++k) {
    REQUIRE(rattle.advance() == Status::pending);
    if (k % 10 == 0 && (k < steps / 4 || k >= 3 * steps / 4))
      (k < steps / 4 ? early : late) += rattle.kinetic_energy() + rattle.potential_energy() - start;
    constraint = std::max(constraint, rattle.constraint_error());
    tangent = std::max(tangent, rattle.velocity_error());
  }
  early /= steps / 40;
  late /= steps / 40;
  INFO("mean energy error of the first and last quarter " << early << ", " << late << "; |g|/|grad g| "
                                                          << constraint << ", |G v| " << tangent);
  CHECK_ALL(std::abs(late - early) < (parallel::size() == 1 ? 2e-6 : 1e-4));  // measured: 1.4e-7
  CHECK_ALL(constraint <= 1e-14);
  CHECK_ALL(tangent <= 1e-14);

  test::DenseRattle<2, double> euler(chain);
  const double before = euler.energy();
  for (int k = 0; k < 1000; ++k) euler.advance_by_euler(h);
  INFO("projected Euler, a twelfth of the time: " << euler.energy() - before);
  CHECK_ALL(std::abs(euler.energy() - before) > 1e-2);  // measured: 3.5e-2
}

TEST_CASE("steps back lead to the start, unless the constraints are kept carelessly") {
  const la::Petsc petsc;
  const auto chain = test::uneven_chain<3>(20, 3.0, false, false);
  const auto there_and_back = [&](double tolerance) {
    RodOptions options = step(0.01);
    options.project = true;
    options.tolerance = tolerance;
    RodRattle<3> forth(chain, options);
    const auto start = test::state(forth, chain.mass.size());
    for (int k = 0; k < 100; ++k) REQUIRE(forth.advance() == Status::pending);
    const auto far = test::state(forth, chain.mass.size());
    RodSystem<3> end = chain;
    const std::size_t points = chain.mass.size();
    for (std::size_t i = 0; i < 3 * points; ++i) {
      end.position[i / 3][i % 3] = far[i];
      end.velocity[i / 3][i % 3] = far[3 * points + i];
    }
    options.step = -0.01;
    RodRattle<3> back(end, options);
    for (int k = 0; k < 100; ++k) REQUIRE(back.advance() == Status::pending);
    const auto again = test::state(back, points);
    double apart = 0;
    for (std::size_t i = 0; i < start.size(); ++i) apart = std::max(apart, std::abs(again[i] - start[i]));
    return apart;
  };
  const double careful = there_and_back(0.0), careless = there_and_back(1e-3);
  INFO("there and back: " << careful << ", at a tolerance of 1e-3: " << careless);
  CHECK_ALL(careful < 1e-12);  // measured: 1.6e-14
  CHECK_ALL(careless > 1e-4);  // measured: 5.9e-3
}

TEST_CASE("a point held on a sphere moves as one on a rod from its centre does") {
  const la::Petsc petsc(std::vector<std::string>{});
  const HoldingSurface<3> sphere{
      [](const std::array<double, 3>& q) {
        HoldingSurface<3>::Level level{-1.0, {}};
        for (int d = 0; d < 3; ++d) {
          level.value += q[d] * q[d];
          level.gradient[d] = 2 * q[d];
        }
        return level;
      },
      [](const auto&, const auto& v) { return 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }};
  auto pendulum = rod_chain<3>(1, 1.0, 1.0, 1.0, 1.2, false);
  pendulum.velocity[1] = {0.0, 0.8, 0.0};
  RodSystem<3> held;
  held.gravity = pendulum.gravity;
  held.position = {pendulum.position[1]};
  held.velocity = {pendulum.velocity[1]};
  held.mass = {1.0};
  held.rods = {{0, nowhere, 0.0}};
  held.surface = sphere;
  RodRattle<3> on_rod(pendulum, step(0.01)), on_sphere(held, step(0.01));
  for (int k = 0; k < 500; ++k) {
    REQUIRE(on_rod.advance() == Status::pending);
    REQUIRE(on_sphere.advance() == Status::pending);
  }
  const auto a = test::state(on_rod, 2), b = test::state(on_sphere, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    CHECK_ALL(std::abs(a[3 + d] - b[d]) < 1e-12);
    CHECK_ALL(std::abs(a[9 + d] - b[3 + d]) < 1e-12);
  }
}
