// SPDX-License-Identifier: BSD-3-Clause
// Driven and damped problems with known answers, as the tests of the methods share them.
#pragma once

#include <complex>

#include "orbits.hpp"

namespace cotangent::integrators {

/// x'' + c x' + k x = F cos(w t), its friction a force or Rayleigh's function.
struct DrivenOscillator {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 4> parameters{
      {{"c", 0.3, ""}, {"k", 1.7, ""}, {"F", 0.8, ""}, {"w", 1.3, ""}}};
  auto operator()(const auto& q, const auto& v, const auto& p) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (x_dot * x_dot - p[1] * x * x);
  }
  auto force(const auto&, const auto& v, const auto& p, const auto& t) const {
    using std::cos, ad::cos;
    const auto [x_dot] = v;
    return p[2] * cos(p[3] * t) - p[0] * x_dot;
  }
  /// x and x' at t from those at 0, by the steady and the transient motion.
  static State<double, 1> exact(double t, double x, double v) {
    const double c = 0.3, k = 1.7, drive = 0.8, w = 1.3;
    using Complex = std::complex<double>;
    const Complex steady = drive / Complex(k - w * w, c * w), i(0, 1);
    const double x0 = x - steady.real(), v0 = v - (i * w * steady).real();
    const double omega = std::sqrt(k - c * c / 4);
    const Complex rate(-c / 2, omega), transient(x0, -(v0 + c / 2 * x0) / omega);
    const Complex part = transient * std::exp(rate * t), wave = steady * std::exp(i * w * t);
    return {t, {(part + wave).real()}, {(rate * part + i * w * wave).real()}};
  }
};

/// The same in time and friction, of a pendulum whose mass matrix isn't constant, so that all methods go
/// through the momenta: a bead's L = (1 + x^2) x'^2 / 2 + cos x, with friction by Rayleigh's function that is
/// no quadratic, and a force of place and time.
struct DrivenBead {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    using std::cos, ad::cos;
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (1.0 + x * x) * x_dot * x_dot + cos(x);
  }
  auto force(const auto& q, const auto&, const auto&, const auto& t) const {
    using std::cos, ad::cos;
    const auto [x] = q;
    return (1.0 + 0.3 * x) * (0.9 * cos(1.4 * t));
  }
  auto dissipation(const auto& q, const auto& v, const auto&) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return (0.1 + 0.05 * x * x) * x_dot * x_dot + 0.02 * x_dot * x_dot * x_dot * x_dot;
  }
};

/// a'' = -sin a, to which a force is added.
struct ForcedPendulum {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    using std::cos, ad::cos;
    const auto [a] = q;
    const auto [a_dot] = v;
    return 0.5 * a_dot * a_dot + cos(a);
  }
};

/// A pendulum with friction and a drive, a'' = -sin a - c a' + A cos(w t).
struct DrivenDampedPendulum : ForcedPendulum {
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"c", 0.5, ""}, {"A", 1.2, ""}, {"w", 2.0 / 3, ""}}};
  auto force(const auto&, const auto&, const auto& p, const auto& t) const {
    using std::cos, ad::cos;
    return p[1] * cos(p[2] * t);
  }
  auto dissipation(const auto&, const auto& v, const auto& p) const {
    const auto [a_dot] = v;
    return 0.5 * p[0] * a_dot * a_dot;
  }
};

/// Moved by place and time alone: Duffing's x'' = x - x^3 + F cos(w t), newtonian.
struct DrivenDuffing {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x] = q;
    const auto [x_dot] = v;
    return 0.5 * (x_dot * x_dot + x * x) - 0.25 * x * x * x * x;
  }
  auto force(const auto& q, const auto&, const auto&, const auto& t) const {
    using std::cos, ad::cos;
    const auto [x] = q;
    return 0.4 * cos(1.2 * t) + 0.1 * x * cos(t);
  }
};

/// Kapitza's pendulum as an explicit time: L = a'^2 / 2 + (1 + cos(3 t) / 2) cos a, newtonian.
struct ParametricPendulum {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using std::cos, ad::cos;
    const auto [a] = q;
    const auto [a_dot] = v;
    return 0.5 * a_dot * a_dot + (1.0 + 0.5 * cos(3.0 * t)) * cos(a);
  }
};

/// Where a pivot is that shakes, X = 0.3 sin 1.7 t, Y = 0.2 cos 1.1 t, from 0.
struct Pivot {
  static auto x(const auto& t) {
    using std::sin, ad::sin;
    return 0.3 * sin(1.7 * t);
  }
  static auto y(const auto& t) {
    using std::cos, ad::cos;
    return 0.2 * cos(1.1 * t);
  }
};

/// A pendulum on it in the air, by its angle: friction c = 0.2 acts on the velocity in space.
struct ShakenPendulum {
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  static auto velocity(const auto& q, const auto& v, const auto& t) {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [a] = q;
    const auto [a_dot] = v;
    return std::tuple(0.51 * cos(1.7 * t) + cos(a) * a_dot, sin(a) * a_dot - 0.22 * sin(1.1 * t));
  }
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using std::cos, ad::cos;
    const auto [a] = q;
    const auto [u, w] = velocity(q, v, t);
    return 0.5 * (u * u + w * w) - (Pivot::y(t) - cos(a));
  }
  auto dissipation(const auto& q, const auto& v, const auto&, const auto& t) const {
    const auto [u, w] = velocity(q, v, t);
    return 0.1 * (u * u + w * w);
  }
};

