// SPDX-License-Identifier: BSD-3-Clause
// The built-in models against their formulas and numbers of the literature, and what System derives from
// them. The magnetic chain: V. P. Chan, The design, implementation, and applications of a novel numerical
// solver: the Lagrangian solver (master's thesis, OIST, 2018).
#include <cmath>
#include <numbers>
#include <random>

#include "catch.hpp"
#include "mechanics/models/double_pendulum.hpp"
#include "mechanics/models/elastic_pendulum.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/models/henon_heiles.hpp"
#include "mechanics/models/kepler.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "mechanics/models/massive_multiplier.hpp"
#include "reference/balls_stationary_points.hpp"

using namespace cotangent;
using namespace cotangent::mechanics;
using numerics::Lanes;

static_assert(System<HenonHeiles, double>::constant_mass && System<HenonHeiles, double>::diagonal_mass);
static_assert(System<HarmonicOscillator, double>::constant_mass && System<Kepler, double>::constant_mass);
static_assert(System<ElasticPendulum, double>::constant_mass &&
              System<ElasticPendulum, Lanes<8>>::constant_mass);
static_assert(!System<MagneticChain, double>::constant_mass &&
              !System<DoublePendulum, double>::constant_mass);
static_assert(!System<MagneticChain, double>::diagonal_mass && !System<HenonHeiles, double>::time_dependent);

namespace {

using Pair = std::array<double, 2>;

/// (5.17) and (5.18) of Chan (2018) as printed.
double kinetic_energy(const Pair& q, const Pair& v) {
  const double c = std::cos(q[0] + q[1]);
  return (17.0 / 5 + 2 * c) * v[0] * v[0] + 7.0 / 10 * v[1] * v[1] + (12.0 / 5 + c) * v[0] * v[1];
}
double potential_energy(const Pair& q, double alpha) {
  const auto [t, s] = q;
  const double m12 = std::cos(2 * t) + 3, m23 = std::cos(2 * s) + 3;
  const double m13 =
      (std::cos(2 * (t + s)) + 3 * std::cos(t - s)) / (8 * std::pow(std::abs(std::cos((t + s) / 2)), 3));
  return -alpha / 12 * (m12 + m23 + m13) + 2 * std::cos(t) + std::cos(2 * t + s);
}

System<MagneticChain, double> chain(double alpha) {
  System<MagneticChain, double> system;
  system.parameters[0] = alpha;
  return system;
}

/// The two normal-mode frequencies at a place of rest: det(U_qq - omega^2 T_vv) = 0.
Pair frequencies(const System<MagneticChain, double>& system, const Pair& q) {
  const auto h = system.hessian(q, {}, 0.0);
  const auto& m = h.vv;
  const double a = m[0][0] * m[1][1] - m[0][1] * m[1][0];
  const double b = m[0][0] * h.qq[1][1] + m[1][1] * h.qq[0][0] - m[0][1] * h.qq[1][0] - m[1][0] * h.qq[0][1];
  const double c = h.qq[0][0] * h.qq[1][1] - h.qq[0][1] * h.qq[1][0];
  const double root = std::sqrt(b * b - 4 * a * c);
  return {std::sqrt((-b - root) / (2 * a)), std::sqrt((-b + root) / (2 * a))};
}

/// Random q and v, bounded so that every model is regular there (r > 0, no contact).
struct Points {
  std::mt19937_64 random{7};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  Pair q() { return {0.9 + 0.4 * uniform(random), 0.3 * uniform(random)}; }
  Pair v() { return {uniform(random), uniform(random)}; }
};

template <class M>
void check_derived(double accuracy) {
  INFO(M::name);
  const System<M, double> system;
  const System<M, Lanes<4>> pack;
  Points points;
  for (int sample = 0; sample < 20; ++sample) {
    const Pair q = points.q(), v = points.v();
    const Pair a = system.acceleration(q, v, 0.0);
    const auto g = system.gradient(q, v, 0.0);
    // Along the motion dp/dt = L_q: central differences of fourth order, error about 1e-12.
    const double h = 1e-3;
    const auto momentum = [&](double t) {
      Pair x, w;
      for (int n = 0; n < 2; ++n) {
        x[n] = q[n] + t * (v[n] + 0.5 * t * a[n]);
        w[n] = v[n] + t * a[n];
      }
      return system.momentum(x, w, 0.0);
    };
    const Pair m2 = momentum(-2 * h), m1 = momentum(-h), p1 = momentum(h), p2 = momentum(2 * h);
    for (int n = 0; n < 2; ++n) {
      CHECK((8 * (p1[n] - m1[n]) - (p2[n] - m2[n])) / (12 * h) == within(g.q[n], accuracy));
    }

    const double energy = v[0] * g.v[0] + v[1] * g.v[1] - system.lagrangian(q, v, 0.0);
    CHECK(system.energy(q, v, 0.0) == within(energy, 1e-14 * (1 + std::abs(energy))));
    const Pair back = system.velocity(q, g.v, {}, 0.0);
    CHECK(back[0] == within(v[0], 1e-13));
    CHECK(back[1] == within(v[1], 1e-13));
    if constexpr (System<M, double>::constant_mass) {
      const Pair force = system.force(q, 0.0);
      CHECK(force[0] == within(g.q[0], 1e-14 * (1 + std::abs(g.q[0]))));
      CHECK(force[1] == within(g.q[1], 1e-14 * (1 + std::abs(g.q[1]))));
    }

    const auto in_lanes =
        pack.acceleration({Lanes<4>(q[0]), Lanes<4>(q[1])}, {Lanes<4>(v[0]), Lanes<4>(v[1])}, Lanes<4>(0.0));
    for (int n = 0; n < 2; ++n) CHECK(in_lanes[n][2] == within(a[n], 1e-13 * (1 + std::abs(a[n]))));
  }
}

/// A mass that grows, a push along the velocity and a drive: L = (1 + t/4) v^2/2 + v sin t + cos q + q cos
/// 2t.
struct DrivenPendulum {
  static constexpr int dim = 1;
  static constexpr std::array<Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto& v, const auto&, const auto& t) const {
    using ad::cos, ad::sin;
    using std::cos, std::sin;
    const auto [a] = q;
    const auto [a_dot] = v;
    return 0.5 * (1.0 + 0.25 * t) * a_dot * a_dot + a_dot * sin(t) + cos(a) + a * cos(2.0 * t);
  }
};

}  // namespace

