// SPDX-License-Identifier: BSD-3-Clause
// Collocation in differential form: orders, the direction of time, symmetry, energies, and the control that
// lacks each. Measured values of other implementations in extended precision stand beside the bounds.
#include "catch.hpp"
#include "fitted_order.hpp"
#include "integrators/chebyshev_collocation.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/models/kepler.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

/// The eigenvalues' moduli, less 1, of one step on x'' = -x: determinant and trace of its matrix.
struct Spectrum {
  double determinant, modulus;  ///< both less 1
};
Spectrum oscillator(int degree, const std::string& treatment, double step) {
  const mechanics::System<mechanics::HarmonicOscillator, double> system;
  const auto map = [&](double q, double v) {
    return run<ChebyshevLobattoCollocation>(system, {0.0, {q, 0.0}, {v, 0.0}}, step,
                                            fixed(step, degree, treatment));
  };
  const auto a = map(1, 0), b = map(0, 1);
  const double determinant = a.q[0] * b.v[0] - a.v[0] * b.q[0], half_trace = 0.5 * (a.q[0] + b.v[0]);
  REQUIRE(half_trace * half_trace < determinant);  // a conjugate pair
  return {determinant - 1, std::sqrt(determinant) - 1};
}

template <template <class> class Method, class System>
double there_and_back(const System& system, const State<double, 2>& start, double step, int degree,
                      const std::string& treatment) {
  const auto there = run<Method>(system, start, step, fixed(step, degree, treatment));
  return distance(run<Method>(system, there, step, fixed(-step, degree, treatment)), start);
}

/// The energy error at the end, and the largest on the way.
struct Drift {
  double last, most;
};
template <template <class> class Method>
Drift energy_drift(double energy, int degree, const std::string& treatment, double step, int steps) {
  using System = HenonHeilesSystem<double>;
  const System system;
  // q1 = 0, q2 = 0.1, q2' = 0, q1' > 0: regular at E = 1/12, chaotic at E = 1/8.
  const double q2 = 0.1, potential = 0.5 * q2 * q2 - q2 * q2 * q2 / 3;
  const State<double, 2> start{0.0, {0.0, q2}, {std::sqrt(2 * (energy - potential)), 0.0}};
  Method<System> method(fixed(step, degree, treatment));
  method.start(system, start, true);
  const double initial = system.energy(start.q, start.v, 0.0);
  Drift drift{0, 0};
  for (int i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed");
    const auto x = method.end();
    drift.last = system.energy(x.q, x.v, x.t) - initial;
    drift.most = std::max(drift.most, std::abs(drift.last));
  }
  return drift;
}

/// On the orbit (3.50) of Chan (2018).
template <template <class> class Method>
test::FittedOrder order_of(const std::vector<double>& steps, int degree, const std::string& treatment) {
  std::vector<double> errors;
  for (const double step : steps)
    errors.push_back(henon_heiles_error<Method>(fixed(step, degree, treatment)));
  return test::fitted_order(steps, errors);
}

}  // namespace

TEST_CASE("time runs forwards: the state at t = 2, signs included") {
  for (const char* treatment : {"A", "C", "E"}) {
    const auto end = run<ChebyshevLobattoCollocation>(
        HenonHeilesSystem<double>{}, henon_heiles_start<double>(), 2, fixed(0.25, 8, treatment));
    CHECK(end.t == within(2, 1e-14));
    CHECK(end.q[0] == within(+0.38752658, 1e-8));
    CHECK(end.q[1] == within(-0.05424211, 1e-8));
    CHECK(end.v[0] == within(-0.12081139, 1e-8));
    CHECK(end.v[1] == within(-0.04813661, 1e-8));
    CHECK(henon_heiles_error<ChebyshevLobattoCollocation>(fixed(0.25, 8, treatment), 2) < 1e-12);
  }
}

