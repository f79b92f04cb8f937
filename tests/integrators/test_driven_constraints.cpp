// SPDX-License-Identifier: BSD-3-Clause
// Constraints that move, forces on what is constrained and on what rolls: each method's order against the
// same motion in other coordinates or an exact solution.
#include "driven.hpp"
#include "integrators/manifold.hpp"
#include "integrators/methods.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

template <class Model>
using System = mechanics::System<Model, double>;

const std::vector<double> finest{1.0 / 1024, 1.0 / 2048, 1.0 / 4096}, fine{1.0 / 128, 1.0 / 256, 1.0 / 512},
    middling{1.0 / 16, 1.0 / 32, 1.0 / 64}, coarse{1.0 / 4, 1.0 / 8, 1.0 / 16};

/// From one state of known motion to the other.
template <class Model>
struct Known {
  State<double, Model::dim> start, end;

  template <template <class> class Method>
  double error(const MethodOptions& options) const {
    return distance(run<Method>(System<Model>{}, start, end.t - start.t, options), end);
  }
  template <template <class> class Method>
  test::FittedOrder order(const std::vector<double>& steps, MethodOptions options) const {
    std::vector<double> errors;
    for (const double step : steps) {
      options.step = step;
      errors.push_back(error<Method>(options));
    }
    return fitted_order(steps, errors);
  }
};

