// SPDX-License-Identifier: BSD-3-Clause
// The tangent maps of methods for free motion: symplectic where the method is, the derivative of its own
// step, of no influence on the orbit.
#include <algorithm>

#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/implicit_midpoint.hpp"
#include "integrators/reduced_midpoint.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "integrators/trapezoidal.hpp"
#include "mechanics/models/harmonic_oscillator.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "tangent_maps.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

using Galaxy = HenonHeilesSystem<double>;
using General = mechanics::System<GeneralHenonHeiles, double>;
template <class R>
using MagneticChainSystem = mechanics::System<mechanics::MagneticChain, R>;
using Chain = MagneticChainSystem<double>;

const State<double, 2> regular{0.0, {0.0, 0.1}, {0.3966526608171605, 0.0}};
const State<double, 2> hanging{0.0, {0.5, 0.15}, {0.4, -0.7}};

/// Toda's lattice of three, its centre at rest: integrable. Reference: Henon, Phys. Rev. B 9 (1974) 1921;
/// Lichtenberg, Lieberman, Regular and Chaotic Dynamics (1992), 1.4.
struct Toda {
  static constexpr std::string_view name = "toda", about = "";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, dim> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  static constexpr double root = 1.7320508075688772;

  auto operator()(const auto& q, const auto& v) const {
    using std::exp;
    const auto [x, y] = q;
    const auto [u, w] = v;
    return 0.5 * (u * u + w * w) -
           (exp(2.0 * y + 2.0 * root * x) + exp(2.0 * y - 2.0 * root * x) + exp(-4.0 * y)) / 24.0;
  }
  /// Its integral beside the energy, of (x, y, p_x, p_y).
  static auto integral(const auto& z) {
    using std::exp;
    const auto [x, y, u, w] = z;
    return 8.0 * u * (u * u - 3.0 * w * w) + (u + root * w) * exp(2.0 * y - 2.0 * root * x) -
           2.0 * u * exp(-4.0 * y) + (u - root * w) * exp(2.0 * y + 2.0 * root * x);
  }
};

template <template <class> class Method, class System>
double defect(const State<double, 2>& start, double step, int steps, int stages = 8) {
  return symplectic_defect_of(
      derivative_of_steps<Method<System>>(System{}, start, fixed(step, stages), steps));
}

/// The largest difference between M and central differences of neighbouring orbits, this far apart.
template <template <class> class Method, template <class> class Other, class System>
double off_differences(const State<double, 2>& start, double step, int steps, double apart) {
  const System system;
  const auto m = derivative_of_steps<Method<System>>(system, start, fixed(step), steps);
  const auto p = system.momentum(start.q, start.v, 0.0);
  const auto map = [&](int k, double by) {
    std::array<double, 4> x{start.q[0], start.q[1], p[0], p[1]};
    x[k] += by;
    const std::array<double, 2> q{x[0], x[1]};
    const auto v = system.velocity(q, {x[2], x[3]}, start.v, 0.0);
    const auto end = run<Other>(system, {0.0, q, v}, steps * step, fixed(step));
    const auto momentum = system.momentum(end.q, end.v, end.t);
    return std::array<double, 4>{end.q[0], end.q[1], momentum[0], momentum[1]};
  };
  double worst = 0;
  for (int k = 0; k < 4; ++k) {
    const auto up = map(k, apart), down = map(k, -apart);
    for (int i = 0; i < 4; ++i) {
      worst = std::max(worst, std::abs((up[i] - down[i]) / (2 * apart) - m[i][k]));
    }
  }
  return worst;
}

template <template <class> class Method, class System>
void is_its_own_derivative(const State<double, 2>& start, double step) {
  std::vector<double> distances{0.02, 0.01, 0.005}, errors;
  for (const double apart : distances) {
    errors.push_back(off_differences<Method, Method, System>(start, step, 5, apart));
  }
  INFO(Method<System>::name << ": errors " << errors[0] << " " << errors[1] << " " << errors[2]);
  const double order = fitted_order(distances, errors).order;
  CHECK(order > 1.9);
  CHECK(order < 2.1);
  CHECK(off_differences<Method, Method, System>(start, step, 5, 1e-5) < 1e-8);
}

}  // namespace

