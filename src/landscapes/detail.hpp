// SPDX-License-Identifier: BSD-3-Clause
// What the parts of landscape.hpp share: spectrum of a 2 x 2 Hessian, periodic geometry, Newton on grad U.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "landscapes/landscape.hpp"

namespace cotangent::landscapes::detail {

inline Point operator+(Point a, Point b) {
  return {a[0] + b[0], a[1] + b[1]};
}
inline Point operator-(Point a, Point b) {
  return {a[0] - b[0], a[1] - b[1]};
}
inline Point operator*(double s, Point a) {
  return {s * a[0], s * a[1]};
}
inline double dot(Point a, Point b) {
  return a[0] * b[0] + a[1] * b[1];
}
inline double length(Point a) {
  return std::hypot(a[0], a[1]);
}

inline Jet2 at(const Potential& potential, Point p) {
  return potential(p[0], p[1]);
}
inline double at(const Domain& domain, Point p) {
  return domain(p[0], p[1]);
}

bool is_finite(const Jet2& jet);
double determinant(const std::array<double, 3>& hessian);
double frobenius(const std::array<double, 3>& hessian);

/// Eigenvalues, ascending, with unit eigenvectors.
struct Spectrum {
  std::array<double, 2> value;
  std::array<Point, 2> direction;
};
Spectrum spectrum(const std::array<double, 3>& hessian);

/// How far energies may lie apart that count as level: a share of the range of energies, and round-off.
inline double level_within(double energy, double range, double share) {
  return share * range + 16 * std::numeric_limits<double>::epsilon() * std::abs(energy);
}

/// The longer side of the window.
double span(const Window& window);
/// The size of coordinates at p, whose round-off is that of places there: of the window, or of p itself.
double magnitude(const Window& window, Point p);
/// The representative of p in the window, period by period.
Point wrapped(const Window& window, Point p);
/// The shortest vector from a to b, modulo periods.
Point displacement(const Window& window, Point a, Point b);
/// Whether p, wrapped, lies in the window.
bool contains(const Window& window, Point p);

/// A zero of grad U near `start` by damped Newton, no farther away than `reach`, in a window so large; none
/// if the iteration fails.
std::optional<StationaryPoint> newton(const Potential& potential, const Window& window, Point start,
                                      double reach);

/// Turns of grad U along a path [0, 1] -> plane, in radians; none if grad U vanishes on it.
std::optional<double> turning(const Potential& potential, const std::function<Point(double)>& path);

/// The zero of the domain between an admissible place and one that is not.
Point crossing(const Domain& domain, Point in, Point out);

/// The unit normal of the line through p on which the domain is constant, away from the admissible side.
Point outward(const Domain& domain, const Window& window, Point p);

/// The boundary's direction at p with the admissible side on the left, of an outward normal.
inline Point along(Point outward) {
  return {-outward[1], outward[0]};
}

/// Turns of grad U along the boundary of the admissible region, that region on the left.
std::optional<int> boundary_index(const Potential& potential, const Domain& domain, const Window& window,
                                  int cells);

}  // namespace cotangent::landscapes::detail
