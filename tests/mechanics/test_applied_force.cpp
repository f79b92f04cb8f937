// SPDX-License-Identifier: BSD-3-Clause
// Applied forces, dissipation and constraints that move: their equations against those by hand, and the power
// and the constraints' derivatives against differences along the motion.
#include <cmath>

#include "catch.hpp"
#include "mechanics/statement.hpp"

using namespace cotangent;
using namespace cotangent::mechanics;

namespace {

struct Names {
  static constexpr std::string_view name = "driven", about = "a test";
};

/// L = (1 + x^2) x'^2 / 2 - y x + y'^2, everything that may act on it.
struct Everything : Names {
  static constexpr int dim = 2;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<Parameter, 1> parameters{{{"c", 0.7, "friction"}}};
  auto operator()(const auto& q, const auto& v, const auto&) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (1.0 + x * x) * u * u + w * w - y * x;
  }
  auto force(const auto& q, const auto& v, const auto& p, const auto& t) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return std::tuple(p[0] * x * w * t, 0.0);
  }
  auto dissipation(const auto& q, const auto& v, const auto& p) const {
    const auto [x, y] = q;
    const auto [u, w] = v;
    return p[0] * (1.0 + y * y) * u * w + w * w * w * w;
  }
};
static_assert(is_stated<Everything>());
static_assert(!System<Everything, double>::newtonian && System<Everything, double>::driven);

/// On a sphere that breathes and moves, with an explicit time, friction and a force.
struct Moving : Names {
  static constexpr int dim = 3;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}, {"y"}, {"z"}}};
  static constexpr std::array<Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using std::sin, ad::sin;
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return 0.5 * (1.0 + 0.1 * sin(t)) * (u * u + w * w + s * s) + x * w - z * sin(2.0 * t);
  }
  auto force(const auto& q, const auto& v, const auto&) const {
    const auto [x, y, z] = q;
    const auto [u, w, s] = v;
    return std::tuple(-0.3 * u * u, x * y, 0.2 * s);
  }
  auto constraint(const auto& q, const auto&, const auto& t) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [x, y, z] = q;
    const auto away = x - 0.3 * sin(1.7 * t);
    const auto r = 1.0 + 0.2 * cos(t);
    return away * away + y * y + z * z - r * r;
  }
};
static_assert(is_stated<Moving>());
static_assert(System<Moving, double>::moving && !System<Moving, double>::newtonian);

/// What stays as it was.
struct Plain : Names {
  static constexpr int dim = 1;
  static constexpr std::array<Coordinate, dim> coordinates{{{"x"}}};
  static constexpr std::array<Parameter, 0> parameters{};
  auto operator()(const auto&, const auto& v) const {
    const auto [u] = v;
    return 0.5 * u * u;
  }
};
static_assert(!System<Plain, double>::driven);
static_assert(sizeof(System<Plain, double>::Hessian) == 6 * sizeof(double));

}  // namespace

TEST_CASE("applied forces and dissipation enter the equations") {
  const System<Everything, double> system;
  const double x = 0.4, y = -0.3, u = 1.1, w = 0.6, t = 1.9, c = 0.7;
  const auto a = system.acceleration({x, y}, {u, w}, t);
  // ((1 + x^2) u)' = x u^2 - y + c x w t - c (1 + y^2) w,   2 w' = -x - c (1 + y^2) u - 4 w^3
  CHECK(a[0] == within((-x * u * u - y + c * x * w * t - c * (1 + y * y) * w) / (1 + x * x), 1e-15));
  CHECK(a[1] == within((-x - c * (1 + y * y) * u - 4 * w * w * w) / 2, 1e-15));
  const double power = (c * x * w * t - c * (1 + y * y) * w) * u + (-c * (1 + y * y) * u - 4 * w * w * w) * w;
  CHECK(system.power({x, y}, {u, w}, t) == within(power, 1e-15));
  // What p' is, and its slopes, against differences.
  const auto at = system.hessian({x, y}, {u, w}, t);
  constexpr double d = 1e-6;
  for (int j = 0; j < 2; ++j) {
    std::array<double, 2> q{x, y}, v{u, w}, q_less = q, q_more = q, v_less = v, v_more = v;
    const auto k = static_cast<std::size_t>(j);
    q_less[k] -= d, q_more[k] += d, v_less[k] -= d, v_more[k] += d;
    for (int i = 0; i < 2; ++i) {
      const auto n = static_cast<std::size_t>(i);
      const double by_q = (system.gradient(q_more, v, t).q[n] - system.gradient(q_less, v, t).q[n]) / (2 * d);
      const double by_v = (system.gradient(q, v_more, t).q[n] - system.gradient(q, v_less, t).q[n]) / (2 * d);
      CHECK(at.qq[n][k] == within(by_q, 1e-9));
      CHECK(at.force_by_velocity(i, j) == within(by_v, 1e-9));
    }
  }
}

TEST_CASE("constraints that move: along the motion they hold, and the power is what the energy gains") {
  const System<Moving, double> system;
  const double t = 0.8;
  std::array<double, 3> q{0.3 * std::sin(1.7 * t) + 0.6, 0.5, 0}, v{0.4, -0.2, 0};
  const double r = 1 + 0.2 * std::cos(t);
  q[2] = std::sqrt(r * r - 0.36 - 0.25);
  const auto rate = constraint_rate<Moving>(q, system.parameters, t);
  const auto at = system.constraint(q, t);
  v[2] = -(rate[0] + at.gradient[0][0] * v[0] + at.gradient[0][1] * v[1]) / at.gradient[0][2];
  CHECK(system.constraint_speed(at, q, v, t)[0] == within(0, 1e-15));
  const auto a = system.acceleration(q, v, t);
  // A short way there and back, of second order.
  const auto along = [&](double s) {
    auto x = q, w = v;
    for (std::size_t n = 0; n < 3; ++n) {
      x[n] += s * v[n] + 0.5 * s * s * a[n];
      w[n] += s * a[n];
    }
    return std::pair(x, w);
  };
  constexpr double d = 1e-5;
  const auto [q_less, v_less] = along(-d);
  const auto [q_more, v_more] = along(d);
  const auto speed = [&](const auto& x, const auto& w, double s) {
    return system.constraint_speed(system.constraint(x, s), x, w, s)[0];
  };
  CHECK((speed(q_more, v_more, t + d) - speed(q_less, v_less, t - d)) / (2 * d) == within(0, 1e-9));
  const auto slope = constraint_hessian_times<Moving>(q, v, system.parameters, t);
  for (std::size_t n = 0; n < 3; ++n) {
    const double turned =
        system.constraint(q_more, t + d).gradient[0][n] - system.constraint(q_less, t - d).gradient[0][n];
    CHECK(slope[0][n] == within(turned / (2 * d), 1e-9));
  }
  const double gained = system.energy(q_more, v_more, t + d) - system.energy(q_less, v_less, t - d);
  CHECK(system.power(q, v, t) == within(gained / (2 * d), 1e-8));
  CHECK(std::abs(system.power(q, v, t)) > 0.1);
  // The control: were the constraint's power forgotten, it would be off.
  const double of_constraint = -system.multiplier(q, v, t)[0] * rate[0];
  CHECK(std::abs(of_constraint) > 5e-3);  // 6.0e-3
}
