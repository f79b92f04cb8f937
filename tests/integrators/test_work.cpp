// SPDX-License-Identifier: BSD-3-Clause
// The balance of energy and work, E - E0 - integral of the power: zero in the exact motion, and as small as
// the method's order makes it in every one; the energy alone is the control.
#include <concepts>

#include "a_stepper.hpp"
#include "driven.hpp"
#include "integrators/methods.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

template <class Model>
using System = mechanics::System<Plain<Model>, double>;

struct Balance {
  double error = 0, exchanged = 0;  ///< the largest |E - E0 - W| and |E - E0|
};
template <class Method, class System>
Balance balance(const System& system, const State<double, System::dim>& start, double time,
                const MethodOptions& options) {
  AStepper<System> method(std::make_unique<StepperOf<System, Method>>(options));
  method.start(system, start, true);
  const double first = system.energy(start.q, start.v, start.t);
  double work = 0;
  Balance result;
  for (long i = 0; i < std::lround(time / options.step); ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed with status " << method.failure());
    work += method.work(system, 1.0);
    const auto x = method.end();
    const double gained = system.energy(x.q, x.v, x.t) - first;
    result.exchanged = std::max(result.exchanged, std::abs(gained));
    result.error = std::max(result.error, std::abs(gained - work));
  }
  return result;
}

template <class Model, template <class> class Method>
test::FittedOrder order(const State<double, Model::dim>& start, const std::vector<double>& steps,
                        MethodOptions options) {
  std::vector<double> errors;
  for (const double step : steps) {
    options.step = step;
    const auto found = balance<Method<System<Model>>>(System<Model>{}, start, 2, options);
    errors.push_back(found.error);
    CHECK(found.exchanged > 0.05);
  }
  return fitted_order(steps, errors);
}

const std::vector<double> finest{1.0 / 1024, 1.0 / 2048, 1.0 / 4096}, fine{1.0 / 128, 1.0 / 256, 1.0 / 512},
    middling{1.0 / 16, 1.0 / 32, 1.0 / 64}, coarse{1.0 / 4, 1.0 / 8, 1.0 / 16};

const State<double, 1> free_start{0.0, {0.7}, {-0.4}};

template <class Model>
void check_gauss() {
  const auto& start = free_start;
  if constexpr (std::same_as<Model, DrivenOscillator>) {
    // A quadratic energy, and so it is with the work as one more unknown: Gauss keeps it.
    CHECK(balance<Gauss<System<Model>>>(System<Model>{}, start, 2, fixed(0.25, 2)).error < 1e-15);
    CHECK(balance<ImplicitMidpoint<System<Model>>>(System<Model>{}, start, 2, fixed(0.25)).error < 1e-15);
  } else {
    CHECK(order<Model, Gauss>(start, coarse, fixed(0, 2)) == test::ClaimedOrder{4, 0.5});
    CHECK(order<Model, Gauss>(start, coarse, fixed(0, 3)) == test::ClaimedOrder{6, 0.5});
    CHECK(order<Model, Gauss>(start, {2.0 / 5, 2.0 / 6, 2.0 / 8, 2.0 / 10}, fixed(0, 4)) ==
          test::ClaimedOrder{8, 1});
    CHECK(order<Model, ImplicitMidpoint>(start, fine, fixed(0)) == test::ClaimedOrder{2, 0.01, 1e-3});
  }
}

