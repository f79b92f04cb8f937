// SPDX-License-Identifier: BSD-3-Clause
// Chan's collocation on manifolds and rolling: orders with each treatment, what each step holds, symmetry,
// the convergence of Newton's method. Controls: claims of a higher order, methods on the reduced equations,
// which drift, treatments that aren't symmetric.
#include <cmath>

#include "integrators/bodies_that_roll.hpp"
#include "mechanics/models/chaplygin_sleigh.hpp"

namespace cotangent::integrators {
namespace {

template <class System>
AStepper<System> collocation(const std::string& name, int degree, double step,
                             const std::string& treatment = "E") {
  MethodOptions options;
  options.name = name;
  options.stages = degree;
  options.step = step;
  options.treatment = treatment;
  return one_of<System, ChebyshevLobattoCollocation<System>, LobattoCollocation<System>, ReducedGauss<System>,
                ReducedMidpoint<System>>(options);
}

template <class System, int N>
test::FittedOrder order_of(const System& system, const State<double, N>& start, const std::string& name,
                           int degree, const std::string& treatment, int fewest) {
  return order_of(system, start, 1, 64, fewest,
                  [&](double step) { return collocation<System>(name, degree, step, treatment); });
}

TEST_CASE("collocation under constraints has the orders of free motion: the degree, with E its even part") {
  // Fitted within 0.05 of these, points off the line by at most 0.0016.
  for (const char* name : {"chebyshev-lobatto", "lobatto"}) {
    for (const std::string treatment : {"A", "C", "E"}) {
      for (const int degree : {3, 4, 5}) {
        INFO(name << ", treatment " << treatment << ", degree " << degree);
        const test::ClaimedOrder claim{1.0 * (treatment == "E" ? degree / 2 * 2 : degree), 0.08, 0.01};
        const int fewest = degree == 3 ? 32 : degree == 4 ? 16 : 8;
        CHECK(order_of(Bead{}, bead_start(), name, degree, treatment, fewest) == claim);
        CHECK(order_of(Disc{}, disc_start(), name, degree, treatment, fewest) == claim);
        CHECK(order_of(Ball{}, ball_start(), name, degree, treatment, fewest) == claim);
      }
    }
  }
  // Controls: E isn't of order 5, nor is a method of order 2 of order 4.
  CHECK_FALSE(order_of(Bead{}, bead_start(), "lobatto", 5, "E", 8) == test::ClaimedOrder{5, 0.5, 0.1});
  CHECK_FALSE(order_of(Disc{}, disc_start(), "reduced-midpoint", 4, "E", 32) ==
              test::ClaimedOrder{4, 0.5, 0.1});
}

/// How far a motion gets off: |g| / |grad g|, |grad g v| / |grad g|, |r| / |dr/dv|, and the energy.
struct Drift {
  double position = 0, tangent = 0, slip = 0, energy = 0;
};
template <class System, int N>
Drift drift_of(const System& system, const State<double, N>& start, AStepper<System>& method, int steps) {
  method.start(system, start, true);
  const double energy = system.energy(start.q, start.v, 0);
  Drift worst;
  for (int i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed");
    const auto x = method.end();
    if constexpr (System::constrained) {
      const auto g = system.constraint(x.q);
      for (int k = 0; k < System::constraints; ++k) {
        double along = 0, size = 0;
        for (int n = 0; n < N; ++n) {
          along += g.gradient[k][n] * x.v[n];
          size += g.gradient[k][n] * g.gradient[k][n];
        }
        worst.position = std::max(worst.position, std::abs(g.value[k]) / std::sqrt(size));
        worst.tangent = std::max(worst.tangent, std::abs(along) / std::sqrt(size));
      }
    }
    if constexpr (System::rolls) {
      worst.slip = std::max(worst.slip, std::sqrt(system.slip(x.q, x.v).error_squared()));
    }
    worst.energy = std::max(worst.energy, std::abs(system.energy(x.q, x.v, x.t) - energy));
  }
  return worst;
}

TEST_CASE("each step ends on the manifold, tangent to it, and rolling; energy is bounded with E alone",
          "[long]") {
  // Largest deviations over 10^4 steps of 0.05, measured:
  //                        bead: g, g'         disc: r   energy    ball: g, g', r
  //   chebyshev-lobatto A  2.5e-16, 4.9e-16    1.1e-13   9.2e-7    round-off
  //                     C  2.2e-16, 5.2e-16    1.0e-13   1.7e-7
  //                     E  2.7e-16, 5.3e-16    1.1e-13   1.0e-7
  //   lobatto-spark, 3     2.2e-16, 3.3e-16    7.4e-14   2.1e-7
  //   reduced-gauss, 2     7.2e-7,  1.1e-15    2.4e-7    4.0e-7    the control
  // The disc's slipping is that of its angles' rounding: they grow with time.
  const int steps = 10000;
  for (const char* name : {"chebyshev-lobatto", "lobatto"}) {
    for (const char* treatment : {"A", "C", "E"}) {
      INFO(name << ", treatment " << treatment);
      auto bead = collocation<Bead>(name, 4, 0.05, treatment);
      auto disc = collocation<Disc>(name, 4, 0.05, treatment);
      auto ball = collocation<Ball>(name, 4, 0.05, treatment);
      const Drift on = drift_of(Bead{}, bead_start(), *bead, steps),
                  along = drift_of(Disc{}, disc_start(), *disc, steps),
                  both = drift_of(Ball{}, ball_start(), *ball, steps);
      CHECK(on.position < 3e-15);
      CHECK(on.tangent < 3e-15);
      CHECK(along.slip < 1e-12);
      CHECK(both.position < 3e-15);
      CHECK(both.tangent < 3e-15);
      CHECK(both.slip < 3e-15);
    }
  }
  auto bead = collocation<Bead>("reduced-gauss", 2, 0.05);
  CHECK(drift_of(Bead{}, bead_start(), *bead, steps).position > 1e-7);
  auto reduced = collocation<Disc>("reduced-gauss", 2, 0.05);
  CHECK(drift_of(Disc{}, disc_start(), *reduced, steps).slip > 1e-7);
  // After 10^3 steps with E 1.02e-7, as after 10^4 and 10^5; with A 1.2e-7, 9.2e-7 and 9.0e-6.
  auto soon = collocation<Disc>("chebyshev-lobatto", 4, 0.05),
       late = collocation<Disc>("chebyshev-lobatto", 4, 0.05);
  CHECK(drift_of(Disc{}, disc_start(), *late, steps).energy <
        1.05 * drift_of(Disc{}, disc_start(), *soon, steps / 10).energy);
  auto a_soon = collocation<Disc>("chebyshev-lobatto", 4, 0.05, "A"),
       a_late = collocation<Disc>("chebyshev-lobatto", 4, 0.05, "A");
  CHECK(drift_of(Disc{}, disc_start(), *a_late, steps).energy >
        5 * drift_of(Disc{}, disc_start(), *a_soon, steps / 10).energy);
}

template <class System, int N>
double there_and_back(const System& system, const State<double, N>& start, const std::string& name,
                      const std::string& treatment) {
  auto there = collocation<System>(name, 4, 0.05, treatment),
       back = collocation<System>(name, 4, -0.05, treatment);
  return distance_of(after(system, *back, after(system, *there, start, 100), 100), start);
}

TEST_CASE("collocation under constraints comes back with E, and not with A and C") {
  // Measured: 3.7e-14; 9.3e-8, 6.6e-8.
  CHECK(there_and_back(Disc{}, disc_start(), "chebyshev-lobatto", "E") < 1e-12);
  CHECK(there_and_back(Ball{}, ball_start(), "lobatto", "E") < 1e-12);
  CHECK(there_and_back(Disc{}, disc_start(), "chebyshev-lobatto", "A") > 1e-9);
  CHECK(there_and_back(Disc{}, disc_start(), "chebyshev-lobatto", "C") > 1e-9);
}

/// The corrections of Newton's method for a step of the ball, which has constraints of both kinds.
std::vector<double> corrections(Treatment treatment) {
  const auto tables = CollocationTables::of(NodeFamily::chebyshev_lobatto, 5);
  ConstrainedCollocationEquations<Ball> equations(tables, treatment);
  const auto start = ball_start();
  std::vector<std::array<double, 6>> y(5);
  equations.begin(Ball{}, 1.0, start.t, start.q, start.v);
  std::vector<double> sizes;
  while (sizes.size() < 12 && (sizes.empty() || sizes.back() > 1e-13)) {
    sizes.push_back(equations.correct(Ball{}, y.data(), true));
  }
  return sizes;
}

TEST_CASE("the Jacobian under constraints is whole: Newton's method converges quadratically") {
  for (const Treatment treatment : {Treatment::a, Treatment::c, Treatment::e}) {
    const auto sizes = corrections(treatment);
    INFO(Catch::StringMaker<std::vector<double>>::convert(sizes));
    CHECK(sizes.size() < 8);
    CHECK(sizes.back() <= 1e-13);
    for (std::size_t k = 2; k < sizes.size(); ++k) {
      CHECK(sizes[k] < 3 * sizes[k - 1] * sizes[k - 1] + 1e-14);
    }
  }
}

/// The worst energy error until t = 20, in steps that adapt.
template <class System, int N>
double energy_error(const System& system, const State<double, N>& start, int degree, double tolerance) {
  MethodOptions options;
  options.name = "chebyshev-lobatto";
  options.stages = degree;
  options.step = 0.01;
  options.tolerance = tolerance;
  auto method = one_of<System, ChebyshevLobattoCollocation<System>>(options);
  method->start(system, start, true);
  const double energy = system.energy(start.q, start.v, 0);
  double worst = 0;
  for (int tries = 0; method->end().t < 20 && tries < 10000; ++tries) {
    if (!method->advance(system, true)) continue;
    const auto x = method->end();
    worst = std::max(worst, std::abs(system.energy(x.q, x.v, 0) - energy));
  }
  CHECK(method->end().t >= 20);
  return worst;
}

TEST_CASE("collocation under constraints adapts its steps to a tolerance") {
  const int degree = MethodOptions{}.stages;
  const double loose = energy_error(Disc{}, disc_start(), degree, 1e-4),
               tight = energy_error(Disc{}, disc_start(), degree, 1e-10);
  INFO(loose << ' ' << tight);
  CHECK(loose > 1e-9);
  CHECK(tight < 1e-9);
}

TEST_CASE("steps on a manifold adapt to a tolerance that places' rounding would hide in short ones") {
  for (const int degree : {10, 14, 16}) {
    for (const double tolerance : {1e-11, 1e-13}) {
      INFO("degree " << degree << ", tolerance " << tolerance);
      CHECK(energy_error(Bead{}, bead_start(), degree, tolerance) < 100 * tolerance);
    }
  }
}

TEST_CASE("steps of rolling adapt to tolerances below what places round by, however large an angle is") {
  using Sleigh = mechanics::System<Plain<mechanics::ChaplyginSleigh>, double>;
  for (const double angle : {0.0, 50.0}) {
    const State<double, 3> start{0, {0, 0, angle}, {std::cos(angle), std::sin(angle), 1.5}};
    for (const double tolerance : {1e-12, 1e-14}) {
      INFO("angle " << angle << ", tolerance " << tolerance);
      CHECK(energy_error(Sleigh{}, start, 16, tolerance) < 1e-12);
    }
  }
}

}  // namespace
}  // namespace cotangent::integrators
