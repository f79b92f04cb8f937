// SPDX-License-Identifier: BSD-3-Clause
// Constraints: values, gradients and curvatures against differences of formulas written out here, multipliers
// of the exact motion, errors as lengths, and parameters that make no surface.
#include <cmath>
#include <random>

#include "catch.hpp"
#include "mechanics/surfaces/cylinder.hpp"
#include "mechanics/surfaces/ellipsoid.hpp"
#include "mechanics/surfaces/gyroid.hpp"
#include "mechanics/surfaces/lemniscate.hpp"
#include "mechanics/surfaces/lemniscate_3.hpp"
#include "mechanics/surfaces/lemniscate_4.hpp"
#include "mechanics/surfaces/plane.hpp"
#include "mechanics/surfaces/sphere.hpp"
#include "mechanics/surfaces/torus.hpp"

using namespace cotangent;
using namespace cotangent::mechanics;
using numerics::Lanes;

namespace {

using Point = std::array<double, 3>;

/// A level function in extended precision, with its derivatives along lines by differences of sixth order.
template <class F>
struct Level {
  F formula;

  double value(const Point& q) const { return static_cast<double>(along(q, {}, 0)); }
  double slope(const Point& q, const Point& d) const {
    const long double h = 1e-3L;
    const auto odd = [&](int k) { return along(q, d, k * h) - along(q, d, -k * h); };
    return static_cast<double>((45 * odd(1) - 9 * odd(2) + odd(3)) / (60 * h));
  }
  double curvature(const Point& q, const Point& d) const {
    const long double h = 4e-3L;
    const auto even = [&](int k) { return along(q, d, k * h) + along(q, d, -k * h); };
    return static_cast<double>((270 * even(1) - 27 * even(2) + 2 * even(3) - 490 * along(q, d, 0)) /
                               (180 * h * h));
  }

 private:
  long double along(const Point& q, const Point& d, long double s) const {
    return formula(q[0] + s * d[0], q[1] + s * d[1], q[2] + s * d[2]);
  }
};

/// At random points, on the surface or off it: AD against differences, lanes against double, and the
/// multiplier -(v H v + grad g . F) / (grad g . grad g / mass) with F = (0, 0, -mass gravity).
template <class S, class F>
void check(std::array<double, S::parameters.size()> shape, const F& formula) {
  INFO(S::name);
  using Model = ParticleOn<S>;
  System<Model, double> system;
  System<Model, Lanes<4>> pack;
  const double mass = 1.7, gravity = 0.6;
  for (std::size_t k = 0; k < shape.size(); ++k) system.parameters[k] = shape[k];
  system.parameters[shape.size()] = mass;
  system.parameters[shape.size() + 1] = gravity;
  for (std::size_t k = 0; k < shape.size() + 2; ++k) pack.parameters[k] = Lanes<4>(system.parameters[k]);
  CHECK_FALSE(Model::objection(system.parameters));

  const Level<F> level{formula};
  std::mt19937_64 random{11};
  std::uniform_real_distribution<double> uniform{-1.0, 1.0};
  for (int sample = 0; sample < 25; ++sample) {
    Point q, v;
    for (double& x : q) x = 0.8 + 0.5 * uniform(random);  // off the axis, where the torus isn't smooth
    for (double& x : v) x = uniform(random);
    const auto at = system.constraint(q);
    CHECK(at.value[0] == within(level.value(q), 1e-14 * (10 + std::abs(at.value[0]))));
    double steepness = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      Point unit{};
      unit[n] = 1;
      const double slope = level.slope(q, unit);
      CHECK(at.gradient[0][n] == within(slope, 1e-12 * (1 + std::abs(slope))));
      steepness += slope * slope;
    }
    const double curvature = level.curvature(q, v);
    CHECK(constraint_curvature<Model>(q, v, system.parameters)[0] ==
          within(curvature, 1e-9 * (1 + std::abs(curvature))));
    const double lambda =
        -(curvature - level.slope(q, {0, 0, 1}) * gravity) / (std::max(steepness, 1e-300) / mass);
    CHECK(system.multiplier(q, v, 0.0)[0] == within(lambda, 1e-9 * (1 + std::abs(lambda))));
    // Its acceleration keeps to the surface to second order.
    const auto a = system.acceleration(q, v, 0.0);
    double rate = curvature;
    for (std::size_t n = 0; n < 3; ++n) rate += at.gradient[0][n] * a[n];
    CHECK(rate == within(0, 1e-9 * (1 + std::abs(curvature))));

    const auto lanes = pack.constraint({Lanes<4>(q[0]), Lanes<4>(q[1]), Lanes<4>(q[2])});
    CHECK(lanes.value[0][3] == within(at.value[0], 1e-13 * (1 + std::abs(at.value[0]))));
    CHECK(lanes.gradient[0][1][2] == within(at.gradient[0][1], 1e-13 * (1 + std::abs(at.gradient[0][1]))));
  }
}

