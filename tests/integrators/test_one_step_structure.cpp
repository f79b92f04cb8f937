// SPDX-License-Identifier: BSD-3-Clause
// What the one-step methods conserve, and the methods that don't as the control.
#include "catch.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/implicit_midpoint.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "integrators/trapezoidal.hpp"
#include "mechanics/models/kepler.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

/// The energy error's range over fixed steps on the orbit (3.50) of Chan (2018; orbits.hpp).
struct Range {
  double least, most;
};
template <template <class> class Method>
Range energy_errors(double step, int steps) {
  using System = HenonHeilesSystem<double>;
  const System system;
  const auto start = henon_heiles_start<double>();
  Method<System> method(fixed(step));
  method.start(system, start, true);
  const double energy = system.energy(start.q, start.v, 0.0);
  Range range{0, 0};
  for (int i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed");
    const auto x = method.end();
    const double error = system.energy(x.q, x.v, x.t) - energy;
    range = {std::min(range.least, error), std::max(range.most, error)};
  }
  return range;
}

using mechanics::MagneticChain;

/// The largest entry of J^T Omega J - Omega for one step in (q, p), J by central differences.
template <template <class> class Method, class Model = MagneticChain>
double symplectic_defect(double step, int stages = 8) {
  const mechanics::System<Model, double> system;
  const std::array<double, 2> q{0.5, 0.15}, v{0.4, -0.7};
  const auto p = system.momentum(q, v, 0.0);
  const auto map = [&](std::array<double, 4> x) {
    const std::array<double, 2> position{x[0], x[1]};
    const auto velocity = system.velocity(position, {x[2], x[3]}, v, 0.0);
    const auto end = run<Method>(system, {0.0, position, velocity}, step, fixed(step, stages));
    const auto momentum = system.momentum(end.q, end.v, end.t);
    return std::array<double, 4>{end.q[0], end.q[1], momentum[0], momentum[1]};
  };
  const double difference = 1e-5;
  double jacobian[4][4];
  for (int j = 0; j < 4; ++j) {
    std::array<double, 4> up{q[0], q[1], p[0], p[1]}, down = up;
    up[j] += difference;
    down[j] -= difference;
    const auto a = map(up), b = map(down);
    for (int i = 0; i < 4; ++i) jacobian[i][j] = (a[i] - b[i]) / (2 * difference);
  }
  double worst = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double sum = 0;
      for (int n = 0; n < 2; ++n)
        sum += jacobian[n][i] * jacobian[n + 2][j] - jacobian[n + 2][i] * jacobian[n][j];
      worst = std::max(worst, std::abs(sum - (j == i + 2) + (i == j + 2)));
    }
  }
  return worst;
}

/// One step there and one back.
template <template <class> class Method, class Model = MagneticChain>
double there_and_back(double step, int stages = 8) {
  const mechanics::System<Model, double> system;
  const State<double, 2> start{0.0, {0.5, 0.15}, {0.4, -0.7}};
  const auto there = run<Method>(system, start, step, fixed(step, stages));
  return distance(run<Method>(system, there, step, fixed(-step, stages)), start);
}

/// The drift of the angular momentum on an ellipse of eccentricity 0.6.
template <template <class> class Method>
double angular_momentum_drift() {
  const mechanics::System<mechanics::Kepler, double> system;
  const auto end = run<Method>(system, {0.0, {0.4, 0.0}, {0.0, 2.0}}, 10, fixed(1.0 / 128));
  return std::abs(end.q[0] * end.v[1] - end.q[1] * end.v[0] - 0.8);
}

}  // namespace