TEST_CASE("the tangent map of a symplectic method is symplectic to round-off, for any Lagrangian") {
  CHECK(defect<Gauss, Galaxy>(regular, 0.5, 1) < 1e-14);
  CHECK(defect<Gauss, Galaxy>(regular, 0.5, 1, 3) < 1e-14);
  CHECK(defect<Gauss, General>(regular, 0.5, 1) < 1e-14);
  CHECK(defect<Gauss, Chain>(hanging, 0.2, 1) < 1e-13);
  CHECK(defect<Gauss, Chain>(hanging, 0.2, 1, 5) < 1e-13);
  CHECK(defect<ImplicitMidpoint, Chain>(hanging, 0.1, 1) < 1e-13);
  CHECK(defect<StormerVerlet, Galaxy>(regular, 0.1, 1) < 1e-15);
  CHECK(defect<StormerVerlet, Chain>(hanging, 0.1, 1) < 1e-13);
  CHECK(defect<SymplecticEuler, Galaxy>(regular, 0.1, 1) < 1e-15);
  CHECK(defect<SymplecticEuler, Chain>(hanging, 0.1, 1) < 1e-13);
  // Stiff: sweeps over the stages don't contract, elimination takes over.
  const State<double, 2> swing{0.0, {1.0, 0.2}, {0.0, 1.0}};
  CHECK(defect<Gauss, mechanics::System<mechanics::HarmonicOscillator, double>>(swing, 100, 1) < 1e-11);
  CHECK(defect<Gauss, Galaxy>(regular, 2.5, 1, 16) < 1e-13);
  // The controls.
  CHECK(defect<ExplicitEuler, Galaxy>(regular, 0.1, 1) > 1e-3);
  CHECK(defect<ExplicitEuler, Chain>(hanging, 0.1, 1) > 1e-2);
  CHECK(defect<Rk4, Galaxy>(regular, 0.1, 1) > 1e-8);
  CHECK(defect<ImplicitEuler, Chain>(hanging, 0.1, 1) > 1e-2);
}

// What rounds grows with M squared, and M with time: a shear.
TEST_CASE("and stays so over ten thousand steps") {
  CHECK(defect<Gauss, Galaxy>(regular, 0.02, 10000) < 1e-11);
  CHECK(defect<Gauss, General>(regular, 0.02, 10000) < 1e-11);
  CHECK(defect<StormerVerlet, Galaxy>(regular, 0.02, 10000) < 1e-11);
  CHECK(defect<SymplecticEuler, Galaxy>(regular, 0.02, 10000) < 1e-11);
  CHECK(defect<Rk4, Galaxy>(regular, 0.1, 10000) > 1e-3);                 // 1.7e-2
  CHECK(defect<Gauss, Galaxy>(regular, 0.5, 10000) < 1e-14 * 542 * 542);  // |M| = 542; 6.4e-10
}

TEST_CASE("the tangent map is the limit of differences of the same method's orbits, with order 2") {
  is_its_own_derivative<Gauss, Galaxy>(regular, 0.5);
  is_its_own_derivative<Gauss, Chain>(hanging, 0.1);
  is_its_own_derivative<ImplicitMidpoint, Galaxy>(regular, 0.5);
  is_its_own_derivative<StormerVerlet, Galaxy>(regular, 0.5);
  is_its_own_derivative<StormerVerlet, Chain>(hanging, 0.05);
  is_its_own_derivative<SymplecticEuler, Chain>(hanging, 0.05);
  is_its_own_derivative<ImplicitEuler, Galaxy>(regular, 0.2);
  is_its_own_derivative<Rk4, Galaxy>(regular, 0.5);
  is_its_own_derivative<Rk4, Chain>(hanging, 0.05);
  is_its_own_derivative<DormandPrince853, Chain>(hanging, 0.1);
  is_its_own_derivative<Trapezoidal, Galaxy>(regular, 0.2);
  is_its_own_derivative<Trapezoidal, Chain>(hanging, 0.05);
  is_its_own_derivative<ReducedMidpoint, Galaxy>(regular, 0.2);
  is_its_own_derivative<ReducedMidpoint, Chain>(hanging, 0.05);
  is_its_own_derivative<ExplicitEuler, Galaxy>(regular, 0.1);
  is_its_own_derivative<ExplicitEuler, Chain>(hanging, 0.05);
  // Of its own steps, not of the flow, nor of another method's.
  CHECK(off_differences<StormerVerlet, Gauss, Galaxy>(regular, 0.5, 5, 1e-5) > 1e-2);
}

