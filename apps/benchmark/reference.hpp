// Reference orbits in extended precision: the explicit midpoint rule with steps H/2, H/4, ... H/16,
// extrapolated in H^2 (Gragg 1965; Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.9),
// order 16.
#pragma once

#include <span>

#include "section.hpp"

namespace cotangent::benchmark {

using Extended = long double;

/// One extrapolated step of length h.
template <class Problem>
StateOf<Extended> extrapolated(const StateOf<Extended>& y, Extended h) {
  constexpr int columns = 8;
  StateOf<Extended> table[columns], slope;
  for (int j = 0; j < columns; ++j) {
    const int n = 2 * (j + 1);
    StateOf<Extended> older = y, newer;
    Problem::derivative(y, slope);
    for (int k = 0; k < 4; ++k) newer[k] = y[k] + h / n * slope[k];
    for (int i = 1; i < n; ++i) {
      Problem::derivative(newer, slope);
      for (int k = 0; k < 4; ++k) {
        const Extended next = older[k] + 2 * h / n * slope[k];
        older[k] = newer[k];
        newer[k] = next;
      }
    }
    table[j] = newer;
    for (int m = j - 1; m >= 0; --m) {
      const Extended ratio = Extended(n) / (2 * (m + 1));
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

inline State rounded(const StateOf<Extended>& y) {
  return {double(y[0]), double(y[1]), double(y[2]), double(y[3])};
}

/// The orbit from `start` to `end` in steps of `step` at most.
template <class Problem>
Reference reference(const State& start, double end, double step = Problem::reference_step) {
  Reference result;
  StateOf<Extended> y{start[0], start[1], start[2], start[3]};
  const int steps = static_cast<int>(std::ceil(end / step));
  const Extended h = Extended(end) / steps;
  for (int i = 0; i < steps; ++i) {
    const StateOf<Extended> before = y;
    y = extrapolated<Problem>(before, h);
    if (Problem::crosses(double(before[0]), double(y[0]))) {
      const auto crossing = locate<Problem, Extended>(
          before, y, h, [&](Extended dt) { return extrapolated<Problem>(before, dt); });
      if (Problem::counts(crossing.state)) {
        result.crossings.push_back({double(i * h + crossing.time), rounded(crossing.state)});
      }
    }
  }
  result.final = rounded(y);
  return result;
}

}  // namespace cotangent::benchmark
