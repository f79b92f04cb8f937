// SPDX-License-Identifier: BSD-3-Clause
// The mathematical half from outside: a Lagrangian of one's own, and Gauss collocation on it.
#include <cmath>
#include <cstdio>

#include "core/version.hpp"
#include "integrators/gauss.hpp"

/// A pendulum: L = v^2 / 2 + cos q.
struct Pendulum {
  static constexpr int dim = 1;
  static constexpr std::array<cotangent::mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v) const {
    const auto [angle] = q;
    const auto [rate] = v;
    return 0.5 * rate * rate + cos(angle);
  }
};

int main() {
  using Real = cotangent::numerics::Lanes<4>;
  using System = cotangent::mechanics::System<Pendulum, Real>;
  const System system;
  cotangent::integrators::MethodOptions options;
  options.stages = 8;
  options.step = 0.25;
  cotangent::integrators::Gauss<System> method(options);
  const cotangent::integrators::State<Real, 1> start{Real(0.0), {Real(2.0)}, {Real(0.0)}};
  const auto all = start.t == Real(0.0);
  method.start(system, start, all);
  for (int step = 0; step < 4000; ++step) method.advance(system, all);
  const auto state = method.end();
  const Real error = system.energy(state.q, state.v, state.t) + std::cos(2.0);
  std::printf("cotangent %s: energy error %.1e at t = %g\n", cotangent::version, error[0], state.t[0]);
  return std::abs(error[0]) < 1e-13 && state.t[0] == 1000.0 ? 0 : 1;
}