template <class Model>
void check_general(const Known<Model>& known) {
  CHECK(known.template order<LobattoSpark>(fine, fixed(0, 2)) == test::ClaimedOrder{2, 0.1});
  CHECK(known.template order<LobattoSpark>(middling, fixed(0, 3)) == test::ClaimedOrder{4, 0.3});
  CHECK(known.template order<LobattoSpark>(coarse, fixed(0, 4)) == test::ClaimedOrder{6, 0.7});
  CHECK(known.template order<ChebyshevLobattoCollocation>(middling, fixed(0, 4, "A")) ==
        test::ClaimedOrder{4, 0.4});
  CHECK(known.template order<ChebyshevLobattoCollocation>(middling, fixed(0, 4, "C")) ==
        test::ClaimedOrder{4, 0.4});
  CHECK(known.template order<LobattoCollocation>(middling, fixed(0, 4, "E")) == test::ClaimedOrder{4, 0.4});
  CHECK(known.template order<ReducedGauss>(middling, fixed(0, 2)) == test::ClaimedOrder{4, 0.2});
  CHECK(known.template order<ReducedGauss>(coarse, fixed(0, 3)) == test::ClaimedOrder{6, 0.6});
  CHECK(known.template order<ReducedMidpoint>(fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(known.template order<Trapezoidal>(fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(known.template order<Rk4>(middling, fixed(0)) == test::ClaimedOrder{4, 0.3});
  CHECK(known.template order<DormandPrince853>({0.5, 0.25, 0.125}, fixed(0)).order > 7);
  CHECK(known.template order<ExplicitEuler>(finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
}

Known<ShakenCircle> shaken() {
  const State<double, 1> start{0.0, {0.4}, {0.9}};
  return {ShakenCircle::at(start),
          ShakenCircle::at(run<Gauss>(System<ShakenPendulum>{}, start, 2, fixed(1.0 / 32, 8)))};
}
Known<BreathingSphere> breathing() {
  const State<double, 2> start{0.0, {2.0, 0.3}, {0.5, 0.9}};
  return {BreathingSphere::at(start),
          BreathingSphere::at(run<Gauss>(System<BreathingPolar>{}, start, 2, fixed(1.0 / 32, 8)))};
}

}  // namespace

TEST_CASE("a pendulum on a pivot that shakes, in the air: on a moving circle as by its angle") {
  const auto known = shaken();
  check_general(known);
  CHECK(known.error<LobattoSpark>(fixed(1.0 / 16, 8)) < 1e-13);
}

TEST_CASE("a particle on a sphere that breathes, in space as in polar coordinates") {
  const auto known = breathing();
  check_general(known);
  CHECK(known.error<LobattoSpark>(fixed(1.0 / 16, 8)) < 1e-13);
  const System<BreathingSphere> system;
  const auto end = run<LobattoSpark>(system, known.start, 2, fixed(1.0 / 16, 4));
  const auto at = system.constraint(end.q, end.t);
  CHECK(std::abs(at.value[0]) < 1e-14);
  CHECK(std::abs(system.constraint_speed(at, end.q, end.v, end.t)[0]) < 1e-14);
}

TEST_CASE("a knife edge with friction in all velocities draws a circle") {
  const Known<DampedKnifeEdge> known{DampedKnifeEdge::exact(0), DampedKnifeEdge::exact(2)};
  check_general(known);
  CHECK(known.error<LobattoSpark>(fixed(1.0 / 16, 8)) < 1e-13);
}

TEST_CASE("forces of place and time on a manifold: the methods of RATTLE's family") {
  const System<PushedOnSphere> system;
  static_assert(motion_of<System<PushedOnSphere>> == MotionKind::on_manifold);
  const State<double, 3> start{0.0, {0.6, 0.0, -0.8}, {0.8, 0.7, 0.6}};
  const Known<PushedOnSphere> known{start, run<DormandPrince853>(system, start, 2, fixed(1.0 / 256))};
  CHECK(known.error<LobattoSpark>(fixed(1.0 / 32, 8)) < 1e-12);
  check_general(known);
  CHECK(known.order<Rattle>(fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(known.order<Shake>(fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  CHECK(known.order<ShakeTwoStep>(fine, fixed(0)) == test::ClaimedOrder{2, 0.05});
  std::vector<double> errors;
  for (const double step : fine) {
    auto found = run<Variational>(system, start, 2, fixed(step));
    found.v = known.end.v;  // its momenta aren't tangent
    errors.push_back(distance(found, known.end));
  }
  CHECK(fitted_order(fine, errors) == test::ClaimedOrder{2, 0.05});
  CHECK(known.order<ConstrainedSymplecticEuler>(finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  CHECK(known.order<SymplecticEuler>(finest, fixed(0)) == test::ClaimedOrder{1, 0.1});
  const auto composed = [&]<class Composition>(Composition, const std::vector<double>& steps,
                                               double expected) {
    std::vector<double> errors;
    for (const double step : steps) {
      RattleComposition<System<PushedOnSphere>, Composition> method(fixed(step));
      method.start(system, start, true);
      for (long i = 0; i < std::lround(2 / step); ++i) method.advance(system, true);
      errors.push_back(distance(method.end(), known.end));
    }
    CHECK(fitted_order(steps, errors) == test::ClaimedOrder{expected, 0.4});
  };
  composed(Suzuki4{}, {1.0 / 8, 1.0 / 16, 1.0 / 32}, 4);
  composed(Yoshida6{}, {1.0 / 16, 1.0 / 32, 1.0 / 64}, 6);
}

TEST_CASE("methods that can't are refused") {
  MethodOptions rattle = fixed(0.01);
  rattle.name = "rattle";
  CHECK_THROWS_WITH(make_stepper<System<ShakenCircle>>(rattle), ContainsSubstring("rattle"));
  using Pushed = System<PushedOnSphere>;
  CHECK_NOTHROW(StepperOf<Pushed, Rattle<Pushed>>(rattle));
  MethodOptions onto = fixed(0.01);
  onto.name = "reduced-gauss";
  onto.projection = "symmetric";
  onto.onto = "both";
  using Breathing = System<BreathingSphere>;
  CHECK_THROWS_WITH((StepperOf<Breathing, ReducedGauss<Breathing>>(onto)),
                    ContainsSubstring("onto = \"manifold\""));
  onto.onto = "manifold";
  const auto known = breathing();
  const auto end = run<ReducedGauss>(System<BreathingSphere>{}, known.start, 2, onto);
  CHECK(distance(end, known.end) < 1e-12);
  CHECK(std::sqrt(System<BreathingSphere>{}.constraint(end.q, end.t).error_squared()) < 1e-15);
}

TEST_CASE("starts are moved onto where the constraints are at the time 0, and along with them") {
  const System<BreathingSphere> system;
  std::array<double, 3> q{0.7, 0.2, -0.8}, v{0.1, 0.4, 0.3};
  CHECK(project_state(system, std::span<double>(q), std::span<double>(v), -1));
  CHECK(std::hypot(q[0], q[1], q[2]) == within(1, 1e-14));
  // The radius grows at 1/5.
  CHECK(q[0] * v[0] + q[1] * v[1] + q[2] * v[2] == within(0.2, 1e-14));
}