TEST_CASE("explicit Euler gains energy, implicit Euler loses it, symplectic methods keep it in bounds") {
  const auto gains = energy_errors<ExplicitEuler>(0.01, 2000);
  CHECK(gains.most > 1e-2);  // measured: 1.7e-2 of 7.7e-2
  CHECK(gains.least >= 0);
  const auto loses = energy_errors<ImplicitEuler>(0.01, 2000);
  CHECK(loses.least < -1e-2);
  CHECK(loses.most <= 0);
  // Bounded: ten times as long, and no further.
  const auto euler = energy_errors<SymplecticEuler>(0.05, 4000),
             euler_long = energy_errors<SymplecticEuler>(0.05, 40000);
  CHECK(euler_long.most - euler_long.least < 1.2 * (euler.most - euler.least));
  const auto verlet = energy_errors<StormerVerlet>(0.05, 4000),
             verlet_long = energy_errors<StormerVerlet>(0.05, 40000);
  CHECK(verlet_long.most - verlet_long.least < 1.2 * (verlet.most - verlet.least));
  // The trapezoidal rule isn't symplectic, but in other coordinates (below).
  const auto trapezoidal = energy_errors<Trapezoidal>(0.05, 4000),
             trapezoidal_long = energy_errors<Trapezoidal>(0.05, 40000);
  CHECK(trapezoidal_long.most - trapezoidal_long.least < 1.2 * (trapezoidal.most - trapezoidal.least));
  const auto rk4 = energy_errors<Rk4>(0.2, 1000), rk4_long = energy_errors<Rk4>(0.2, 10000);
  CHECK(rk4_long.most - rk4_long.least > 5 * (rk4.most - rk4.least));  // the control drifts
}

TEST_CASE("which one-step methods are symplectic for any Lagrangian") {
  CHECK(symplectic_defect<SymplecticEuler>(0.1) < 1e-8);
  CHECK(symplectic_defect<StormerVerlet>(0.1) < 1e-8);
  CHECK(symplectic_defect<ExplicitEuler>(0.1) > 1e-2);
  CHECK(symplectic_defect<ImplicitEuler>(0.1) > 1e-2);
  CHECK(symplectic_defect<Rk4>(0.1) > 1e-6);
}

TEST_CASE("which one-step methods are symmetric") {
  CHECK(there_and_back<StormerVerlet>(0.1) < 1e-14);
  CHECK(there_and_back<ImplicitMidpoint>(0.1) < 1e-14);
  CHECK(there_and_back<Trapezoidal>(0.1) < 1e-14);
  CHECK(there_and_back<SymplecticEuler>(0.1) > 1e-3);
}

TEST_CASE("the trapezoidal rule is the implicit midpoint rule seen half an explicit Euler step later") {
  const HenonHeilesSystem<double> system;
  const auto start = henon_heiles_start<double>();
  const double step = 0.5;
  const auto half = [&](const State<double, 2>& x) {
    return run<ExplicitEuler>(system, x, step / 2, fixed(step / 2));
  };
  const auto midpoint = run<ImplicitMidpoint>(system, half(start), step, fixed(step));
  CHECK(distance(midpoint, half(run<Trapezoidal>(system, start, step, fixed(step)))) < 1e-14);
  CHECK(distance(midpoint, half(run<StormerVerlet>(system, start, step, fixed(step)))) >
        1e-4);  // the control
  CHECK(symplectic_defect<ImplicitMidpoint, mechanics::HenonHeiles>(step) < 1e-8);
  CHECK(symplectic_defect<Trapezoidal, mechanics::HenonHeiles>(step) > 1e-2);  // so not itself symplectic
}

TEST_CASE("the variational methods conserve angular momentum") {
  CHECK(angular_momentum_drift<SymplecticEuler>() < 1e-14);
  CHECK(angular_momentum_drift<StormerVerlet>() < 1e-14);
  CHECK(angular_momentum_drift<Rk4>() > 1e-10);
}

TEST_CASE("Gauss collocation is symplectic and symmetric at any number of stages, in either form") {
  for (const int stages : {1, 2, 3, 8}) {
    INFO(stages << " stages");
    CHECK(symplectic_defect<Gauss>(0.25, stages) < 1e-8);
    CHECK(symplectic_defect<Gauss, mechanics::HenonHeiles>(0.5, stages) < 1e-8);
    CHECK(there_and_back<Gauss>(0.25, stages) < 1e-14);
    CHECK(there_and_back<Gauss, mechanics::HenonHeiles>(0.5, stages) < 1e-15);
    CHECK(there_and_back<Gauss, GeneralHenonHeiles>(0.5, stages) < 1e-15);
  }
  CHECK(symplectic_defect<Rk4>(0.25) > 1e-5);
  CHECK(there_and_back<Rk4>(0.25) > 1e-5);
  CHECK(symplectic_defect<Rk4, mechanics::HenonHeiles>(0.5) > 1e-5);
  CHECK(there_and_back<Rk4, mechanics::HenonHeiles>(0.5) > 1e-5);
}