/// Two constraints in three dimensions: a circle on the sphere, at height c.
struct Circle {
  static constexpr int dim = 3;
  static constexpr std::array<Parameter, 1> parameters{{{"c", 0.6, "height"}}};
  auto operator()(const auto&, const auto& v) const {
    using ad::square;
    const auto [x, y, z] = v;
    return 0.5 * (square(x) + 2.0 * square(y) + square(z) + x * y);
  }
  auto constraint(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    return std::tuple(square(x) + square(y) + square(z) - 1.0, z - p[0]);
  }
};

template <class S>
std::string objection_to(std::array<double, S::parameters.size()> shape, double mass = 1.0) {
  std::array<double, S::parameters.size() + 2> p{};
  std::copy(shape.begin(), shape.end(), p.begin());
  p[shape.size()] = mass;
  return ParticleOn<S>::objection(p).value_or("");
}

}  // namespace

TEST_CASE("every surface: its level function, gradient, curvature and multiplier") {
  using Real = long double;
  const auto square = [](Real x) { return x * x; };
  const auto lemniscate = [=](int n, Real a, Real r) {
    return [=](Real x, Real y, Real z) {
      // Distances to the foci, multiplied; each focus lies a / 2^(1/n) from the origin.
      const Real focus = a / std::pow(2.0L, 1.0L / n), pi = std::acos(-1.0L);
      Real product = 1;
      for (int k = 0; k < n; ++k) {
        const Real angle = 2 * pi * k / n;
        product *= square(x - focus * std::cos(angle)) + square(y - focus * std::sin(angle));
      }
      // |w - b|^2 - b^2 with b = a^n / 2
      const Real f = product - square(std::pow(a, static_cast<Real>(n)) / 2);
      return square(f) + square(z) - square(r);
    };
  };
  check<Sphere>({0.8},
                [=](Real x, Real y, Real z) { return square(x) + square(y) + square(z) - square(0.8); });
  check<Ellipsoid>({1.5, 1.0, 0.7}, [=](Real x, Real y, Real z) {
    return square(x / 1.5) + square(y) + square(z / static_cast<Real>(0.7)) - 1;
  });
  check<Torus>({1.0, 0.4}, [=](Real x, Real y, Real z) {
    return square(std::hypot(x, y) - 1) + square(z) - square(0.4);
  });
  check<Cylinder>({0.9}, [=](Real x, Real y, Real) { return square(x) + square(y) - square(0.9); });
  check<Plane>({0.3, -0.2, 0.9, 0.1},
               [](Real x, Real y, Real z) { return 0.3 * x - 0.2 * y + 0.9 * z - 0.1; });
  check<Gyroid>({5.0, 0.3}, [](Real x, Real y, Real z) {
    const Real k = 2 * std::acos(-1.0L) / 5;
    return std::sin(k * x) * std::cos(k * y) + std::sin(k * y) * std::cos(k * z) +
           std::sin(k * z) * std::cos(k * x) - 0.3;
  });
  check<Lemniscate>({1.1, 0.2}, lemniscate(2, 1.1, 0.2));
  check<Lemniscate3>({1.1, 0.2}, lemniscate(3, 1.1, 0.2));
  check<Lemniscate4>({1.1, 0.2}, lemniscate(4, 1.1, 0.2));
}

TEST_CASE("the multiplier at the top of the surface of genus 2 is 3") {
  System<ParticleOn<Lemniscate>, double> system;
  system.parameters = {1.0, 1.0 / 6, 1.0, 1.0};
  for (const double angle : {0.0, 0.7, 2.0}) {
    CHECK(system.multiplier({0, 0, 1.0 / 6}, {std::cos(angle), std::sin(angle), 0}, 0.0)[0] ==
          within(3, 1e-14));
  }
}

