// SPDX-License-Identifier: BSD-3-Clause
// The tangent map of RATTLE and its compositions on the tangent bundle of the constraint manifold: deviations
// stay tangent, the symplectic form of two of them is conserved, and they are what neighbours differ by.
#include "constrained.hpp"
#include "tangent_maps.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

using X = State<double, 3>;
using D = Deviation<double, 3>;

double along(const std::array<double, 3>& a, const std::array<double, 3>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// What d misses the tangent bundle by: G dq and G dv + v H dq, over |G|.
std::array<double, 2> off_tangent(const Genus2& system, const X& x, const D& d) {
  const auto gradient = system.constraint(x.q).gradient[0];
  const auto bend =
      mechanics::constraint_hessian_times<typename Genus2::Model>(x.q, d.q, system.parameters, 0.0)[0];
  const double size = std::sqrt(along(gradient, gradient));
  return {along(gradient, d.q) / size, (along(gradient, d.y) + along(bend, x.v)) / size};
}

/// Makes any vector a deviation that is tangent.
D tangent_deviation(const Genus2& system, const X& x, D d) {
  const auto gradient = system.constraint(x.q).gradient[0];
  const double size = along(gradient, gradient);
  const double off = along(gradient, d.q) / size;
  for (int n = 0; n < 3; ++n) d.q[n] -= off * gradient[n];
  const double rest = off_tangent(system, x, d)[1] / std::sqrt(size);
  for (int n = 0; n < 3; ++n) d.y[n] -= rest * gradient[n];
  return d;
}

double symplectic_form(const D& a, const D& b) {
  return along(a.q, b.y) - along(b.q, a.y);
}

std::array<D, 2> two_deviations(const Genus2& system) {
  return {tangent_deviation(system, genus2_start(), {{1, 0, 0}, {0, 0.5, 0.3}}),
          tangent_deviation(system, genus2_start(), {{0, 1, 0.2}, {1, 0.1, 0}})};
}

/// The largest difference between a deviation and central differences of neighbours, this far apart.
template <class Method>
double off_differences(double apart) {
  const Genus2 system = genus2();
  const auto end_of = [&](const D& d, double by) {
    X x = genus2_start();
    for (int n = 0; n < 3; ++n) {
      x.q[n] += by * d.q[n];
      x.v[n] += by * d.y[n];
    }
    REQUIRE(project_state<Genus2>(system, x.q, x.v, -1));
    return run_of<Method>(system, x, fixed(0.05), 20);
  };
  auto d = two_deviations(system);
  const auto start = d;
  Method method(fixed(0.05));
  method.start(system, genus2_start(), true);
  for (int i = 0; i < 20; ++i) {
    REQUIRE(method.advance(system, true));
    method.tangent(system, 1.0, true, d.data(), 2);
  }
  double worst = 0;
  for (int k = 0; k < 2; ++k) {
    const X up = end_of(start[k], apart), down = end_of(start[k], -apart);
    for (int n = 0; n < 3; ++n) {
      worst = std::max(worst, std::abs((up.q[n] - down.q[n]) / (2 * apart) - d[k].q[n]));
      worst = std::max(worst, std::abs((up.v[n] - down.v[n]) / (2 * apart) - d[k].y[n]));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("deviations of constrained motion stay tangent, and their symplectic form is conserved") {
  const Genus2 system = genus2();
  struct Off {
    double tangent, form_in_a_step, form_in_all;
  };
  const auto off = [&]<class Method>() {
    auto d = two_deviations(system);
    const double form = symplectic_form(d[0], d[1]);
    Method method(fixed(0.02));
    method.start(system, genus2_start(), true);
    double tangent = 0, first = 0;
    for (int i = 0; i < 1000; ++i) {
      REQUIRE(method.advance(system, true));
      method.tangent(system, 1.0, true, d.data(), 2);
      const double size = std::max(1.0, std::sqrt(along(d[0].q, d[0].q) + along(d[0].y, d[0].y)));
      for (const double part : off_tangent(system, method.end(), d[0])) {
        tangent = std::max(tangent, std::abs(part) / size);
      }
      if (i == 0) first = std::abs(symplectic_form(d[0], d[1]) - form);
    }
    const double size = std::sqrt((along(d[0].q, d[0].q) + along(d[0].y, d[0].y)) *
                                  (along(d[1].q, d[1].q) + along(d[1].y, d[1].y)));
    return Off{tangent, first, std::abs(symplectic_form(d[0], d[1]) - form) / std::max(size, 1.0)};
  };
  const auto check = [&]<class Method>() {
    const Off of = off.template operator()<Method>();
    INFO(Method::name << ": off tangent " << of.tangent << ", form " << of.form_in_a_step << " a step, "
                      << of.form_in_all << " in all, over the deviations' size");
    CHECK(of.tangent < 1e-12);
    CHECK(of.form_in_a_step < 1e-13);
    CHECK(of.form_in_all < 1e-13);
  };
  check.operator()<Rattle<Genus2>>();
  check.operator()<RattleComposition<Genus2, Suzuki4>>();
  check.operator()<RattleComposition<Genus2, KahanLi6>>();
  check.operator()<LobattoPair<Genus2, 3>>();
  check.operator()<LobattoPair<Genus2, 4>>();
  check.operator()<LobattoSpark<Genus2>>();
  check.operator()<ConstrainedSymplecticEuler<Genus2>>();
  const Off control = off.operator()<Rk4<Genus2>>();
  INFO("rk4: off tangent " << control.tangent << ", form " << control.form_in_a_step << " a step, "
                           << control.form_in_all << " in all");
  CHECK(control.tangent > 1e-4);
  CHECK(control.form_in_a_step > 1e-12);
  CHECK(control.form_in_all > 1e-4);
}

TEST_CASE(
    "by reduced Gauss collocation the energy's gradient is kept as the energy is: dE of a deviation stays") {
  const Genus2 system = genus2();
  // E = v^2 / 2 + z.
  const auto change = [&]<class Method>(double step) {
    const auto slope = [](const X& x, const D& d) { return along(x.v, d.y) + d.q[2]; };
    auto d = two_deviations(system);
    const std::array first{slope(genus2_start(), d[0]), slope(genus2_start(), d[1])};
    Method method(fixed(step, 6));
    method.start(system, genus2_start(), true);
    double energy = 0, worst = 0;
    for (int i = 0; i < 200; ++i) {
      REQUIRE(method.advance(system, true));
      method.tangent(system, 1.0, true, d.data(), 2);
      const X x = method.end();
      energy = std::max(energy, std::abs(system.energy(x.q, x.v, 0) -
                                         system.energy(genus2_start().q, genus2_start().v, 0)));
      for (int k = 0; k < 2; ++k) worst = std::max(worst, std::abs(slope(x, d[k]) - first[k]));
    }
    return std::array{energy, worst};
  };
  const auto gauss = change.operator()<ReducedGauss<Genus2>>(0.01),
             rk4 = change.operator()<Rk4<Genus2>>(0.02);
  INFO("reduced-gauss " << gauss[0] << " " << gauss[1] << ", rk4 " << rk4[0] << " " << rk4[1]);
  CHECK(gauss[0] < 1e-12);
  CHECK(gauss[1] < 1e-11);
  CHECK(rk4[1] > 1e-8);  // the control
}

TEST_CASE("they are what neighbours on the manifold differ by, with order 2") {
  const auto check = []<class Method>() {
    std::vector<double> distances{0.004, 0.002, 0.001}, errors;
    for (const double apart : distances) errors.push_back(off_differences<Method>(apart));
    INFO(Method::name << ": " << errors[0] << " " << errors[1] << " " << errors[2]);
    const double order = test::logarithmic_fit(distances, errors).order;
    CHECK(order > 1.9);
    CHECK(order < 2.1);
  };
  check.operator()<Rattle<Genus2>>();
  check.operator()<RattleComposition<Genus2, Yoshida4>>();
  check.operator()<LobattoPair<Genus2, 3>>();
  check.operator()<LobattoPair<Genus2, 4>>();
  check.operator()<LobattoSpark<Genus2>>();
  check.operator()<ConstrainedSymplecticEuler<Genus2>>();
  check.operator()<ReducedGauss<Genus2>>();
  check.operator()<Rk4<Genus2>>();
}

TEST_CASE("a method says whether it has a tangent map") {
  MethodOptions options = fixed(0.01);
  using Whole = mechanics::System<PointOnCircle, double>;
  CHECK(StepperOf<Whole, Rattle<Whole>>(options).has_tangent());
  CHECK(!StepperOf<Whole, Shake<Whole>>(options).has_tangent());
  CHECK(StepperOf<Whole, Rk4<Whole>>(options).has_tangent());
  CHECK(!StepperOf<Circle, Rattle<Circle>>(options).has_tangent());  // whose model asks for none
  options.projection = "standard";
  options.onto = "manifold";
  CHECK(!StepperOf<Whole, Rk4<Whole>>(options).has_tangent());
}