template <class Model>
void check_other_methods() {
  const auto& start = free_start;
  CHECK(order<Model, ChebyshevLobattoCollocation>(start, coarse, fixed(0, 4, "C")).order > 3.6);
  CHECK(order<Model, LobattoCollocation>(start, coarse, fixed(0, 4, "E")).order > 3.6);
  CHECK(order<Model, DormandPrince853>(start, {1.0, 0.5, 0.25}, fixed(0)).order > 7);
  CHECK(order<Model, Rk4>(start, middling, fixed(0)).order > 3.7);
  CHECK(order<Model, Trapezoidal>(start, fine, fixed(0)) == test::ClaimedOrder{2, 0.1});
  CHECK(order<Model, StormerVerlet>(start, fine, fixed(0)) == test::ClaimedOrder{2, 0.1});
  CHECK(order<Model, SymplecticEuler>(start, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  CHECK(order<Model, ImplicitEuler>(start, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  CHECK(order<Model, ExplicitEuler>(start, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
}

template <class Model>
void check_symplectic(const State<double, Model::dim>& start) {
  CHECK(order<Model, LobattoSpark>(start, middling, fixed(0, 3)) == test::ClaimedOrder{4, 0.4});
  CHECK(order<Model, LobattoSpark>(start, coarse, fixed(0, 4)) == test::ClaimedOrder{6, 0.8});
  CHECK(order<Model, ReducedGauss>(start, middling, fixed(0, 2)) == test::ClaimedOrder{4, 0.4});
  CHECK(order<Model, ReducedGauss>(start, coarse, fixed(0, 3)) == test::ClaimedOrder{6, 0.8});
}

template <class Model>
void check_other_general_methods(const State<double, Model::dim>& start) {
  CHECK(order<Model, ChebyshevLobattoCollocation>(start, middling, fixed(0, 4, "C")).order > 3.6);
  CHECK(order<Model, DormandPrince853>(start, {0.5, 0.25, 0.125}, fixed(0)).order > 7);
  CHECK(order<Model, Rk4>(start, middling, fixed(0)).order > 3.6);
  CHECK(order<Model, ReducedMidpoint>(start, fine, fixed(0)) == test::ClaimedOrder{2, 0.1});
}

template <class System>
using Yoshida = RattleComposition<System, Yoshida6>;
template <class System>
using KahanLi = RattleComposition<System, KahanLi6>;
template <class System>
using Pair6 = LobattoPair<System, 4>;

}  // namespace

TEST_CASE("energy and work balance to the method's order: free motion") {
  check_gauss<DrivenOscillator>();
  check_gauss<DrivenBead>();
  check_gauss<DrivenDampedPendulum>();
  check_gauss<DrivenDuffing>();
  check_gauss<ParametricPendulum>();
  check_gauss<ShakenPendulum>();
  check_other_methods<DrivenBead>();
  check_other_methods<DrivenDampedPendulum>();
#if COTANGENT_ALL_PAIRS
  check_other_methods<DrivenOscillator>();
  check_other_methods<DrivenDuffing>();
  check_other_methods<ParametricPendulum>();
  check_other_methods<ShakenPendulum>();
#endif
}

TEST_CASE("energy and work balance to the method's order: moving constraints and rolling") {
  check_symplectic<ShakenCircle>(ShakenCircle::at({0.0, {0.4}, {0.9}}));
  check_symplectic<BreathingSphere>(BreathingSphere::at({0.0, {2.0, 0.3}, {0.5, 0.9}}));
  check_symplectic<DampedKnifeEdge>(DampedKnifeEdge::exact(0));
  check_symplectic<PushedOnSphere>({0.0, {0.6, 0.0, -0.8}, {0.8, 0.7, 0.6}});
  check_other_general_methods<BreathingSphere>(BreathingSphere::at({0.0, {2.0, 0.3}, {0.5, 0.9}}));
  check_other_general_methods<DampedKnifeEdge>(DampedKnifeEdge::exact(0));
#if COTANGENT_ALL_PAIRS
  check_other_general_methods<ShakenCircle>(ShakenCircle::at({0.0, {0.4}, {0.9}}));
  check_other_general_methods<PushedOnSphere>({0.0, {0.6, 0.0, -0.8}, {0.8, 0.7, 0.6}});
#endif
}

TEST_CASE("energy and work balance to the order of compositions and pairs on a manifold") {
  using Sphere = PushedOnSphere;
  const State<double, 3> start{0.0, {0.6, 0.0, -0.8}, {0.8, 0.7, 0.6}};
  CHECK(order<Sphere, Rattle>(start, fine, fixed(0)) == test::ClaimedOrder{2, 0.1});
  CHECK(order<Sphere, Yoshida>(start, middling, fixed(0)) == test::ClaimedOrder{6, 0.8});
  CHECK(order<Sphere, KahanLi>(start, coarse, fixed(0)) == test::ClaimedOrder{6, 0.8});
  CHECK(order<Sphere, Pair6>(start, coarse, fixed(0)) == test::ClaimedOrder{6, 0.8});
}

TEST_CASE("the work of a belt that something rolls on is in the balance") {
  using Belt = System<EdgeOnBelt>;
  static_assert(Belt::driven && !System<DampedKnifeEdge>::moving);
  const auto spark = balance<LobattoSpark<Belt>>(Belt{}, EdgeOnBelt::exact(0), 10, fixed(0.1, 6));
  const auto gauss = balance<ReducedGauss<Belt>>(Belt{}, EdgeOnBelt::exact(0), 10, fixed(0.1, 5));
  for (const Balance& found : {spark, gauss}) {
    CHECK(found.error < 1e-13);
    CHECK(found.exchanged > 0.29);
  }
  CHECK(order<EdgeOnBelt, Rk4>(EdgeOnBelt::exact(0), middling, fixed(0)).order > 3.6);
}

TEST_CASE("with Gauss' eight stages the balance holds to round-off") {
  const State<double, 1> start{0.0, {0.7}, {-0.4}};
  const auto bead = balance<Gauss<System<DrivenBead>>>(System<DrivenBead>{}, start, 100, fixed(0.125));
  CHECK(bead.error < 1e-13);
  CHECK(bead.exchanged > 0.1);
}
