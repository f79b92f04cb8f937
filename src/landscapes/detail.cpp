// SPDX-License-Identifier: BSD-3-Clause
// Shared tools of the energy landscapes; see detail.hpp.
#include "landscapes/detail.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace cotangent::landscapes::detail {

namespace {
constexpr double epsilon = std::numeric_limits<double>::epsilon();
/// Below this share of the curvature around, an eigenvalue counts as zero.
constexpr double degenerate_ratio = 1e-9;

/// The largest Hessian at p and a little aside: at a monkey saddle that of p says nothing.
double curvature_around(const Potential& potential, Point p, const Jet2& jet, double distance) {
  double curvature = frobenius(jet.hessian);
  for (const Point aside : {Point{distance, 0}, Point{0, distance}}) {
    const Jet2 near = at(potential, p + aside);
    if (is_finite(near)) curvature = std::max(curvature, frobenius(near.hessian));
  }
  return curvature;
}

double wrapped(double x, double low, double high) {
  const double period = high - low;
  const double y = x - period * std::floor((x - low) / period);
  return y < high ? y : low;
}
}  // namespace

bool is_finite(const Jet2& jet) {
  return std::isfinite(jet.value) && std::isfinite(jet.gradient[0]) && std::isfinite(jet.gradient[1]) &&
         std::isfinite(jet.hessian[0]) && std::isfinite(jet.hessian[1]) && std::isfinite(jet.hessian[2]);
}

double determinant(const std::array<double, 3>& hessian) {
  // Kahan's difference of products: the determinant is small exactly where its sign matters.
  const double square = hessian[1] * hessian[1];
  const double lost = std::fma(-hessian[1], hessian[1], square);
  return std::fma(hessian[0], hessian[2], -square) + lost;
}

double frobenius(const std::array<double, 3>& hessian) {
  return std::sqrt(hessian[0] * hessian[0] + 2 * hessian[1] * hessian[1] + hessian[2] * hessian[2]);
}

Spectrum spectrum(const std::array<double, 3>& hessian) {
  const auto [a, b, c] = hessian;
  const double mean = 0.5 * (a + c), radius = std::hypot(0.5 * (a - c), b);
  // The eigenvalue of larger modulus is a sum without cancellation; the other follows from the determinant.
  const double large = mean >= 0 ? mean + radius : mean - radius;
  const double small = large != 0 ? determinant(hessian) / large : 0.0;
  const double angle = 0.5 * std::atan2(2 * b, a - c);
  const Point upper{std::cos(angle), std::sin(angle)}, lower{-std::sin(angle), std::cos(angle)};
  return {{std::min(large, small), std::max(large, small)}, {lower, upper}};
}

double span(const Window& window) {
  return std::max(window.x1 - window.x0, window.y1 - window.y0);
}

double magnitude(const Window& window, Point p) {
  return std::max({span(window), std::abs(p[0]), std::abs(p[1])});
}

Point wrapped(const Window& window, Point p) {
  if (window.periodic_x) p[0] = wrapped(p[0], window.x0, window.x1);
  if (window.periodic_y) p[1] = wrapped(p[1], window.y0, window.y1);
  return p;
}

Point displacement(const Window& window, Point a, Point b) {
  Point d = b - a;
  if (window.periodic_x) d[0] = std::remainder(d[0], window.x1 - window.x0);
  if (window.periodic_y) d[1] = std::remainder(d[1], window.y1 - window.y0);
  return d;
}

bool contains(const Window& window, Point p) {
  return (window.periodic_x || (window.x0 <= p[0] && p[0] <= window.x1)) &&
         (window.periodic_y || (window.y0 <= p[1] && p[1] <= window.y1));
}

std::optional<StationaryPoint> newton(const Potential& potential, const Window& window, Point start,
                                      double reach) {
  Point p = start;
  Jet2 jet = at(potential, p);
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (!is_finite(jet)) return {};
    const Spectrum s = spectrum(jet.hessian);
    const double stiffness = std::max(std::abs(s.value[0]), std::abs(s.value[1]));
    Point step{0, 0};
    double blocked = 0;  // force along a direction in which the Hessian has no slope to divide by
    for (int i = 0; i < 2; ++i) {
      const double force = dot(s.direction[i], jet.gradient);
      if (std::abs(s.value[i]) > 1e-13 * stiffness) {
        step = step - (force / s.value[i]) * s.direction[i];
      } else {
        blocked = std::max(blocked, std::abs(force));
      }
    }
    const double scale = magnitude(window, p), size = length(step);
    const double noise =
        4 * epsilon * (stiffness * scale + std::abs(jet.value) / span(window));  // of the gradient
    bool settled = size <= 2 * epsilon * scale;
    Point next = p;
    Jet2 next_jet = jet;
    if (!settled) {
      // Far from a zero the step is shortened until |grad U| falls.
      const double force = length(jet.gradient);
      double factor = std::min(1.0, reach / size);
      for (; factor > 1e-3; factor *= 0.5) {
        next = p + factor * step;
        next_jet = at(potential, next);
        if (is_finite(next_jet) && length(next_jet.gradient) < force) break;
      }
      settled = factor <= 1e-3 && force <= 16 * noise;
      if (!settled && factor <= 1e-3) return {};
    }
    if (settled) {
      const double around = curvature_around(potential, p, jet, 1e-3 * span(window));
      if (blocked > 16 * std::max(noise, 4 * epsilon * around * scale)) return {};
      const double soft = std::min(std::abs(s.value[0]), std::abs(s.value[1]));
      const bool degenerate = soft <= degenerate_ratio * around;
      const auto type = degenerate       ? StationaryType::degenerate
                        : s.value[0] > 0 ? StationaryType::minimum
                        : s.value[1] < 0 ? StationaryType::maximum
                                         : StationaryType::saddle;
      const int index = type == StationaryType::saddle ? -1 : 1;
      // Where the gradient starts with its cubic terms, a third of the digits fixes the position.
      const double uncertainty = degenerate ? 1e-5 * scale : noise / soft;
      return StationaryPoint{p, jet.value, type, s.value, s.direction[0], index, uncertainty};
    }
    p = next;
    jet = next_jet;
    if (length(p - start) > reach) return {};
  }
  return {};
}

namespace {
double angle_between(Point a, Point b) {
  return std::atan2(a[0] * b[1] - a[1] * b[0], dot(a, b));
}

bool add_turning(const Potential& potential, const std::function<Point(double)>& path, double begin,
                 Point g_begin, double end, Point g_end, int depth, double& sum) {
  const double middle = 0.5 * (begin + end);
  const Point g = at(potential, path(middle)).gradient;
  const double first = angle_between(g_begin, g), second = angle_between(g, g_end);
  if (!std::isfinite(first + second) || depth == 0) return false;
  constexpr double small = std::numbers::pi / 6;
  if (std::abs(first) < small && std::abs(second) < small && length(g) > 0) {
    sum += first + second;
    return true;
  }
  return add_turning(potential, path, begin, g_begin, middle, g, depth - 1, sum) &&
         add_turning(potential, path, middle, g, end, g_end, depth - 1, sum);
}
}  // namespace

std::optional<double> turning(const Potential& potential, const std::function<Point(double)>& path) {
  const Point begin = at(potential, path(0)).gradient, end = at(potential, path(1)).gradient;
  if (!(length(begin) > 0 && length(end) > 0)) return {};
  double sum = 0;
  if (!add_turning(potential, path, 0, begin, 1, end, 40, sum)) return {};
  return sum;
}

}  // namespace cotangent::landscapes::detail