TEST_CASE("the inflated lemniscate pinches where the bound of its half height says") {
  // f has the critical value -a^(2n)/4 at the foci: there grad g vanishes on the surface r = a^(2n)/4.
  System<ParticleOn<Lemniscate>, double> two;
  two.parameters = {1.2, std::pow(1.2, 4) / 4, 1.0, 0.0};
  const auto at_focus = two.constraint({1.2 / std::sqrt(2.0), 0, 0});
  CHECK(at_focus.value[0] == within(0, 1e-15));
  CHECK(std::abs(at_focus.gradient[0][0]) < 1e-14);
  CHECK(objection_to<Lemniscate>({1.2, std::pow(1.2, 4) / 4 - 1e-9}).empty());
  CHECK_FALSE(objection_to<Lemniscate>({1.2, std::pow(1.2, 4) / 4}).empty());
  CHECK_FALSE(objection_to<Lemniscate3>({1.2, std::pow(1.2, 6) / 4 + 1e-9}).empty());
  CHECK(objection_to<Lemniscate4>({1.2, std::pow(1.2, 8) / 4 - 1e-9}).empty());
}

TEST_CASE("parameters that make no regular surface are named") {
  CHECK(objection_to<Sphere>({-1.0}).find("r > 0") != std::string::npos);
  CHECK(objection_to<Cylinder>({0.0}).find("r > 0") != std::string::npos);
  CHECK(objection_to<Torus>({1.0, 1.5}).find("R > r > 0") != std::string::npos);
  CHECK(objection_to<Torus>({1.0, NAN}).find("R > r > 0") != std::string::npos);
  CHECK(objection_to<Ellipsoid>({1.0, 0.0, 1.0}).find("a, b, c > 0") != std::string::npos);
  CHECK(objection_to<Plane>({0, 0, 0, 1}).find("normal") != std::string::npos);
  CHECK(objection_to<Gyroid>({1.0, 1.5}).find("empty") != std::string::npos);
  CHECK(objection_to<Gyroid>({1.0, std::sqrt(2.0)}).find("pinches") != std::string::npos);
  CHECK(objection_to<Gyroid>({0.0, 0.0}).find("period") != std::string::npos);
  CHECK(objection_to<Lemniscate>({1.0, 0.3}).find("0.25") != std::string::npos);
  CHECK(objection_to<Sphere>({1.0}, 0.0) == "mass must be positive");
  CHECK(objection_to<Sphere>({1.0}, -2.0) == "mass must be positive");
  CHECK(objection_to<Sphere>({1.0}).empty());
}

TEST_CASE("several constraints: each with its gradient, curvature and multiplier, at any mass matrix") {
  static_assert(constraint_count<Circle> == 2 && constraint_count<ParticleOn<Sphere>> == 1);
  const System<Circle, double> system;
  const double angle = 0.9, speed = 1.3;
  const Point q{0.8 * std::cos(angle), 0.8 * std::sin(angle), 0.6};
  const Point v{-speed * std::sin(angle), speed * std::cos(angle), 0};
  const auto at = system.constraint(q);
  CHECK(at.value[0] == within(0, 1e-15));
  CHECK(at.value[1] == within(0, 1e-15));
  CHECK(at.gradient[1] == Point{0, 0, 1});
  CHECK(at.gradient[0][2] == within(1.2, 1e-15));
  const auto curvature = constraint_curvature<Circle>(q, v, system.parameters);
  CHECK(curvature[0] == within(2 * speed * speed, 1e-14));
  CHECK(curvature[1] == 0);
  // On the circle L = m(phi) (0.8 phi')^2 / 2, m = 1 + cos^2 phi - sin phi cos phi.
  const double rate = speed / 0.8, s = std::sin(angle), c = std::cos(angle);
  const double m = 1 + c * c - s * c, slope = -2 * s * c - c * c + s * s;
  const double second = -0.5 * slope / m * rate * rate;
  const auto a = system.acceleration(q, v, 0.0);
  CHECK(a[0] == within(0.8 * (-s * second - c * rate * rate), 1e-14));
  CHECK(a[1] == within(0.8 * (c * second - s * rate * rate), 1e-14));
  CHECK(a[2] == within(0, 1e-14));
}

TEST_CASE("errors of constraints are lengths, and no number is never within one") {
  System<ParticleOn<Sphere>, double> system;
  system.parameters[0] = 2.0;
  const double off = 1e-6;
  const auto near = system.constraint({0, 2 + off, 0});
  CHECK(std::sqrt(near.error_squared()) == within(off, 1e-12));
  CHECK(near.within(1.1 * off * 1.1 * off));
  CHECK_FALSE(near.within(0.9 * off * 0.9 * off));
  CHECK_FALSE(system.constraint({0, NAN, 0}).within(1e300));
  CHECK(std::isnan(system.constraint({0, NAN, 0}).error_squared()));
  CHECK(std::isnan(System<Circle, double>{}.constraint({NAN, 0, 0.6}).error_squared()));
  CHECK(System<Circle, double>{}.constraint({0.8, 0, 0.7}).error_squared() == within(0.01, 1e-12));
}
