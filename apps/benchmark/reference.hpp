// SPDX-License-Identifier: BSD-3-Clause
// Reference orbits in extended precision: the explicit midpoint rule with steps H/2, H/4, ... H/16,
// extrapolated in H^2 (Gragg 1965; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.9),
// order 16.
#pragma once

#include <span>

#include "section.hpp"

namespace cotangent::benchmark {

using LongDouble = long double;

/// One extrapolated step of length h.
template <class Problem>
StateOf<LongDouble> extrapolated(const StateOf<LongDouble>& y, LongDouble h) {
  constexpr int columns = 8;
  StateOf<LongDouble> table[columns], slope;
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    StateOf<LongDouble> older = y, newer;
    Problem::derivative(y, slope);
    for (int k = 0; k < 4; ++k) newer[k] = y[k] + h / n * slope[k];
    for (int i = 1; i < n; ++i) {
      Problem::derivative(newer, slope);
      for (int k = 0; k < 4; ++k) {
        const LongDouble next = older[k] + 2 * h / n * slope[k];
        older[k] = newer[k];
        newer[k] = next;
      }
    }
    table[j] = newer;
    for (int m = j - 1; m >= 0; --m) {
      const LongDouble ratio = LongDouble(n) / (2 * (m + 1));
      for (int k = 0; k < 4; ++k)
        table[m][k] = table[m + 1][k] + (table[m + 1][k] - table[m][k]) / (ratio * ratio - 1);
    }
  }
  return table[0];
}

/// Where one orbit is at `end`, and all its crossings until then.
struct Reference {
  State final;
  std::vector<Crossing<double>> crossings;
};

inline State rounded(const StateOf<LongDouble>& y) {
  return {double(y[0]), double(y[1]), double(y[2]), double(y[3])};
}

/// Adds the crossings within a step. Where q1 turns round and its extremum lies beyond the section, there are
/// two, of which the ends of the step show nothing.
template <class Problem>
void add_crossings(Reference& result, const StateOf<LongDouble>& before, LongDouble start, LongDouble h) {
  const auto state_at = [&](LongDouble dt) { return extrapolated<Problem>(before, dt); };
  const StateOf<LongDouble> after = state_at(h);
  if (Problem::crosses(double(before[0]), double(after[0]))) {
    const auto crossing = locate<Problem, LongDouble>(before, after, h, state_at);
    if (Problem::counts(crossing.state)) {
      result.crossings.push_back({double(start + crossing.time), rounded(crossing.state)});
    }
  } else if ((before[0] < 0) == (after[0] < 0) && (before[2] < 0) != (after[2] < 0)) {
    LongDouble low = 0, high = h;
    for (int i = 0; i < 30; ++i) {
      const LongDouble middle = (low + high) / 2;
      ((state_at(middle)[2] < 0) == (before[2] < 0) ? low : high) = middle;
    }
    const StateOf<LongDouble> extremum = state_at(low);
    if ((extremum[0] < 0) == (before[0] < 0)) return;
    add_crossings<Problem>(result, before, start, low);
    add_crossings<Problem>(result, extremum, start + low, h - low);
  }
}

/// The orbit from `start` to `end` in steps of `step` at most.
template <class Problem>
Reference reference(const State& start, double end, double step = Problem::reference_step) {
  Reference result;
  StateOf<LongDouble> y{start[0], start[1], start[2], start[3]};
  const int steps = static_cast<int>(std::ceil(end / step));
  LongDouble t = 0;
  const auto advance = [&](LongDouble h) {
    add_crossings<Problem>(result, y, t, h);
    y = extrapolated<Problem>(y, h);
    t += h;
  };
  // The start lies on the section, and an orbit may come back within the first step.
  for (int i = 0; i < 16; ++i) advance(LongDouble(end) / steps / 16);
  for (int i = 1; i < steps; ++i) advance(LongDouble(end) / steps);
  result.final = rounded(y);
  return result;
}

}  // namespace cotangent::benchmark
