// SPDX-License-Identifier: BSD-3-Clause
// The two problems of the benchmark, as a competent user of another library writes them: accelerations by
// hand, no common term computed twice.
//   Hénon-Heiles (Hénon, Heiles 1964), E = 1/8:  L = (q1'^2 + q2'^2)/2 - (q1^2 + q2^2)/2 - q1^2 q2 + q2^3/3,
//     section q1 = 0, upwards.
//   A chain of three magnetic balls, angles (t, s), alpha = 18, E = -9.74, c = cos(t+s):
//     T = (17/5 + 2c) t'^2 + 7/10 s'^2 + (12/5 + c) t' s',   U = -alpha/12 (M12 + M23 + M13) + 2 cos t +
//     cos(2t+s), M12 = cos 2t + 3, M23 = cos 2s + 3, M13 = (cos 2(t+s) + 3 cos(t-s)) / (8 |cos((t+s)/2)|^3),
//     section t = 0 in either direction where p_t = dT/dt' > 0.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace cotangent::benchmark {

/// (q1, q2, q1', q2').
template <class Real>
using StateOf = std::array<Real, 4>;
using State = StateOf<double>;

/// A side x side grid of starts in the second coordinate and its velocity; `complete` solves for the first
/// velocity. They are stirred, so that the first few represent all.
template <class Complete>
std::vector<State> grid(int side, double q_low, double q_high, double v_low, double v_high,
                        Complete complete) {
  std::vector<State> starts(std::size_t(side) * side);
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      const double q = q_low + (q_high - q_low) * (i + 0.5) / side;
      const double v = v_low + (v_high - v_low) * (j + 0.5) / side;
      starts[order[std::size_t(i) * side + j]] = {0.0, q, complete(q, v), v};
    }
  }
  return starts;
}

struct HenonHeiles {
  static constexpr const char* name = "henon-heiles";
  static constexpr double energy_level = 0.125;
  static constexpr bool separable = true;
  static constexpr double reference_step = 0.5;  ///< Short enough to see every crossing.

  template <class Real>
  static void acceleration(const Real& x, const Real& y, Real& ax, Real& ay) {
    ax = -x - 2.0 * x * y;
    ay = -y - x * x + y * y;
  }
  template <class Real>
  static void derivative(const StateOf<Real>& y, StateOf<Real>& dydt) {
    dydt[0] = y[2];
    dydt[1] = y[3];
    acceleration(y[0], y[1], dydt[2], dydt[3]);
  }
  static double energy(const State& y) {
    return 0.5 * (y[2] * y[2] + y[3] * y[3] + y[0] * y[0] + y[1] * y[1]) +
           y[1] * (y[0] * y[0] - y[1] * y[1] / 3);
  }
  static bool crosses(double before, double after) { return before < 0 && after >= 0; }
  template <class Real>
  static bool counts(const StateOf<Real>&) {
    return true;
  }
  static std::vector<State> starts(int side) {
    return grid(side, -0.3, 0.45, -0.3, 0.3, [](double q, double v) {
      return std::sqrt(2 * energy_level - v * v - q * q + 2 * q * q * q / 3);
    });
  }
};

/// Sine and cosine of one argument together, where the type offers that.
template <class Real>
std::pair<Real, Real> sine_cosine(const Real& x) {
  if constexpr (requires { sincos(x).first; }) {
    return sincos(x);
  } else {
    using std::cos, std::sin;  // the compiler joins them
    return {sin(x), cos(x)};
  }
}

struct MagneticChain {
  static constexpr const char* name = "magnetic-chain";
  static constexpr double alpha = 18.0;
  static constexpr double energy_level = -9.74;
  static constexpr bool separable = false;
  static constexpr double reference_step = 0.125;

  /// Two sines and two cosines; all others follow by the addition theorems.
  template <class Real>
  static void derivative(const StateOf<Real>& y, StateOf<Real>& dydt) {
    using std::sqrt;
    const auto [st, ct] = sine_cosine(y[0]);
    const auto [ss, cs] = sine_cosine(y[1]);
    const Real S = st * cs + ct * ss, c = ct * cs - st * ss;    // t + s
    const Real sd = st * cs - ct * ss, cd = ct * cs + st * ss;  // t - s
    const Real k2 = 0.5 + 0.5 * c;                              // cos^2((t+s)/2)
    const Real inverse = 1.0 / (8.0 * k2 * sqrt(k2));
    const Real common = (-4.0 * S * c + 0.75 * S / k2 * (2.0 * c * c - 1.0 + 3.0 * cd)) * inverse;
    const Real odd = 3.0 * sd * inverse;
    const Real outer = S * ct + c * st;  // sin(2t + s)
    const Real slope_t = -alpha / 12.0 * (common - odd - 4.0 * st * ct) - 2.0 * (st + outer);
    const Real slope_s = -alpha / 12.0 * (common + odd - 4.0 * ss * cs) - outer;
    const Real vt = y[2], vs = y[3];
    const Real ft = S * (2.0 * vt * vt + 4.0 * vt * vs + vs * vs) - slope_t;
    const Real fs = -S * vt * vt - slope_s;
    const Real mtt = 6.8 + 4.0 * c, mts = 2.4 + c;
    const Real scale = 1.0 / (1.4 * mtt - mts * mts);
    dydt[0] = vt;
    dydt[1] = vs;
    dydt[2] = (1.4 * ft - mts * fs) * scale;
    dydt[3] = (mtt * fs - mts * ft) * scale;
  }
  static double energy(const State& y) {
    const double t = y[0], s = y[1], c = std::cos(t + s);
    const double kinetic = (3.4 + 2 * c) * y[2] * y[2] + 0.7 * y[3] * y[3] + (2.4 + c) * y[2] * y[3];
    const double m13 =
        (std::cos(2 * (t + s)) + 3 * std::cos(t - s)) / (8 * std::pow(std::abs(std::cos((t + s) / 2)), 3));
    const double magnetic = std::cos(2 * t) + std::cos(2 * s) + 6 + m13;
    return kinetic - alpha / 12 * magnetic + 2 * std::cos(t) + std::cos(2 * t + s);
  }
  static bool crosses(double before, double after) {
    return (before < 0 && after >= 0) || (before > 0 && after <= 0);
  }
  template <class Real>
  static bool counts(const StateOf<Real>& y) {
    using std::cos;
    const Real c = cos(y[0] + y[1]);
    return (6.8 + 4.0 * c) * y[2] + (2.4 + c) * y[3] > 0;
  }
  static std::vector<State> starts(int side) {
    return grid(side, -0.04, 0.04, -0.15, 0.15, [](double s, double v) {
      const double a = 3.4 + 2 * std::cos(s), b = (2.4 + std::cos(s)) * v;
      const double kinetic = energy_level - energy({0, s, 0, 0});
      return (-b + std::sqrt(b * b - 4 * a * (0.7 * v * v - kinetic))) / (2 * a);  // the root with p_t > 0
    });
  }
};

}  // namespace cotangent::benchmark
