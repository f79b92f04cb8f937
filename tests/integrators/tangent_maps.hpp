// SPDX-License-Identifier: BSD-3-Clause
// What the tests of tangent maps share: the derivative M of some steps in canonical variables (q, p), and
// what M^T J M is off by.
#pragma once

#include <array>
#include <cmath>

#include "orbits.hpp"

namespace cotangent::integrators {

template <int N>
using Square = std::array<std::array<double, N>, N>;

/// Columns of L_vq and L_vv at a state: dp = L_vq dq + L_vv dv.
template <class System>
std::array<double, System::dim> momentum_change(const System& system, const State<double, System::dim>& x,
                                                const Deviation<double, System::dim>& d) {
  const auto at = system.hessian(x.q, x.v, x.t);
  std::array<double, System::dim> result{};
  for (int i = 0; i < System::dim; ++i) {
    for (int j = 0; j < System::dim; ++j) result[i] += at.qv[j][i] * d.q[j] + at.vv[i][j] * d.y[j];
  }
  return result;
}

/// The deviation in a method's own pair that is the k-th unit vector of (q, p).
template <class Method, class System>
Deviation<double, System::dim> canonical_unit(const System& system, const State<double, System::dim>& x,
                                              int k) {
  constexpr int N = System::dim;
  Deviation<double, N> d;
  (k < N ? d.q[k] : d.y[k - N]) = 1;
  if constexpr (!Method::momenta) {
    const auto at = system.hessian(x.q, x.v, x.t);
    std::array<double, N> right = d.y;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) right[i] -= at.qv[j][i] * d.q[j];
    }
    d.y = numerics::solve<double, N>(at.vv, right);
  }
  return d;
}

/// M[i][k]: the change of (q, p)_i at the end by that of (q, p)_k at the start.
template <class Method, class System>
Square<2 * System::dim> derivative_of_steps(const System& system, const State<double, System::dim>& start,
                                            const MethodOptions& options, int steps) {
  constexpr int N = System::dim;
  Method method(options);
  method.start(system, start, true);
  std::array<Deviation<double, N>, 2 * N> d;
  for (int k = 0; k < 2 * N; ++k) d[k] = canonical_unit<Method>(system, start, k);
  for (int i = 0; i < steps; ++i) {
    if (!method.advance(system, true)) FAIL("step " << i << " failed with status " << method.failure());
    method.tangent(system, 1.0, true, d.data(), 2 * N);
  }
  Square<2 * N> m;
  for (int k = 0; k < 2 * N; ++k) {
    const auto p = Method::momenta ? d[k].y : momentum_change(system, method.end(), d[k]);
    for (int i = 0; i < N; ++i) {
      m[i][k] = d[k].q[i];
      m[N + i][k] = p[i];
    }
  }
  return m;
}

/// The state after these steps.
template <class Method, class System>
State<double, System::dim> run_of(const System& system, const State<double, System::dim>& start,
                                  const MethodOptions& options, int steps) {
  Method method(options);
  method.start(system, start, true);
  for (int i = 0; i < steps; ++i) method.advance(system, true);
  return method.end();
}

/// The largest entry of M^T J M - J.
template <std::size_t D>
double symplectic_defect_of(const std::array<std::array<double, D>, D>& m) {
  constexpr int n = D / 2;
  double worst = 0;
  for (int i = 0; i < 2 * n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      double sum = j == i + n ? -1 : i == j + n ? 1 : 0;
      for (int k = 0; k < n; ++k) sum += m[k][i] * m[k + n][j] - m[k + n][i] * m[k][j];
      worst = std::max(worst, std::abs(sum));
    }
  }
  return worst;
}

}  // namespace cotangent::integrators
