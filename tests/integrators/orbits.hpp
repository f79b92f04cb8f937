// SPDX-License-Identifier: BSD-3-Clause
// What the tests of the methods share: fixed-step runs of one orbit, and the order fitted to their errors.
// The orbit: V. P. Chan, The design, implementation, and applications of a novel numerical solver: the
// Lagrangian solver (master's thesis, OIST, 2018), (3.50).
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "fitted_order.hpp"
#include "integrators/method.hpp"
#include "mechanics/models/henon_heiles.hpp"
#include "mechanics/models/kepler.hpp"
#include "reference/henon_heiles_states.hpp"

namespace cotangent::integrators {

template <class R>
using HenonHeilesSystem = mechanics::System<mechanics::HenonHeiles, R>;

/// The same motion from a Lagrangian whose type doesn't tell that it is quadratic in the velocities: Gauss
/// collocation then goes through the momenta, with the same solution.
struct GeneralHenonHeiles {
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    using ad::pow;
    const auto [q1, q2] = q;
    const auto [v1, v2] = v;
    return 0.5 * (pow(v1, 2) + pow(v2, 2)) - 0.5 * (q1 * q1 + q2 * q2) - q1 * q1 * q2 + q2 * q2 * q2 / 3.0;
  }
};

inline MethodOptions fixed(double step, int stages = 8, const std::string& treatment = "E") {
  MethodOptions options;
  options.step = step;
  options.stages = stages;
  options.treatment = treatment;
  return options;
}

inline MethodOptions adaptive(double tolerance, int stages = 8, const std::string& treatment = "E",
                              double first_step = 0.1) {
  MethodOptions options = fixed(first_step, stages, treatment);
  options.tolerance = tolerance;
  return options;
}

/// The start of the orbit (3.50) of Chan (2018), in every lane.
template <class R>
State<R, 2> henon_heiles_start() {
  const auto& x = reference::henon_heiles_start;
  State<R, 2> state;
  state.q = {R(x[0]), R(x[1])};
  state.v = {R(x[2]), R(x[3])};
  return state;
}

/// The Euclidean norm of the difference between two states' coordinates and velocities.
template <int N>
double distance(const State<double, N>& a, const State<double, N>& b) {
  double sum = 0;
  for (int i = 0; i < N; ++i) sum += std::pow(a.q[i] - b.q[i], 2) + std::pow(a.v[i] - b.v[i], 2);
  return std::sqrt(sum);
}

/// The state after a time of fixed steps.
template <template <class> class Method, class System>
State<double, System::dim> run(const System& system, const State<double, System::dim>& start, double time,
                               const MethodOptions& options) {
  Method<System> method(options);
  method.start(system, start, true);
  const auto steps = std::lround(std::abs(time / options.step));
  for (long i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed with status " << method.failure());
  }
  return method.end();
}

/// How adaptive steps went through one revolution of the Kepler problem with semi-axis 1.
struct Revolution {
  double error, shortest = 1, longest = 0;
  int attempts = 0, taken = 0;
};
template <template <class> class Method>
Revolution revolution(const State<double, 2>& start, const MethodOptions& options) {
  using System = mechanics::System<mechanics::Kepler, double>;
  constexpr double period = 6.283185307179586;
  const System system;
  Method<System> method(options);
  method.start(system, start, true);
  Revolution result;
  while (method.end().t < period) {
    ++result.attempts;
    if (!method.advance(system, true)) continue;
    ++result.taken;
    result.shortest = std::min(result.shortest, method.step());
    result.longest = std::max(result.longest, method.step());
  }
  const auto x = method.again(system, (period - method.begin_time()) / method.step(), true);
  result.error = distance(x, start);
  return result;
}

/// The error on the orbit (3.50) at time 10.
template <template <class> class Method>
double henon_heiles_error(const MethodOptions& options, double time = 10) {
  const auto end = run<Method>(HenonHeilesSystem<double>{}, henon_heiles_start<double>(), time, options);
  for (const auto& reference : reference::henon_heiles_states) {
    if (reference.time != time) continue;
    const auto& x = reference.state;
    return distance<2>(end, {time, {x[0], x[1]}, {x[2], x[3]}});
  }
  throw std::logic_error("no reference at this time");
}

/// The order that errors show, through three points as well.
inline test::FittedOrder fitted_order(const std::vector<double>& steps, const std::vector<double>& errors) {
  return test::logarithmic_fit(steps, errors);
}

template <template <class> class Method>
test::FittedOrder henon_heiles_order(const std::vector<double>& steps,
                                     const MethodOptions& options = fixed(0)) {
  std::vector<double> errors;
  for (const double step : steps) {
    MethodOptions with_step = options;
    with_step.step = step;
    errors.push_back(henon_heiles_error<Method>(with_step));
  }
  return fitted_order(steps, errors);
}

}  // namespace cotangent::integrators