/// The same in Cartesian coordinates, on a circle that moves.
struct ShakenCircle {
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (u * u + w * w) - y;
  }
  auto force(const auto&, const auto& v, const auto&) const {
    const auto [u, w] = v;
    return std::tuple(-0.2 * u, -0.2 * w);
  }
  auto constraint(const auto& q, const auto&, const auto& t) const {
    const auto [x, y] = q;
    const auto dx = x - Pivot::x(t), dy = y - Pivot::y(t);
    return 0.5 * (dx * dx + dy * dy - 1.0);
  }
  /// The state at an angle.
  static State<double, 2> at(const State<double, 1>& x) {
    const auto [u, w] = ShakenPendulum::velocity(x.q, x.v, x.t);
    return {x.t, {Pivot::x(x.t) + std::sin(x.q[0]), Pivot::y(x.t) - std::cos(x.q[0])}, {u, w}};
  }
};

/// A heavy particle on a sphere that breathes, r = 1 + sin(t) / 5, in polar coordinates.
struct BreathingPolar {
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [a, b] = q;
    const auto [a_dot, b_dot] = v;
    const auto r = 1.0 + 0.2 * sin(t);
    const auto across = sin(a) * b_dot;
    return 0.5 * (r * r * (a_dot * a_dot + across * across)) - r * cos(a);
  }
};
/// The same in space; the constraint is no quadratic in time.
struct BreathingSphere {
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return 0.5 * (u * u + w * w + s * s) - z;
  }
  auto constraint(const auto& q, const auto&, const auto& t) const {
    using std::sin, ad::sin;
    const auto [x, y, z] = q;
    const auto r = 1.0 + 0.2 * sin(t);
    return x * x + y * y + z * z - r * r;
  }
  static State<double, 3> at(const State<double, 2>& s) {
    const double r = 1 + 0.2 * std::sin(s.t), grows = 0.2 * std::cos(s.t), a = s.q[0], b = s.q[1];
    const double ca = std::cos(a), sa = std::sin(a), cb = std::cos(b), sb = std::sin(b);
    return {s.t,
            {r * sa * cb, r * sa * sb, r * ca},
            {grows * sa * cb + r * (ca * cb * s.v[0] - sa * sb * s.v[1]),
             grows * sa * sb + r * (ca * sb * s.v[0] + sa * cb * s.v[1]), grows * ca - r * sa * s.v[0]}};
  }
};

/// A knife edge with friction c = 0.4 in all its velocities: its speed and its turning both fall as
/// exp(-c t), so it draws a circle of radius u / w.
struct DampedKnifeEdge {
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto&, const auto& v, const auto&) const {
    const auto [u, w, a_dot] = v;
    return 0.5 * (u * u + w * w + a_dot * a_dot);
  }
  auto rolling(const auto& q, const auto& v, const auto&) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [x, y, a] = q;
    const auto [u, w, a_dot] = v;
    return u * sin(a) - w * cos(a);
  }
  auto dissipation(const auto&, const auto& v, const auto&) const {
    const auto [u, w, a_dot] = v;
    return 0.2 * (u * u + w * w + a_dot * a_dot);
  }
  /// From the origin along x at speed 1.1, turning at 1.7.
  static State<double, 3> exact(double t) {
    const double u = 1.1, w = 1.7, fall = std::exp(-0.4 * t), a = w * (1 - fall) / 0.4;
    return {t,
            {u / w * std::sin(a), u / w * (1 - std::cos(a)), a},
            {u * fall * std::cos(a), u * fall * std::sin(a), w * fall}};
  }
};

/// A knife edge on a belt that runs along y at the speed u = 0.3: seen from the belt it draws a circle at
/// unit speed, turning at 0.7, and nothing works; seen from outside the belt does.
struct EdgeOnBeltUnsaid {
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"u", 0.3, ""}}};
  auto operator()(const auto&, const auto& v, const auto&) const {
    const auto [x_dot, y_dot, a_dot] = v;
    return 0.5 * (x_dot * x_dot + y_dot * y_dot + a_dot * a_dot);
  }
  auto rolling(const auto& q, const auto& v, const auto& p) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [x, y, a] = q;
    const auto [x_dot, y_dot, a_dot] = v;
    return (y_dot - p[0]) * cos(a) - x_dot * sin(a);
  }
  static State<double, 3> exact(double t) {
    const double w = 0.7, c = std::cos(w * t), s = std::sin(w * t);
    return {t, {s / w, (1 - c) / w + 0.3 * t, w * t}, {c, s + 0.3, w}};
  }
};
struct EdgeOnBelt : EdgeOnBeltUnsaid {
  static constexpr bool rolling_moves = true;
};

/// On a sphere at rest, pushed by forces of place and time: what the methods of RATTLE's family take.
struct PushedOnSphere {
  static constexpr int dim = 3;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return 0.5 * (u * u + w * w + s * s) - z;
  }
  auto force(const auto& q, const auto&, const auto&, const auto& t) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [x, y, z] = q;
    return std::tuple(0.5 * cos(1.3 * t) - 0.4 * y, 0.4 * x, 0.3 * x * sin(2.0 * t));
  }
  auto constraint(const auto& q, const auto&) const {
    const auto [x, y, z] = q;
    return x * x + y * y + z * z - 1.0;
  }
};

}  // namespace cotangent::integrators