TEST_CASE("deviations know what an orbit's step conserves: grad I M = grad I") {
  using Planet = mechanics::System<mechanics::Kepler, double>;
  const Planet system;
  const State<double, 2> start{0.0, {0.4, 0.0}, {0.0, 2.0}};
  // Angular momentum, a quadratic invariant, after fifty steps of each method.
  const auto change = [&]<class Method>(double step) {
    const auto m = derivative_of_steps<Method>(system, start, fixed(step, 4), 50);
    const auto x = run_of<Method>(system, start, fixed(step, 4), 50);
    const std::array<double, 4> first{start.v[1], -start.v[0], -start.q[1], start.q[0]};
    const std::array<double, 4> last{x.v[1], -x.v[0], -x.q[1], x.q[0]};
    double worst = 0;
    for (int k = 0; k < 4; ++k) {
      double sum = -first[k];
      for (int i = 0; i < 4; ++i) sum += last[i] * m[i][k];
      worst = std::max(worst, std::abs(sum));
    }
    return worst;
  };
  CHECK(change.operator()<Gauss<Planet>>(0.05) < 1e-12);
  CHECK(change.operator()<ImplicitMidpoint<Planet>>(0.05) < 1e-12);
  CHECK(change.operator()<StormerVerlet<Planet>>(0.02) < 1e-12);
  CHECK(change.operator()<Rk4<Planet>>(0.05) > 1e-6);  // the control
}

TEST_CASE("where Toda's second integral is kept to round-off, its gradient is: grad I M = grad I") {
  using Lattice = mechanics::System<Toda, double>;
  const Lattice system;
  const State<double, 2> start{0.0, {0.2, -0.1}, {0.3, 0.4}};
  const auto at = [](const State<double, 2>& x) { return std::array{x.q[0], x.q[1], x.v[0], x.v[1]}; };
  const auto gradient = [](const std::array<double, 4>& z) {
    return ad::gradient_of<4>(Toda::integral(ad::seed<0, 4, 1, 0>(z)));
  };
  // How far the integral itself moves, and its gradient under M.
  const auto change = [&]<class Method>(double step, int steps) {
    const auto m = derivative_of_steps<Method>(system, start, fixed(step), steps);
    const auto end = at(run_of<Method>(system, start, fixed(step), steps));
    const auto first = gradient(at(start)), last = gradient(end);
    double worst = 0;
    for (int k = 0; k < 4; ++k) {
      double sum = -first[k];
      for (int i = 0; i < 4; ++i) sum += last[i] * m[i][k];
      worst = std::max(worst, std::abs(sum));
    }
    return std::array{std::abs(Toda::integral(end) - Toda::integral(at(start))), worst};
  };
  const auto gauss = change.operator()<Gauss<Lattice>>(0.1, 200);
  const auto verlet = change.operator()<StormerVerlet<Lattice>>(0.1, 200);
  INFO("gauss " << gauss[0] << " " << gauss[1] << ", stormer-verlet " << verlet[0] << " " << verlet[1]);
  CHECK(gauss[0] < 1e-12);
  CHECK(gauss[1] < 1e-11);
  CHECK(verlet[1] > 1e-3);  // the control
}