TEST_CASE("every model: accelerations, energies, velocities from momenta, lanes") {
  check_derived<HenonHeiles>(1e-11);
  check_derived<MagneticChain>(2e-9);
  check_derived<DoublePendulum>(1e-10);
  check_derived<HarmonicOscillator>(1e-11);
  check_derived<Kepler>(1e-11);
  check_derived<ElasticPendulum>(1e-11);
}

namespace {

/// L = -sqrt(1 - v^2): a relativistic particle, whose momenta are of any size and velocities below 1.
struct RelativisticParticle {
  static constexpr int dim = 2;
  auto operator()(const auto&, const auto& v) const {
    const auto [x_dot, y_dot] = v;
    return -sqrt(1.0 - (ad::square(x_dot) + ad::square(y_dot)));
  }
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
};

/// L = v^4 / 4 + m v^2 / 2: p = v^3 + m v.
struct QuarticParticle {
  static constexpr int dim = 1;
  auto operator()(const auto&, const auto& v, const auto& p) const {
    const auto [x_dot] = v;
    return 0.25 * ad::square(ad::square(x_dot)) + 0.5 * p[0] * ad::square(x_dot);
  }
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"m", 1.0, ""}}};
};

}  // namespace

TEST_CASE("velocities from momenta far from the guess, where L isn't quadratic") {
  const mechanics::System<RelativisticParticle, double> fast{};
  for (const double size : {1e-3, 0.9, 1.1, 5.0, 1e3, 1e6}) {
    for (const double guess : {0.0, 0.6, -0.7, 3.0}) {
      const std::array<double, 2> p{0.6 * size, -0.8 * size};
      const auto v = fast.velocity({}, p, {guess, 0.1}, 0.0);
      const double gamma = std::sqrt(1 + size * size);
      CAPTURE(size, guess);
      CHECK(v[0] == within(p[0] / gamma, 1e-13));
      CHECK(v[1] == within(p[1] / gamma, 1e-13));
    }
  }
  for (const double m : {1.0, 1e-2, 1e-4, 1e-6}) {
    mechanics::System<QuarticParticle, double> quartic;
    quartic.parameters[0] = m;
    for (const double guess : {1e-3, 1.0, 1 / m, -1 / m}) {
      const double v = quartic.velocity({}, {1.0}, {guess}, 0.0)[0];
      CAPTURE(m, guess, v);
      CHECK(v * v * v + m * v == within(1.0, 1e-12));
    }
    CHECK(quartic.velocity({}, {0.0}, {0.3}, 0.0)[0] == within(0.0, 1e-9));
  }
  // A lane's velocities don't depend on its neighbours.
  using Pack = numerics::Lanes<2>;
  const mechanics::System<RelativisticParticle, Pack> both{};
  Pack p(0.5);
  p.set(1, 50.0);
  const auto v = both.velocity({}, {p, Pack(0.2)}, {Pack(0.9), Pack(0.0)}, Pack(0.0));
  for (int i = 0; i < 2; ++i) {
    const auto alone = fast.velocity({}, {p[i], 0.2}, {0.9, 0.0}, 0.0);
    CHECK(v[0][i] == alone[0]);
    CHECK(v[1][i] == alone[1]);
  }
}

