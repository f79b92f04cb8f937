// SPDX-License-Identifier: BSD-3-Clause
// Orders of every method of free motion with friction and drives: against exact solutions, and against
// references on nonlinear problems; the wrong sign of the force is the control.
#include "driven.hpp"
#include "integrators/methods.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

template <class Model>
using System = mechanics::System<Model, double>;

static_assert(System<DrivenDuffing>::newtonian && System<DrivenDuffing>::driven);
static_assert(!System<DrivenOscillator>::newtonian && System<DrivenOscillator>::constant_mass);
static_assert(!System<mechanics::HenonHeiles>::forced && System<mechanics::HenonHeiles>::newtonian);

State<double, 1> oscillator_end(double time) {
  return DrivenOscillator::exact(time, 0.7, -0.4);
}

template <class Model, template <class> class Method>
test::FittedOrder order(const State<double, 1>& exact, const std::vector<double>& steps,
                        const MethodOptions& options) {
  std::vector<double> errors;
  for (const double step : steps) {
    MethodOptions with_step = options;
    with_step.step = step;
    errors.push_back(distance(run<Method>(System<Model>{}, {0.0, {0.7}, {-0.4}}, exact.t, with_step), exact));
  }
  return fitted_order(steps, errors);
}

const std::vector<double> fine{1.0 / 128, 1.0 / 256, 1.0 / 512}, coarse{1.0 / 4, 1.0 / 8, 1.0 / 16},
    finest{1.0 / 1024, 1.0 / 2048, 1.0 / 4096};

template <class Model>
void check_gauss(const State<double, 1>& exact) {
  CHECK(order<Model, Gauss>(exact, coarse, fixed(0, 2)) == test::ClaimedOrder{4, 0.15});
  CHECK(order<Model, Gauss>(exact, coarse, fixed(0, 3)) == test::ClaimedOrder{6, 0.25});
  CHECK(order<Model, ImplicitMidpoint>(exact, fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
}

template <class Model>
void check_all_methods(const State<double, 1>& exact) {
  check_gauss<Model>(exact);
  CHECK(order<Model, ChebyshevLobattoCollocation>(exact, coarse, fixed(0, 4, "A")) ==
        test::ClaimedOrder{4, 0.3});
  CHECK(order<Model, ChebyshevLobattoCollocation>(exact, coarse, fixed(0, 4, "C")) ==
        test::ClaimedOrder{4, 0.3});
  CHECK(order<Model, LobattoCollocation>(exact, coarse, fixed(0, 4, "E")) == test::ClaimedOrder{4, 0.3});
  CHECK(order<Model, DormandPrince853>(exact, {1.0, 0.5, 0.25}, fixed(0)).order > 7);  // 7.2 to 9.4
  CHECK(order<Model, Rk4>(exact, {1.0 / 16, 1.0 / 32, 1.0 / 64}, fixed(0)) == test::ClaimedOrder{4, 0.15});
  CHECK(order<Model, Trapezoidal>(exact, fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(order<Model, StormerVerlet>(exact, fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(order<Model, SymplecticEuler>(exact, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  CHECK(order<Model, ImplicitEuler>(exact, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  CHECK(order<Model, ExplicitEuler>(exact, finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
}

template <class Model>
void check_some(const State<double, 1>& exact) {
#if COTANGENT_ALL_PAIRS
  check_all_methods<Model>(exact);
#else
  check_gauss<Model>(exact);
#endif
}

template <class Model>
State<double, 1> accurate(double time) {
  const auto a = run<Gauss>(System<Model>{}, {0.0, {0.7}, {-0.4}}, time, fixed(1.0 / 16, 10));
  const auto b = run<DormandPrince853>(System<Model>{}, {0.0, {0.7}, {-0.4}}, time, fixed(1.0 / 128));
  CHECK(distance(a, b) < 1e-12);  // two methods agree
  return a;
}

}  // namespace

TEST_CASE("the driven damped oscillator: every method against the exact solution") {
  const auto exact = oscillator_end(4);
  check_all_methods<DrivenOscillator>(exact);
  const auto end = run<Gauss>(System<DrivenOscillator>{}, {0.0, {0.7}, {-0.4}}, 4, fixed(0.25, 8));
  CHECK(distance(end, exact) < 1e-14);
  // The control: friction that pushes.
  System<DrivenOscillator> wrong;
  wrong.parameters[0] = -wrong.parameters[0];
  CHECK(distance(run<Gauss>(wrong, {0.0, {0.7}, {-0.4}}, 4, fixed(0.25, 8)), exact) > 0.1);
}

TEST_CASE("a driven bead of variable mass, a damped pendulum and Duffing's oscillator: orders") {
  check_all_methods<DrivenBead>(accurate<DrivenBead>(4));
  check_some<DrivenDampedPendulum>(accurate<DrivenDampedPendulum>(4));
  check_some<DrivenDuffing>(accurate<DrivenDuffing>(4));
}

TEST_CASE("explicit time in the Lagrangian: orders of every method of free motion") {
  static_assert(System<ParametricPendulum>::newtonian && System<ParametricPendulum>::driven);
  check_some<ParametricPendulum>(accurate<ParametricPendulum>(4));
  check_all_methods<ShakenPendulum>(accurate<ShakenPendulum>(4));  // momenta that depend on time
}