TEST_CASE("a lane's deviations are its own, to the bit, and its orbit's bits are those without them") {
  constexpr int W =
      std::max(numerics::native_width, 4);  // the first and the last are followed, the second isn't
  using R = numerics::Lanes<W>;
  const auto check = []<class Wide, class Narrow>(double step) {
    using System = HenonHeilesSystem<R>;
    const auto start = [](int i) {
      State<double, 2> x = regular;
      x.q[1] += 0.01 * i;
      return x;
    };
    State<R, 2> x;
    for (int i = 0; i < W; ++i) {
      const auto one = start(i);
      numerics::set_lane(x.t, i, 0.0);
      for (int n = 0; n < 2; ++n) {
        numerics::set_lane(x.q[n], i, one.q[n]);
        numerics::set_lane(x.v[n], i, one.v[n]);
      }
    }
    const System wide;
    const Galaxy narrow;
    Wide method(fixed(step)), plain(fixed(step));
    method.start(wide, x, numerics::mask_of<R>(true));
    plain.start(wide, x, numerics::mask_of<R>(true));
    std::array<Deviation<R, 2>, 3> d{};
    for (int k = 0; k < 3; ++k) (k < 2 ? d[k].q[k] : d[k].y[0]) = R(1.0);
    auto all_but_one = numerics::mask_of<R>(true);
    numerics::set_lane(all_but_one, 1, false);
    for (int step_number = 0; step_number < 20; ++step_number) {
      method.advance(wide, numerics::mask_of<R>(true));
      plain.advance(wide, numerics::mask_of<R>(true));
      method.tangent(wide, R(1.0), all_but_one, d.data(), 3);
    }
    for (int i = 0; i < W; ++i) {
      for (int n = 0; n < 2; ++n) {
        CHECK(numerics::lane(method.end().q[n], i) == numerics::lane(plain.end().q[n], i));
        CHECK(numerics::lane(method.end().v[n], i) == numerics::lane(plain.end().v[n], i));
      }
    }
    CHECK(numerics::lane(d[0].q[0], 1) == 1.0);
    CHECK(numerics::lane(d[2].y[1], 1) == 0.0);
    for (const int lane : {0, W - 1}) {
      Narrow one(fixed(step));
      one.start(narrow, start(lane), true);
      std::array<Deviation<double, 2>, 3> e{};
      for (int k = 0; k < 3; ++k) (k < 2 ? e[k].q[k] : e[k].y[0]) = 1.0;
      for (int step_number = 0; step_number < 20; ++step_number) {
        one.advance(narrow, true);
        one.tangent(narrow, 1.0, true, e.data(), 3);
      }
      for (int k = 0; k < 3; ++k) {
        CHECK(numerics::lane(d[k].q[0], lane) == e[k].q[0]);
        CHECK(numerics::lane(d[k].y[1], lane) == e[k].y[1]);
      }
    }
  };
  check.operator()<Gauss<HenonHeilesSystem<R>>, Gauss<Galaxy>>(0.5);
  check.operator()<StormerVerlet<HenonHeilesSystem<R>>, StormerVerlet<Galaxy>>(0.1);
  check.operator()<DormandPrince853<HenonHeilesSystem<R>>, DormandPrince853<Galaxy>>(0.1);
}

