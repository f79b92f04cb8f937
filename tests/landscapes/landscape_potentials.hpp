// SPDX-License-Identifier: BSD-3-Clause
// Potentials written down for the tests of landscapes, with their derivatives.
// Reference for the balls: V. P. Chan, The design, implementation, and applications of a novel numerical
// solver: the Lagrangian solver (master's thesis, OIST, 2018).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "landscapes/landscape.hpp"

namespace landscape_tests {

using namespace cotangent::landscapes;

constexpr double pi = std::numbers::pi;

/// Forward arithmetic on value, gradient and Hessian: enough to write a potential down.
struct Scalar {
  double v, x = 0, y = 0, xx = 0, xy = 0, yy = 0;

  friend Scalar operator+(Scalar a, Scalar b) {
    return {a.v + b.v, a.x + b.x, a.y + b.y, a.xx + b.xx, a.xy + b.xy, a.yy + b.yy};
  }
  friend Scalar operator*(double c, Scalar a) {
    return {c * a.v, c * a.x, c * a.y, c * a.xx, c * a.xy, c * a.yy};
  }
  friend Scalar operator-(Scalar a, Scalar b) { return a + -1.0 * b; }
  friend Scalar operator*(Scalar a, Scalar b) {
    return {a.v * b.v,
            a.v * b.x + b.v * a.x,
            a.v * b.y + b.v * a.y,
            a.v * b.xx + 2 * a.x * b.x + b.v * a.xx,
            a.v * b.xy + a.x * b.y + a.y * b.x + b.v * a.xy,
            a.v * b.yy + 2 * a.y * b.y + b.v * a.yy};
  }
  /// f(a) from f, f', f'' at a.
  friend Scalar chain(Scalar a, double f, double f1, double f2) {
    return {f,
            f1 * a.x,
            f1 * a.y,
            f1 * a.xx + f2 * a.x * a.x,
            f1 * a.xy + f2 * a.x * a.y,
            f1 * a.yy + f2 * a.y * a.y};
  }
  friend Scalar cos(Scalar a) { return chain(a, std::cos(a.v), -std::sin(a.v), -std::cos(a.v)); }
  Jet2 jet() const { return {v, {x, y}, {xx, xy, yy}}; }
};
inline Scalar first(double x) {
  return {x, 1, 0};
}
inline Scalar second(double y) {
  return {y, 0, 1};
}
inline Scalar constant(double c) {
  return {c};
}

/// The chain of three magnetic balls: U of (5.18) of Chan (2018), the angles of M13 combined.
inline Jet2 balls(double t_value, double s_value, double alpha) {
  const Scalar t = first(t_value), s = second(s_value);
  const Scalar half = cos(0.5 * (t + s));
  const double r = std::abs(half.v), sign = half.v < 0 ? -1 : 1;
  const Scalar inverse_cube = chain(half, std::pow(r, -3), -3 * sign * std::pow(r, -4), 12 * std::pow(r, -5));
  const Scalar m13 = 0.125 * (cos(2 * (t + s)) + 3 * cos(t - s)) * inverse_cube;
  const Scalar magnetic = constant(6) + cos(2 * t) + cos(2 * s) + m13;
  return ((-alpha / 12) * magnetic + 2 * cos(t) + cos(2 * t + s)).jet();
}
inline Potential balls_at(double alpha) {
  return [alpha](double t, double s) { return balls(t, s, alpha); };
}
// U and r13 = 2 |cos((t + s) / 2)| have period 2 pi in both angles.
inline const Domain apart = [](double t, double s) { return 2 * std::abs(std::cos(0.5 * (t + s))) - 1; };
inline const Window torus{-pi, pi, -pi, pi, true, true};

inline const Domain everywhere = [](double, double) { return 1.0; };

inline Jet2 henon_heiles(double x_value, double y_value) {
  const Scalar x = first(x_value), y = second(y_value);
  return (0.5 * (x * x + y * y) + x * x * y - (1.0 / 3) * (y * y * y)).jet();
}

/// The stationary point nearest to a place, periods respected; -1 if there is none.
inline int nearest(const Landscape& landscape, const Window& window, Point place) {
  const auto apart = [](double d, double period, bool periodic) {
    return periodic ? std::remainder(d, period) : d;
  };
  int best = -1;
  double distance = INFINITY;
  for (int i = 0; i < static_cast<int>(landscape.stationary.points.size()); ++i) {
    const Point p = landscape.stationary.points[i].point;
    const double d = std::hypot(apart(p[0] - place[0], window.x1 - window.x0, window.periodic_x),
                                apart(p[1] - place[1], window.y1 - window.y0, window.periodic_y));
    if (d < distance) {
      distance = d;
      best = i;
    }
  }
  return best;
}

/// The least energy that joins two stationary points inside the admissible window, infinite if none does: the
/// highest pass on a way is lowered until no way over one pass more is better (Bellman and Ford).
inline double barrier(const Landscape& landscape, int from, int to) {
  const int count = static_cast<int>(landscape.stationary.points.size());
  std::vector<double> level(count + landscape.boundary.size(), INFINITY);
  level[from] = landscape.stationary.points[from].energy;
  for (bool lowered = true; lowered;) {
    lowered = false;
    for (const Pass& pass : landscape.passes) {
      if (pass.kind == Pass::Kind::contact) continue;
      std::vector<int> nodes{pass.number + (pass.kind == Pass::Kind::saddle ? 0 : count)};
      for (const End& end : pass.ends)
        if (end.number >= 0) nodes.push_back(end.number + (end.kind == End::Kind::stationary ? 0 : count));
      double least = INFINITY;
      for (int node : nodes) least = std::min(least, level[node]);
      for (int node : nodes) {
        const double over = std::max(least, pass.energy);
        if (over < level[node]) {
          level[node] = over;
          lowered = true;
        }
      }
    }
  }
  return std::max(level[to], landscape.stationary.points[to].energy);
}

inline double escape_energy(const Landscape& landscape, int from) {
  return connectivity(landscape).escape_energy[from];
}

}  // namespace landscape_tests