TEST_CASE("orders: the degree with A and C, its even part with E") {
  const auto chebyshev = [](int degree, const char* treatment, const std::vector<double>& steps) {
    return order_of<ChebyshevLobattoCollocation>(steps, degree, treatment);
  };
  const std::vector<double> low{0.125, 0.1, 0.0625, 0.03125}, high{0.5, 0.4, 0.3125, 0.25},
      long_ones{1, 0.625, 0.5, 0.25};
  CHECK(chebyshev(3, "A", low) == test::ClaimedOrder{3, 0.2});
  CHECK(chebyshev(4, "A", low) == test::ClaimedOrder{4, 0.2});
  CHECK(chebyshev(7, "A", high) == test::ClaimedOrder{6.8, 0.2});
  CHECK(chebyshev(8, "A", long_ones) == test::ClaimedOrder{8, 0.4});
  CHECK(chebyshev(4, "C", low) == test::ClaimedOrder{4, 0.2});
  CHECK(chebyshev(8, "C", long_ones) == test::ClaimedOrder{8, 0.4});
  CHECK(chebyshev(3, "E", low) == test::ClaimedOrder{2, 0.1});
  CHECK(chebyshev(4, "E", low) == test::ClaimedOrder{4, 0.1});
  CHECK(chebyshev(7, "E", high) == test::ClaimedOrder{6, 0.2});
  CHECK(chebyshev(8, "E", high) == test::ClaimedOrder{8, 0.2});
  for (const int degree : {3, 4, 7, 8}) {
    using Method = ChebyshevLobattoCollocation<HenonHeilesSystem<double>>;
    CHECK(Method::order(fixed(1, degree, "A")) == degree);
    CHECK(Method::order(fixed(1, degree, "E")) == degree - degree % 2);
  }
  const auto lobatto = [](int degree, const char* treatment, const std::vector<double>& steps) {
    return order_of<LobattoCollocation>(steps, degree, treatment);
  };
  CHECK(lobatto(8, "A", long_ones) == test::ClaimedOrder{8, 0.4});
  CHECK(lobatto(7, "E", high) == test::ClaimedOrder{6, 0.2});
  CHECK(lobatto(8, "E", high) == test::ClaimedOrder{8, 0.2});
}

TEST_CASE("errors at t = 10 with A are those of an independent implementation") {
  // Measured there, in the norm over the whole state: 1.2e-8, 3.8e-11, 1.4e-13.
  CHECK(henon_heiles_error<ChebyshevLobattoCollocation>(fixed(1, 8, "A")) == Approx(1.2e-8).epsilon(0.2));
  CHECK(henon_heiles_error<ChebyshevLobattoCollocation>(fixed(0.5, 8, "A")) == Approx(3.8e-11).epsilon(0.2));
  CHECK(henon_heiles_error<ChebyshevLobattoCollocation>(fixed(0.25, 8, "A")) == Approx(1.4e-13).epsilon(0.3));
}

TEST_CASE("with E a step back undoes a step; with A and C it doesn't") {
  const HenonHeilesSystem<double> valley;
  const mechanics::System<mechanics::MagneticChain, double> chain;
  const auto x = henon_heiles_start<double>();
  const State<double, 2> y{0.0, {0.45, 0.2}, {0.3, -0.5}};
  CHECK(there_and_back<ChebyshevLobattoCollocation>(valley, x, 0.5, 8, "E") < 1e-15);
  CHECK(there_and_back<ChebyshevLobattoCollocation>(valley, x, 0.5, 3, "E") < 1e-15);
  CHECK(there_and_back<LobattoCollocation>(valley, x, 0.5, 7, "E") < 1e-15);
  CHECK(there_and_back<ChebyshevLobattoCollocation>(chain, y, 0.25, 4, "E") < 1e-14);
  CHECK(there_and_back<ChebyshevLobattoCollocation>(valley, x, 0.5, 3, "A") > 1e-5);
  CHECK(there_and_back<ChebyshevLobattoCollocation>(valley, x, 0.5, 3, "C") > 1e-5);
  CHECK(there_and_back<ChebyshevLobattoCollocation>(chain, y, 0.25, 4, "A") > 1e-9);
}

TEST_CASE("the harmonic oscillator: C and E keep its area, A grows or damps") {
  for (const int degree : {2, 3, 4, 5, 8}) {
    CHECK(std::abs(oscillator(degree, "C", 0.5).determinant) < 1e-14);
    CHECK(std::abs(oscillator(degree, "E", 0.5).determinant) < 1e-14);
  }
  CHECK(oscillator(2, "A", 0.5).modulus == Approx(-1.9e-3).epsilon(0.03));
  CHECK(oscillator(3, "A", 0.5).modulus == Approx(+1.0e-4).epsilon(0.05));
  CHECK(oscillator(4, "A", 0.5).modulus == Approx(+8e-7).epsilon(0.1));
  CHECK(oscillator(5, "A", 0.5).modulus == Approx(-4.8e-8).epsilon(0.02));
}

TEST_CASE("the energy drifts with A; E and C keep it in bounds") {
  for (const double energy : {1.0 / 12, 1.0 / 8}) {
    const auto a = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "A", 1, 2000);
    const auto a_long = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "A", 1, 6000);
    CHECK(a_long.last > 2 * a.last);
    CHECK(a.last > 2e-7);  // +2.4e-6 and +3.8e-6 after 10 000
    const auto e = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "E", 1, 6000);
    CHECK(e.most < 5e-7);  // 1.2e-8 and 2.2e-7
    const auto c = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "C", 1, 6000);
    CHECK(c.most < 5e-7);  // 5.1e-8 and 1.8e-7
    const auto lobatto = energy_drift<LobattoCollocation>(energy, 8, "E", 1, 6000);
    CHECK(lobatto.most < 1e-6);
    CHECK(a_long.last > 3 * e.most);
  }
}

