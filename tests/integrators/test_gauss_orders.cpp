// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation: order 2 s, the states of independent computations, energies over long times.
#include "catch.hpp"
#include "integrators/gauss.hpp"
#include "integrators/rk4.hpp"
#include "mechanics/models/double_pendulum.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
using numerics::Lanes;

namespace {

using Pendulum = mechanics::System<mechanics::DoublePendulum, double>;
const State<double, 2> swing{0.0, {1.4, 0.6}, {0.3, -0.9}};

/// At time 2.
test::FittedOrder pendulum_order(int stages, const std::vector<double>& steps) {
  const double time = 2;
  const Pendulum system;
  const auto reference = run<Gauss>(system, swing, time, fixed(0.03125, 12));
  std::vector<double> errors;
  for (const double step : steps) {
    errors.push_back(distance(run<Gauss>(system, swing, time, fixed(step, stages)), reference));
  }
  return fitted_order(steps, errors);
}

/// Eight orbits of Henon-Heiles at E = 1/8 on the section q1 = 0.
State<Lanes<8>, 2> henon_heiles_pack() {
  State<Lanes<8>, 2> x;
  for (int i = 0; i < 8; ++i) {
    const double q2 = -0.25 + 0.07 * i, v2 = 0.05 + 0.02 * (i % 3);
    x.q[1].set(i, q2);
    x.v[1].set(i, v2);
    x.v[0].set(i, std::sqrt(0.25 - q2 * q2 + 2 * q2 * q2 * q2 / 3 - v2 * v2));
  }
  return x;
}

/// Eight orbits of the upright chain at E = -9.74 (alpha = 18) on the section t = 0, p_t > 0.
template <class System>
State<Lanes<8>, 2> chain_pack(const System& system) {
  State<Lanes<8>, 2> x;
  for (int i = 0; i < 8; ++i) {
    const double s = -0.03 + 0.06 * i / 7, w = 0.13 - 0.26 * ((i * 3) % 8) / 7, c = std::cos(s);
    const double U = system.energy({0.0, s}, {0.0, 0.0}, 0.0)[0];
    const double a = 3.4 + 2 * c, b = (2.4 + c) * w, rest = 0.7 * w * w - (-9.74 - U);
    x.q[1].set(i, s);
    x.v[1].set(i, w);
    x.v[0].set(i, (-b + std::sqrt(b * b - 4 * a * rest)) / (2 * a));
  }
  return x;
}

/// Largest and mean energy error of all lanes over the first and the last tenth of a run.
struct EnergyErrors {
  double most = 0;
  std::array<double, 8> early{}, late{};
  double drift() const {
    double sum = 0;
    for (int i = 0; i < 8; ++i) sum += std::pow(late[i] - early[i], 2);
    return std::sqrt(sum / 8);
  }
};
template <class Model>
EnergyErrors energy_errors(const mechanics::System<Model, Lanes<8>>& system, const State<Lanes<8>, 2>& start,
                           double time, const MethodOptions& options) {
  using R = Lanes<8>;
  Gauss<mechanics::System<Model, R>> method(options);
  const numerics::Mask<8> everybody(true);
  method.start(system, start, everybody);
  const R energy = system.energy(start.q, start.v, start.t);
  EnergyErrors errors;
  std::array<long, 8> early{}, late{};
  for (auto x = start; any(x.t < R(time));) {
    method.advance(system, everybody);
    x = method.end();
    const R error = system.energy(x.q, x.v, x.t) - energy;
    for (int i = 0; i < 8; ++i) {
      if (method.failure()[i] != 0) FAIL("lane " << i << " failed at t = " << x.t[i]);
      errors.most = std::max(errors.most, std::abs(error[i]));
      if (x.t[i] < 0.1 * time) errors.early[i] += (error[i] - errors.early[i]) / ++early[i];
      if (x.t[i] > 0.9 * time) errors.late[i] += (error[i] - errors.late[i]) / ++late[i];
    }
  }
  return errors;
}

}  // namespace

TEST_CASE("order 2 s where the mass is constant") {
  CHECK(henon_heiles_order<Gauss>({0.2, 0.1, 0.05}, fixed(0, 1)) == test::ClaimedOrder{2, 0.1});
  CHECK(henon_heiles_order<Gauss>({0.5, 0.25, 0.125}, fixed(0, 2)) == test::ClaimedOrder{4, 0.15});
  CHECK(henon_heiles_order<Gauss>({1.0, 0.5, 0.25}, fixed(0, 3)) == test::ClaimedOrder{6, 0.3});
  CHECK(henon_heiles_order<Gauss>({1.25, 1.0, 0.625}, fixed(0, 4)) == test::ClaimedOrder{8, 0.4});
  CHECK(henon_heiles_order<Gauss>({1.25, 1.0, 0.625}, fixed(0, 5)) == test::ClaimedOrder{10, 0.5});
  CHECK(henon_heiles_order<Rk4>({0.25, 0.125, 0.0625}).order < 5.5);  // the control has order 4
}

