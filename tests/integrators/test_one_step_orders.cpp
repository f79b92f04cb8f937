// SPDX-License-Identifier: BSD-3-Clause
// The orders of the one-step methods, fitted on orbits that could refute them; lower orders are the control.
#include "catch.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

/// Friction by explicit time: L = exp(t / 5) (v^2 - q^2) / 2 gives q'' + q' / 5 + q = 0.
struct DampedOscillator {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using std::exp, ad::exp;
    const auto [x] = q;
    const auto [x_dot] = v;
    return exp(0.2 * t) * (0.5 * x_dot * x_dot - 0.5 * x * x);
  }
};

template <template <class> class Method>
test::FittedOrder damped_oscillator_order(const std::vector<double>& steps) {
  const double omega = std::sqrt(0.99), time = 4, decay = std::exp(-0.1 * time);
  const State<double, 1> exact{time,
                               {decay * (std::cos(omega * time) + 0.1 / omega * std::sin(omega * time))},
                               {decay * -1.0 / omega * std::sin(omega * time)}};
  std::vector<double> errors;
  for (const double step : steps) {
    const auto end =
        run<Method>(mechanics::System<DampedOscillator, double>{}, {0.0, {1.0}, {0.0}}, time, fixed(step));
    errors.push_back(distance(end, exact));
  }
  return fitted_order(steps, errors);
}

/// On the magnetic chain, whose mass matrix depends on the angles: against Dormand-Prince with short steps.
template <template <class> class Method>
test::FittedOrder chain_order(const std::vector<double>& steps) {
  const mechanics::System<mechanics::MagneticChain, double> system;
  const State<double, 2> start{0.0, {0.45, 0.2}, {0.1, -0.15}};
  const auto exact = run<DormandPrince853>(system, start, 2, fixed(1.0 / 256));
  std::vector<double> errors;
  for (const double step : steps)
    errors.push_back(distance(run<Method>(system, start, 2, fixed(step)), exact));
  return fitted_order(steps, errors);
}

const std::vector<double> fine{1.0 / 64, 1.0 / 128, 1.0 / 256}, coarse{1.0 / 4, 1.0 / 8, 1.0 / 16};

}  // namespace

TEST_CASE("orders of the one-step methods on Henon-Heiles") {
  CHECK(henon_heiles_order<ExplicitEuler>({1.0 / 512, 1.0 / 1024, 1.0 / 2048}) ==
        test::ClaimedOrder{1, 0.05});
  CHECK(henon_heiles_order<ImplicitEuler>({1.0 / 512, 1.0 / 1024, 1.0 / 2048}) ==
        test::ClaimedOrder{1, 0.05});
  CHECK(henon_heiles_order<SymplecticEuler>(fine) == test::ClaimedOrder{1, 0.05});
  CHECK(henon_heiles_order<StormerVerlet>(fine) == test::ClaimedOrder{2, 0.02});
  CHECK(henon_heiles_order<Rk4>({1.0 / 16, 1.0 / 32, 1.0 / 64}) == test::ClaimedOrder{4, 0.1});
  CHECK(henon_heiles_order<DormandPrince853>({1.0, 0.5, 0.25}) == test::ClaimedOrder{8, 0.3});
}

TEST_CASE("orders where the mass matrix depends on the coordinates") {
  CHECK(chain_order<ExplicitEuler>({1.0 / 2048, 1.0 / 4096, 1.0 / 8192}) == test::ClaimedOrder{1, 0.1});
  CHECK(chain_order<ImplicitEuler>({1.0 / 2048, 1.0 / 4096, 1.0 / 8192}) == test::ClaimedOrder{1, 0.1});
  CHECK(chain_order<SymplecticEuler>({1.0 / 2048, 1.0 / 4096, 1.0 / 8192}) == test::ClaimedOrder{1, 0.1});
  CHECK(chain_order<StormerVerlet>({1.0 / 128, 1.0 / 256, 1.0 / 512}) == test::ClaimedOrder{2, 0.05});
  CHECK(chain_order<Rk4>({1.0 / 32, 1.0 / 64, 1.0 / 128}) == test::ClaimedOrder{4, 0.2});
  CHECK(chain_order<DormandPrince853>({1.0 / 4, 1.0 / 8, 1.0 / 16}) == test::ClaimedOrder{8, 0.25});
}

TEST_CASE("orders where the Lagrangian depends on time") {
  CHECK(damped_oscillator_order<ExplicitEuler>(fine) == test::ClaimedOrder{1, 0.1});
  CHECK(damped_oscillator_order<ImplicitEuler>(fine) == test::ClaimedOrder{1, 0.1});
  CHECK(damped_oscillator_order<SymplecticEuler>(fine) == test::ClaimedOrder{1, 0.1});
  CHECK(damped_oscillator_order<StormerVerlet>(fine) == test::ClaimedOrder{2, 0.02});
  CHECK(damped_oscillator_order<Rk4>(coarse) == test::ClaimedOrder{4, 0.1});
  CHECK(damped_oscillator_order<DormandPrince853>({1.0, 0.5, 0.25}) == test::ClaimedOrder{8, 0.3});
}