TEST_CASE("over a part of a step deviations are those of a step of that length; a lane's bits are its own") {
  using R = numerics::Lanes<numerics::native_width>;
  constexpr int W = numerics::native_width;
  const auto check = []<template <class> class Method, template <class> class Of>(
                         const State<double, 2>& start, double step) {
    using Wide = Of<R>;
    using Narrow = Of<double>;
    State<R, 2> x;
    for (int n = 0; n < 2; ++n) {
      x.q[n] = R(start.q[n]);
      x.v[n] = R(start.v[n]);
    }
    const Wide wide;
    const Narrow narrow;
    Method<Wide> method(fixed(step));
    method.start(wide, x, numerics::mask_of<R>(true));
    method.advance(wide, numerics::mask_of<R>(true));
    R part(1.0);
    numerics::set_lane(part, 0, 0.375);
    std::array<Deviation<R, 2>, 4> d{};
    for (int k = 0; k < 4; ++k) (k < 2 ? d[k].q[k] : d[k].y[k - 2]) = R(1.0);
    auto whole = d;
    method.tangent(wide, part, numerics::mask_of<R>(true), d.data(), 4);
    method.tangent(wide, R(1.0), numerics::mask_of<R>(true), whole.data(), 4);
    double off = 0, least = 1;
    for (const int lane : {0, W - 1}) {
      const double length = lane == 0 ? 0.375 : 1.0;
      Method<Narrow> one(fixed(length * step));
      one.start(narrow, start, true);
      one.advance(narrow, true);
      std::array<Deviation<double, 2>, 4> e{};
      for (int k = 0; k < 4; ++k) (k < 2 ? e[k].q[k] : e[k].y[k - 2]) = 1.0;
      const auto before = e;
      one.tangent(narrow, 1.0, true, e.data(), 4);
      for (int k = 0; k < 4; ++k) {
        for (int n = 0; n < 2; ++n) {
          const double q = numerics::lane(d[k].q[n], lane), y = numerics::lane(d[k].y[n], lane);
          if (lane > 0) {
            CHECK(q == numerics::lane(whole[k].q[n], lane));
            CHECK(y == numerics::lane(whole[k].y[n], lane));
          }
          off = std::max({off, std::abs(q - e[k].q[n]), std::abs(y - e[k].y[n])});
        }
        least = std::min(least, std::abs(e[k].q[0] - before[k].q[0]) + std::abs(e[k].y[0] - before[k].y[0]));
      }
    }
    INFO(Method<Narrow>::name << ": off " << off << ", the least change " << least);
    CHECK(off < 1e-14);
    CHECK(least > 1e-4);
  };
  check.operator()<Gauss, HenonHeilesSystem>({0.0, {0.1, 0.3}, {0.3, 0.2}}, 0.5);
  check.operator()<StormerVerlet, HenonHeilesSystem>({0.0, {0.1, 0.3}, {0.3, 0.2}}, 0.5);
  check.operator()<Gauss, MagneticChainSystem>(hanging, 0.1);
}

TEST_CASE("steps that adapt don't feel deviations; these are mapped at the length that was taken") {
  using Planet = mechanics::System<mechanics::Kepler, double>;
  const Planet system;
  const State<double, 2> start{0.0, {0.4, 0.0}, {0.0, 2.0}};
  Gauss<Planet> method(adaptive(1e-10)), plain(adaptive(1e-10));
  method.start(system, start, true);
  plain.start(system, start, true);
  std::array<Deviation<double, 2>, 4> d;
  for (int k = 0; k < 4; ++k) d[k] = canonical_unit<Gauss<Planet>>(system, start, k);
  double shortest = 1, longest = 0;
  int refused = 0;
  for (int i = 0; i < 100; ++i) {
    const bool took = method.advance(system, true);
    CHECK(plain.advance(system, true) == took);
    method.tangent(system, 1.0, took, d.data(), 4);
    refused += took ? 0 : 1;
    if (!took) continue;
    shortest = std::min(shortest, method.step());
    longest = std::max(longest, method.step());
  }
  CHECK(longest > 2 * shortest);
  CHECK(method.end().t == plain.end().t);
  CHECK(method.end().q == plain.end().q);
  CHECK(method.end().v == plain.end().v);
  Square<4> m;
  double size = 0;
  for (int k = 0; k < 4; ++k) {
    for (int n = 0; n < 2; ++n) {
      m[n][k] = d[k].q[n];
      m[2 + n][k] = d[k].y[n];
      size = std::max({size, std::abs(d[k].q[n]), std::abs(d[k].y[n])});
    }
  }
  INFO("|M| " << size << ", refused steps " << refused << ", steps " << shortest << " to " << longest);
  CHECK(symplectic_defect_of(m) < 1e-14 * size * size);
}