TEST_CASE("order 2 s where the mass depends on the coordinates") {
  const std::vector<double> halved{0.0625, 0.03125, 0.015625}, close{0.0625, 0.05, 0.04};
  CHECK(pendulum_order(1, halved) == test::ClaimedOrder{2, 0.05});  // measured: 2.00
  CHECK(pendulum_order(2, halved) == test::ClaimedOrder{4, 0.05});  // 4.00
  CHECK(pendulum_order(3, halved) == test::ClaimedOrder{6, 0.1});   // 6.00
  CHECK(pendulum_order(4, close) == test::ClaimedOrder{8, 0.2});    // 7.96
  CHECK(pendulum_order(5, close) == test::ClaimedOrder{10, 0.3});   // 9.98
}

TEST_CASE("states of an orbit computed with 40 digits") {
  const mechanics::System<GeneralHenonHeiles, double> general;
  for (const auto& reference : reference::henon_heiles_states) {
    const auto& x = reference.state;
    const State<double, 2> expected{reference.time, {x[0], x[1]}, {x[2], x[3]}};
    const auto start = henon_heiles_start<double>();
    // Round-off grows along the orbit, by the square of time.
    const double bound = reference.time <= 20 ? 1e-13 : 1e-12;
    CHECK(distance(run<Gauss>(HenonHeilesSystem<double>{}, start, reference.time, fixed(0.5)), expected) <
          bound);
    CHECK(distance(run<Gauss>(general, start, reference.time, fixed(0.5)), expected) < bound);
  }
}

TEST_CASE("both forms solve the same equations") {
  const HenonHeilesSystem<double> system;
  const mechanics::System<GeneralHenonHeiles, double> general;
  static_assert(system.constant_mass && !general.constant_mass);
  const auto start = henon_heiles_start<double>();
  for (const int stages : {1, 2, 3, 6, 8, 13, 16}) {
    // The longest step is beyond the fixed-point iteration: there it is Newton's method in either form.
    for (const double step : {0.25, 1.0, stages > 1 ? 2.5 : 1.5}) {
      INFO(stages << " stages, h = " << step);
      CHECK(distance(run<Gauss>(system, start, 3 * step, fixed(step, stages)),
                     run<Gauss>(general, start, 3 * step, fixed(step, stages))) < 1e-14);
    }
  }
}

TEST_CASE("a stiff oscillator, far beyond what a fixed-point iteration bears") {
  // omega h = 50: the rational function of the method turns (omega q, v) by the angle of P_s(i 50)/P_s(-i
  // 50).
  mechanics::System<mechanics::HarmonicOscillator, double> system;
  system.parameters = {100.0, 1.0};
  const State<double, 2> start{0.0, {0.01, 0.3}, {0.5, 0.1}};
  for (const int stages : {1, 2, 8}) {
    INFO(stages << " stages");
    const auto end = run<Gauss>(system, start, 50, fixed(0.5, stages));
    CHECK(system.energy(end.q, end.v, 0.0) ==
          Approx(system.energy(start.q, start.v, 0.0)).epsilon(1e-12).margin(0));
    const auto one = run<Gauss>(system, start, 0.5, fixed(0.5, stages));
    if (stages == 1) {  // (1 + z/2)/(1 - z/2), z = i omega h
      const double angle = 2 * std::atan(25.0);
      CHECK(one.q[0] == within(0.01 * std::cos(angle) + 0.005 * std::sin(angle), 1e-15));
      CHECK(one.v[0] == within(0.5 * std::cos(angle) - 1.0 * std::sin(angle), 1e-13));
    }
  }
}

TEST_CASE("energies stay at round-off: Henon-Heiles at E = 1/8") {
  const HenonHeilesSystem<Lanes<8>> system;
  const auto start = henon_heiles_pack();
  CHECK(energy_errors(system, start, 2000, fixed(0.75)).most < 0.125 * 1e-13);  // measured: 2e-15
  CHECK(energy_errors(system, start, 2000, fixed(0.5)).most < 0.125 * 1e-13);
  CHECK(energy_errors(system, start, 2000, adaptive(1e-13, 8)).most < 0.125 * 1e-12);
  CHECK(energy_errors(system, start, 2000, fixed(0.75, 4)).most > 0.125 * 1e-9);  // the control
}

TEST_CASE("energies wander as round-off does, and don't drift", "[long]") {
  // A hundred times longer, a random walk goes ten times farther, a drift a hundred times.
  const HenonHeilesSystem<Lanes<8>> system;
  const auto start = henon_heiles_pack();
  const double once = energy_errors(system, start, 4e3, fixed(0.5)).drift();
  const double later = energy_errors(system, start, 4e5, fixed(0.5)).drift();
  CHECK(later < 50 * once);      // measured: 31
  CHECK(later < 0.125 * 2e-13);  // measured: 1e-13
}

TEST_CASE("energies stay at round-off: the upright chain at E = -9.74") {
  const mechanics::System<mechanics::MagneticChain, Lanes<8>> system;
  const auto start = chain_pack(system);
  CHECK(energy_errors(system, start, 1000, fixed(0.8, 10)).most < 1e-12);
  CHECK(energy_errors(system, start, 1000, fixed(1.0, 12)).most < 1e-12);
  CHECK(energy_errors(system, start, 1000, fixed(0.75, 12)).most < 5e-14);
  CHECK(energy_errors(system, start, 1000, adaptive(1e-10, 10)).most < 1e-11);
  CHECK(energy_errors(system, start, 1000, fixed(0.8, 6)).most > 1e-9);  // the control
}