TEST_CASE("energies after a time of 10 000", "[long]") {
  for (const double energy : {1.0 / 12, 1.0 / 8}) {
    const bool regular = energy < 0.1;
    const auto a = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "A", 1, 10000);
    CHECK(a.last == Approx(regular ? 2.4e-6 : 3.8e-6).epsilon(0.5));
    const auto e = energy_drift<ChebyshevLobattoCollocation>(energy, 8, "E", 1, 10000);
    CHECK(e.most < 5e-7);
    const auto a12 = energy_drift<ChebyshevLobattoCollocation>(energy, 12, "A", 2, 5000);
    CHECK(std::abs(a12.last) == Approx(regular ? 2.7e-8 : 4.6e-8).epsilon(0.5));
    const auto e7 = energy_drift<ChebyshevLobattoCollocation>(energy, 7, "E", 1, 10000);
    CHECK(e7.most < 2e-6);
  }
}

TEST_CASE("the polynomial, its Bernstein form and a shorter step agree") {
  using System = HenonHeilesSystem<double>;
  const System system;
  for (const char* treatment : {"A", "C", "E"}) {
    ChebyshevLobattoCollocation<System> method(fixed(0.5, 10, treatment));
    method.start(system, henon_heiles_start<double>(), true);
    for (int i = 0; i < 3; ++i) REQUIRE(method.advance(system, true));
    CHECK(method.degree() == 10);
    CHECK(distance(method.dense(0.0), method.begin()) < 1e-9);
    CHECK(distance(method.dense(1.0), method.end()) < 1e-14);
    for (const double theta : {0.1, 0.5, 0.9}) {
      const auto x = method.dense(theta);
      CHECK(x.t == within(1 + 0.5 * theta, 1e-15));
      for (int n = 0; n < 2; ++n) {
        std::array<double, max_degree + 1> b;
        method.bernstein(n, b.data());
        for (int level = method.degree(); level > 0; --level) {
          for (int k = 0; k < level; ++k) b[k] += theta * (b[k + 1] - b[k]);
        }
        CHECK(b[0] == within(x.q[n], 1e-15));
      }
      CHECK(distance(x, method.again(system, theta, true)) < 1e-11);
    }
  }
}

TEST_CASE("the step follows the tolerance") {
  const State<double, 2> start{0.0, {0.4, 0.0}, {0.0, 2.0}};  // eccentricity 0.6
  for (const char* treatment : {"A", "E"}) {
    double last = 0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10}) {
      const auto done =
          revolution<ChebyshevLobattoCollocation>(start, adaptive(tolerance, 8, treatment, 0.01));
      CHECK(done.error < 100 * tolerance);
      CHECK(done.longest > 4 * done.shortest);
      CHECK(done.attempts < 1.5 * done.taken);
      if (last > 0) CHECK(done.error < 0.2 * last);
      last = done.error;
    }
  }
}

TEST_CASE("no tolerance is taken below what velocities round by") {
  const State<double, 2> start{0.0, {0.4, 0.0}, {0.0, 2.0}};
  MethodOptions options = adaptive(1e-16, 16, "E", 0.01);
  using System = mechanics::System<mechanics::Kepler, double>;
  const System system;
  ChebyshevLobattoCollocation<System> method(options);
  method.start(system, start, true);
  int attempts = 0;
  for (; method.end().t < 6.3 && attempts < 400; ++attempts) method.advance(system, true);
  CHECK(attempts < 200);
  CHECK(revolution<ChebyshevLobattoCollocation>(start, adaptive(2e-13, 16, "E", 0.01)).error < 1e-12);
}

TEST_CASE("options that make no sense are refused, with the valid ones in the text") {
  using Method = ChebyshevLobattoCollocation<HenonHeilesSystem<double>>;
  CHECK_THROWS_WITH(Method(fixed(0.1, 8, "B")), ContainsSubstring("'B'") && ContainsSubstring("A, C, E"));
  CHECK_THROWS_WITH(Method(fixed(0.1, 1)), ContainsSubstring("2 to 16"));
  CHECK_THROWS_WITH(Method(fixed(0.1, 17)), ContainsSubstring("17"));
}

TEST_CASE("a step that can't be solved is a failure, and the last good state stays") {
  using System = HenonHeilesSystem<double>;
  const System system;
  ChebyshevLobattoCollocation<System> method(fixed(0.5));
  method.start(system, {0.0, {0.0, 3.0}, {0.0, 5.0}}, true);  // escapes
  int steps = 0;
  while (steps < 1000 && method.advance(system, true)) ++steps;
  CHECK(steps < 1000);
  CHECK(method.failure() == static_cast<double>(Status::newton_diverged));
  CHECK(std::isfinite(method.end().q[1]));
  CHECK(method.end().t == within(0.5 * steps, 1e-12));
}
