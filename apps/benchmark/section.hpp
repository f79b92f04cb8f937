// SPDX-License-Identifier: BSD-3-Clause
// A crossing of the plane q1 = 0 within one step, located by Newton's method on whatever gives the state
// within the step: a tool's dense output, or the step repeated with another length. And `march`, the loop
// shared by all tools that advance one orbit step by step.
#pragma once

#include <algorithm>
#include <cmath>

#include "problems.hpp"

namespace cotangent::benchmark {

template <class Real>
struct Crossing {
  Real time;  ///< Since the beginning of the step, or of the orbit.
  StateOf<Real> state;
};

/// The root of the cubic Hermite polynomial through both ends of a step of length h, as a first guess.
template <class Real>
Real hermite_root(const StateOf<Real>& before, const StateOf<Real>& after, Real h) {
  const Real s0 = before[0], s1 = after[0], d0 = h * before[2], d1 = h * after[2];
  const Real c2 = 3 * (s1 - s0) - 2 * d0 - d1, c3 = 2 * (s0 - s1) + d0 + d1;
  Real low = 0, high = 1, x = s0 / (s0 - s1);
  for (int i = 0; i < 8; ++i) {
    const Real s = s0 + x * (d0 + x * (c2 + x * c3)), slope = d0 + x * (2 * c2 + x * 3 * c3);
    ((s < 0) == (s0 < 0) ? low : high) = x;
    Real next = x - s / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const bool settled = std::abs(next - x) < Real(1e-7);
    x = next;
    if (settled) break;
  }
  return x * h;
}

/// Where the orbit meets q1 = 0 between `before` and `after`; `state_at(dt)` is the state dt after `before`.
template <class Problem, class Real, class StateAt>
Crossing<Real> locate(const StateOf<Real>& before, const StateOf<Real>& after, Real h, StateAt&& state_at) {
  Real low = 0, high = h, dt = hermite_root(before, after, h);
  for (int i = 0;; ++i) {
    StateOf<Real> y = state_at(dt);
    const Real correction = -y[0] / y[2];
    // The last correction is made along the tangent: what that neglects is below round-off.
    if (std::abs(correction) < Real(1e-9) * std::min(h, Real(1)) || i == 40) {
      StateOf<Real> slope;
      Problem::derivative(y, slope);
      for (int k = 0; k < 4; ++k) y[k] += correction * slope[k];
      return {dt + correction, y};
    }
    ((y[0] < 0) == (before[0] < 0) ? low : high) = dt;
    dt += correction;
    if (!(dt > low && dt < high)) dt = (low + high) / 2;
  }
}

/// Advances one orbit to `end`. A tool has begin(y, end); step(t, y), which advances both and ends on `end`
/// at the latest; at(dt), the state dt after the beginning of the last step.
template <class Problem, class Tool, class Observation>
State march(Tool& tool, State y, int id, double end, bool events, Observation& watch) {
  double t = 0;
  tool.begin(y, end);
  while (t < end) {
    const State before = y;
    const double start = t;
    tool.step(t, y);
    watch.step(id, y);
    if (events && Problem::crosses(before[0], y[0])) {
      const auto crossing =
          locate<Problem, double>(before, y, t - start, [&](double dt) { return tool.at(dt); });
      if (Problem::counts(crossing.state)) watch.crossing(id, start + crossing.time, crossing.state);
    }
  }
  return y;
}

}  // namespace cotangent::benchmark