TEST_CASE("a multiplier with a mass: q'' = (0, -1) + 2 lambda q, lambda'' = g / epsilon") {
  System<MassiveMultiplier, double> system;
  system.parameters = {1e-3};
  const auto a = system.acceleration({0.6, -0.7, -0.3}, {0.1, 0.2, 0.4}, 0.0);
  CHECK(a[0] == within(2 * -0.3 * 0.6, 1e-15));
  CHECK(a[1] == within(2 * -0.3 * -0.7 - 1, 1e-15));
  CHECK(a[2] == within((0.36 + 0.49 - 1) / 1e-3, 1e-12));
}

TEST_CASE("an explicit time enters the accelerations") {
  static_assert(System<DrivenPendulum, double>::time_dependent);
  const System<DrivenPendulum, double> system;
  const System<DrivenPendulum, Lanes<2>> pack;
  for (const double t : {0.0, 0.7, 3.1}) {
    const double q = 0.4 - t, v = 1.3;
    // d/dt ((1 + t/4) v + sin t) = -sin q + cos 2t
    const double expected = (-std::sin(q) + std::cos(2 * t) - v / 4 - std::cos(t)) / (1 + t / 4);
    CHECK(system.acceleration({q}, {v}, t)[0] == within(expected, 1e-14));
    CHECK(pack.acceleration({q}, {v}, t)[0][1] == within(expected, 1e-14));
    const double energy = (1 + t / 4) * v * v / 2 - std::cos(q) - q * std::cos(2 * t);
    CHECK(system.energy({q}, {v}, t) == within(energy, 1e-14));
  }
}

TEST_CASE("the magnetic chain is (5.17) and (5.18) of Chan (2018)") {
  Points points;
  for (const double alpha : {0.0, 10.0, 18.0, 50.0}) {
    const auto system = chain(alpha);
    for (int sample = 0; sample < 50; ++sample) {
      // Over whole turns; near r13 = 0 the energy is large, so the bound is relative to it.
      const Pair q{3 * points.v()[0], 3 * points.v()[1]}, v = points.v();
      const double T = kinetic_energy(q, v), U = potential_energy(q, alpha);
      CHECK(system.lagrangian(q, v, 0.0) == within(T - U, 1e-11 * (1 + std::abs(U))));
      CHECK(system.energy(q, v, 0.0) == within(T + U, 1e-11 * (1 + std::abs(U))));
      CHECK(system.domain(q) == within(2 * std::abs(std::cos((q[0] + q[1]) / 2)) - 1, 1e-15));

      const double c = std::cos(q[0] + q[1]);
      const Pair p = system.momentum(q, v, 0.0);
      CHECK(p[0] == within((6.8 + 4 * c) * v[0] + (2.4 + c) * v[1], 1e-14));
      CHECK(p[1] == within(1.4 * v[1] + (2.4 + c) * v[0], 1e-14));
    }
  }
  const double contact = 2 * std::numbers::pi / 3;  // of balls 1 and 3
  CHECK(chain(18).domain({contact / 2 - 1e-6, contact / 2}) > 0);
  CHECK(chain(18).domain({contact / 2 + 1e-6, contact / 2}) < 0);
}

