// SPDX-License-Identifier: BSD-3-Clause
// Dense output of Gauss collocation: errors inside the step against a finer computation, and the honesty of
// dense_is_exact().
#include <random>

#include "catch.hpp"
#include "integrators/gauss.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

/// Worst errors over random places in the steps of a run, relative to the largest velocity of the step.
struct DenseErrors {
  double plain = 0, refined = 0, again = 0;
  double exact = 0;    ///< of the refined polynomial in steps that claim to be exact
  double claimed = 0;  ///< the fraction of steps that do
};

template <class System>
DenseErrors dense_errors(const System& system, const State<double, 2>& start, double time,
                         const MethodOptions& options) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Gauss<System> method(options);
  method.start(system, start, true);
  DenseErrors errors;
  int steps = 0;
  for (; method.end().t < time; ++steps) {
    REQUIRE(method.advance(system, true));
    const double scale = std::max({std::abs(method.begin().v[0]), std::abs(method.begin().v[1]),
                                   std::abs(method.end().v[0]), std::abs(method.end().v[1])});
    const double theta = uniform(random), part = theta * method.step();
    State<double, 2> from = method.begin();
    from.t = 0;
    const auto expected = run<Gauss>(system, from, part, fixed(part / 4, 12));
    const auto error = [&](const State<double, 2>& x) { return distance(x, expected) / scale; };
    errors.plain = std::max(errors.plain, error(method.dense(theta)));
    method.refine(system);
    const double refined = error(method.dense(theta));
    errors.refined = std::max(errors.refined, refined);
    errors.again = std::max(errors.again, error(method.again(system, theta, true)));
    if (method.dense_is_exact()) {
      errors.exact = std::max(errors.exact, refined);
      errors.claimed += 1;
    }
  }
  errors.claimed /= steps;
  return errors;
}

/// Henon-Heiles at E = 1/8.
const State<double, 2> star{0.0, {0.0, 0.2}, {std::sqrt(0.25 - 0.04 + 2 * 0.008 / 3 - 0.0025), 0.05}};

}  // namespace

TEST_CASE("dense output of Henon-Heiles: its errors, and where it says that it has none") {
  const HenonHeilesSystem<double> system;
  const mechanics::System<GeneralHenonHeiles, double> general;
  // Measured at s = 8, h = 0.75: the polynomial 2e-9, with the step's ends 3e-11, by stepping again 5e-16.
  const auto usual = dense_errors(system, star, 200, fixed(0.75, 8));
  CHECK(usual.plain < 1e-8);
  CHECK(usual.refined < 1e-10);
  CHECK(usual.refined < usual.plain / 10);
  CHECK(usual.again < 5e-15);
  CHECK(usual.claimed == 0);

  for (const int stages : {6, 8, 10, 12}) {
    for (const double step : {0.125, 0.25, 0.5, 0.75, 1.0}) {
      INFO(stages << " stages, h = " << step);
      CHECK(dense_errors(system, star, 50, fixed(step, stages)).exact < 1e-13);
      CHECK(dense_errors(general, star, 50, fixed(step, stages)).exact < 1e-13);
    }
  }
  CHECK(dense_errors(system, star, 50, fixed(0.25, 8)).claimed == 1);
  CHECK(dense_errors(system, star, 50, fixed(0.5, 10)).claimed == 1);
  CHECK(dense_errors(system, star, 50, fixed(0.75, 12)).claimed == 1);
  CHECK(dense_errors(general, star, 50, fixed(0.5, 12)).claimed == 1);
}

TEST_CASE("dense output of the magnetic chain") {
  const mechanics::System<mechanics::MagneticChain, double> chain;
  const State<double, 2> start{0.0, {0.0, 0.0}, {0.00784585292888, 0.1}};
  const auto usual = dense_errors(chain, start, 100, fixed(0.8, 12));
  CHECK(usual.refined < 1e-8);  // measured: 4e-9
  CHECK(usual.again < 1e-13);   // measured: 2e-14
  for (const int stages : {10, 12, 14}) {
    for (const double step : {0.25, 0.5, 0.8}) {
      INFO(stages << " stages, h = " << step);
      CHECK(dense_errors(chain, start, 50, fixed(step, stages)).exact < 2e-13);
    }
  }
  CHECK(dense_errors(chain, start, 50, fixed(0.25, 14)).claimed == 1);
}

TEST_CASE("the Bernstein form is the dense polynomial, and ends where the step does") {
  const auto check = [](const auto& system) {
    using System = std::remove_cvref_t<decltype(system)>;
    Gauss<System> method(fixed(0.7, 6));
    method.start(system, star, true);
    for (int step = 0; step < 5; ++step) REQUIRE(method.advance(system, true));
    for (int n = 0; n < 2; ++n) {
      double c[max_degree + 1];
      method.bernstein(n, c);
      const int degree = method.degree();
      CHECK(c[0] == within(method.begin().q[n], 1e-15));
      CHECK(c[degree] == within(method.end().q[n], 1e-15));
      for (const double theta : {0.2, 0.5, 0.9}) {
        std::array<double, max_degree + 1> b;  // de Casteljau
        std::copy(c, c + degree + 1, b.begin());
        for (int k = degree; k > 0; --k) {
          for (int i = 0; i < k; ++i) b[i] += theta * (b[i + 1] - b[i]);
        }
        CHECK(b[0] == within(method.dense(theta).q[n], 1e-14));
      }
    }
    CHECK(method.dense(0.5).t == Approx(4.5 * 0.7).epsilon(1e-15));
  };
  check(HenonHeilesSystem<double>{});
  check(mechanics::System<GeneralHenonHeiles, double>{});
}
