// SPDX-License-Identifier: BSD-3-Clause
// Tangent maps of motion with friction and a drive: the derivative of the method's own step, and the phase
// volume, which shrinks at the friction's rate: the Lyapunov exponents of a'' = -sin a - c a' + A cos(w t)
// sum to -c, for its divergence is -c everywhere (Liouville). On moving constraints deviations follow
// neighbours.
#include "driven.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/gauss.hpp"
#include "integrators/reduced_gauss.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "tangent_maps.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

template <class Model>
using Of = mechanics::System<Model, double>;

const State<double, 1> let_go{0.0, {0.7}, {0.4}};

/// The largest difference between M, in (q, v), and central differences of orbits this far apart.
template <class Method, class System>
double off_differences(const State<double, 1>& start, double step, int steps, double apart) {
  const System system;
  const auto m = derivative_of_steps<Method>(system, start, fixed(step), steps);
  const double p = system.momentum(start.q, start.v, start.t)[0];
  double worst = 0;
  for (int k = 0; k < 2; ++k) {
    const auto map = [&](double by) {
      const std::array<double, 1> q{start.q[0] + (k == 0 ? by : 0.0)}, moved{p + (k == 1 ? by : 0.0)};
      const auto v = system.velocity(q, moved, start.v, start.t);
      const auto end = run_of<Method>(system, {start.t, q, v}, fixed(step), steps);
      return std::array<double, 2>{end.q[0], system.momentum(end.q, end.v, end.t)[0]};
    };
    const auto up = map(apart), down = map(-apart);
    for (int i = 0; i < 2; ++i) {
      worst = std::max(worst, std::abs((up[i] - down[i]) / (2 * apart) - m[i][k]));
    }
  }
  return worst;
}

template <class Method, class System>
void is_its_own_derivative(double step) {
  const std::vector<double> distances{0.02, 0.01, 0.005};
  std::vector<double> errors;
  for (const double apart : distances) {
    errors.push_back(off_differences<Method, System>(let_go, step, 8, apart));
  }
  const double close = off_differences<Method, System>(let_go, step, 8, 1e-5);
  const double order = fitted_order(distances, errors).order;
  INFO(Method::name << ": errors " << errors[0] << " " << errors[1] << " " << errors[2] << ", order " << order
                    << ", close by " << close);
  CHECK(order > 1.9);
  CHECK(order < 2.1);
  CHECK(close < 1e-8);
}

/// Both exponents of the pendulum over these steps, by Gram and Schmidt after each.
template <class Method>
std::array<double, 2> exponents(double step, int steps) {
  const Of<DrivenDampedPendulum> system;
  Method method(fixed(step));
  method.start(system, let_go, true);
  std::array<Deviation<double, 1>, 2> d{{{{1.0}, {0.0}}, {{0.0}, {1.0}}}};
  std::array<numerics::Compensated<double>, 2> sum{};
  for (int i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed");
    method.tangent(system, 1.0, true, d.data(), 2);
    const double first = std::hypot(d[0].q[0], d[0].y[0]);
    const double area = d[0].q[0] * d[1].y[0] - d[0].y[0] * d[1].q[0];
    d[0] = {{d[0].q[0] / first}, {d[0].y[0] / first}};
    d[1] = {{-d[0].y[0]}, {d[0].q[0]}};
    sum[0].add(std::log(first));
    sum[1].add(std::log(area / first));
  }
  return {sum[0].value / (steps * step), sum[1].value / (steps * step)};
}

}  // namespace

TEST_CASE("with friction and a drive too the tangent map is the derivative of the method's own steps") {
  using Pendulum = Of<DrivenDampedPendulum>;
  is_its_own_derivative<Gauss<Pendulum>, Pendulum>(0.3);
  is_its_own_derivative<Rk4<Pendulum>, Pendulum>(0.3);
  is_its_own_derivative<DormandPrince853<Pendulum>, Pendulum>(0.3);
  is_its_own_derivative<StormerVerlet<Pendulum>, Pendulum>(0.1);
  // Forces of place and time, which Gauss collocation takes in its form for forces.
  using Duffing = Of<DrivenDuffing>;
  is_its_own_derivative<Gauss<Duffing>, Duffing>(0.3);
  is_its_own_derivative<DormandPrince853<Duffing>, Duffing>(0.3);
  is_its_own_derivative<Gauss<Of<ParametricPendulum>>, Of<ParametricPendulum>>(0.2);
  // A mass and a friction that depend on the place.
  using Bead = Of<DrivenBead>;
  is_its_own_derivative<Gauss<Bead>, Bead>(0.2);
  is_its_own_derivative<Rk4<Bead>, Bead>(0.2);
  is_its_own_derivative<Gauss<Of<ShakenPendulum>>, Of<ShakenPendulum>>(0.2);
}

TEST_CASE("the exponents of a driven damped pendulum sum to minus its damping") {
  using Pendulum = Of<DrivenDampedPendulum>;
  const auto check = []<class Method>(double step, double bound) {
    const auto both = exponents<Method>(step, static_cast<int>(2000 / step));
    const double off = std::abs(both[0] + both[1] + 0.5);
    INFO(Method::name << " at " << step << ": " << both[0] << " and " << both[1] << ", off " << off);
    CHECK(off < bound);
    CHECK(both[0] > 0.05);  // chaotic
    CHECK(both[0] < 0.3);
    return off;
  };
  check.operator()<Gauss<Pendulum>>(0.2, 1e-13);
  check.operator()<DormandPrince853<Pendulum>>(0.05, 1e-12);
  const double coarse = check.operator()<Rk4<Pendulum>>(0.1, 1e-5);
  const double fine = check.operator()<Rk4<Pendulum>>(0.05, 1e-6);
  INFO("rk4 off " << coarse << " and " << fine);
  CHECK(coarse > 1e-10);  // the control: a method's own error shows
  CHECK(fine < coarse / 8);
}

TEST_CASE("on a constraint that moves deviations follow the neighbours on it") {
  using Circle = Of<ShakenCircle>;
  using Method = ReducedGauss<Circle>;
  const Circle system;
  const auto from = [&](double by) { return ShakenCircle::at({0.0, {0.7 + by}, {0.4 - 2 * by}}); };
  const auto difference = [&](const State<double, 2>& up, const State<double, 2>& down, double apart) {
    Deviation<double, 2> d;
    for (int n = 0; n < 2; ++n) {
      d.q[n] = (up.q[n] - down.q[n]) / (2 * apart);
      d.y[n] = (up.v[n] - down.v[n]) / (2 * apart);
    }
    return d;
  };
  std::vector<double> distances{0.02, 0.01, 0.005}, errors;
  for (const double apart : distances) {
    Method method(fixed(0.1));
    method.start(system, from(0.0), true);
    auto d = difference(from(1e-5), from(-1e-5), 1e-5);
    for (int i = 0; i < 20; ++i) {
      REQUIRE(method.advance(system, true));
      method.tangent(system, 1.0, true, &d, 1);
    }
    const auto other = difference(run_of<Method>(system, from(apart), fixed(0.1), 20),
                                  run_of<Method>(system, from(-apart), fixed(0.1), 20), apart);
    double worst = 0;
    for (int n = 0; n < 2; ++n) {
      worst = std::max({worst, std::abs(d.q[n] - other.q[n]), std::abs(d.y[n] - other.y[n])});
    }
    errors.push_back(worst);
  }
  const double order = fitted_order(distances, errors).order;
  INFO("errors " << errors[0] << " " << errors[1] << " " << errors[2] << ", order " << order);
  CHECK(order > 1.9);
  CHECK(order < 2.1);
}