TEST_CASE("the upright and the hanging chain: energy, Hessian, normal modes") {
  for (const double alpha : {0.0, 10.0, 18.0, 50.0}) {
    const auto system = chain(alpha);
    CHECK(system.energy({0, 0}, {0, 0}, 0.0) == within(3 - 17 * alpha / 24, 1e-13));
    CHECK(system.energy({std::numbers::pi, -std::numbers::pi}, {0, 0}, 0.0) ==
          within(-3 - 17 * alpha / 24, 1e-13));
    const auto h = system.hessian({0, 0}, {0, 0}, 0.0);  // of -U
    CHECK(-h.qq[0][0] == within(3 * alpha / 8 - 6, 1e-13));
    CHECK(-h.qq[0][1] == within(-alpha / 48 - 2, 1e-13));
    CHECK(-h.qq[1][1] == within(3 * alpha / 8 - 1, 1e-13));
    CHECK(h.q[0] == within(0, 1e-14));
    CHECK(h.q[1] == within(0, 1e-14));
  }
  const auto modes = [](double alpha, const Pair& q, double slow, double fast) {
    const Pair omega = frequencies(chain(alpha), q);
    CHECK(omega[0] == within(slow, 1e-10));
    CHECK(omega[1] == within(fast, 1e-10));
  };
  // by tests/reference/magnetic_chain.py
  modes(10, {std::numbers::pi, -std::numbers::pi}, 0.93147108851, 3.73556675613);
  modes(20, {0, 0}, 0.21009438152, 4.98808119258);
  modes(50, {0, 0}, 0.97823605569, 7.98218885166);
  modes(18, {0.49649118203167975, 0.1798091960554078}, 0.15636066021, 4.16418112568);
}

TEST_CASE("the tabulated stationary points are stationary, at their energies") {
  int found = 0;
  for (const auto& point : reference::balls_points) {
    const auto h = chain(point.alpha).hessian({point.t, point.s}, {0, 0}, 0.0);
    CHECK(-h.value == within(point.energy, 1e-12));
    CHECK(h.q[0] == within(0, 2e-11));
    CHECK(h.q[1] == within(0, 2e-11));
    ++found;
  }
  CHECK(found > 30);
}

TEST_CASE("the start of figure 6.15 exists with t falling only") {
  // E = -9.74 at t = s = 0 with s' = 0.24: 5.4 t'^2 + 0.816 t' + 0.03032 = 0 has two negative roots.
  const auto system = chain(18);
  const Pair at_root{-0.065869113458798503, 0.24};
  CHECK(system.energy({0, 0}, at_root, 0.0) == within(-9.74, 1e-14));
  CHECK(system.energy({0, 0}, {-0.0852420, 0.24}, 0.0) == within(-9.74, 1e-8));
  CHECK(system.momentum({0, 0}, at_root, 0.0)[0] == within(0.10461357464497617, 1e-15));
  const double least = 0.816 * 0.816 - 4 * 5.4 * 0.03032;
  CHECK(least > 0);
  CHECK(-0.816 + std::sqrt(least) < 0);
}

TEST_CASE("the double pendulum, Kepler's problem and the swinging spring at places where they are known") {
  System<DoublePendulum, double> pendulum;
  pendulum.parameters = {2.0, 0.5, 1.5, 0.7, 9.81};
  // Bobs at (l1 sin a, -l1 cos a) and that plus (l2 sin b, -l2 cos b).
  const double a = 0.4, b = -1.1, u = 0.8, w = -0.3;
  const double x1 = 1.5 * u * std::cos(a), y1 = 1.5 * u * std::sin(a);
  const double x2 = x1 + 0.7 * w * std::cos(b), y2 = y1 + 0.7 * w * std::sin(b);
  const double height1 = -1.5 * std::cos(a), height2 = height1 - 0.7 * std::cos(b);
  const double kinetic = 0.5 * 2.0 * (x1 * x1 + y1 * y1) + 0.5 * 0.5 * (x2 * x2 + y2 * y2);
  CHECK(pendulum.energy({a, b}, {u, w}, 0.0) ==
        within(kinetic + 9.81 * (2.0 * height1 + 0.5 * height2), 1e-13));

  System<Kepler, double> kepler;
  kepler.parameters[0] = 3.0;
  const Pair pull = kepler.acceleration({0.6, -0.8}, {0.1, 0.2}, 0.0);
  CHECK(pull[0] == within(-3 * 0.6, 1e-14));
  CHECK(pull[1] == within(3 * 0.8, 1e-14));

  // Hanging at rest; the spring there swings twice as fast as the pendulum.
  const System<ElasticPendulum, double> spring;
  const auto h = spring.hessian({0, -1}, {0, 0}, 0.0);
  CHECK(h.q[0] == within(0, 1e-15));
  CHECK(h.q[1] == within(0, 1e-15));
  CHECK(-h.qq[1][1] == within(4.0, 1e-14));
  CHECK(-h.qq[0][0] == within(1.0, 1e-14));
}
