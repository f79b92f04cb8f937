// SPDX-License-Identifier: BSD-3-Clause
// The methods of constrained motion on a particle that falls over a surface of genus 2: order, manifold,
// tangent space, structure. Orders are fitted against the Lobatto pair of order 6 at a fine step.
#include "fitted_order.hpp"
#include "integrators/constrained.hpp"

namespace cotangent::integrators {
namespace {

constexpr double time = 2.0;

/// A start away from the symmetric top, where a method of order 1 shows it.
State<double, 3> off_the_top() {
  const Genus2 system = genus2();
  auto fine = stepper<Genus2>("rattle-kahan-li-6", 1.0 / 1024);
  State<double, 3> x = after(system, *fine, genus2_start(), 1024);
  x.t = 0;
  return x;
}

/// As the step is shortened from this one to half of it.
test::FittedOrder order_of(const std::string& name, double step, const State<double, 3>& start,
                           const State<double, 3>& reference) {
  const Genus2 system = genus2();
  const auto most = std::lround(time / step);
  std::vector<double> steps, errors;
  for (const long count : {most, most * 5 / 4, most * 3 / 2, most * 2}) {
    steps.push_back(time / static_cast<double>(count));
    auto method = stepper<Genus2>(name, steps.back());
    errors.push_back(distance_of(after(system, *method, start, static_cast<int>(count)), reference));
  }
  return test::fitted_order(steps, errors);
}

TEST_CASE("the family of RATTLE stays on its manifold whatever the constraint is multiplied by") {
  using Scaled = mechanics::System<Plain<ScaledCircle>, double>;
  const auto worst = [](const std::string& name, double scale) {
    Scaled system;
    system.parameters = {scale};
    MethodOptions options;
    options.name = name;
    options.step = 0.1;
    auto method = one_of<Scaled, Rattle<Scaled>, RattleComposition<Scaled, KahanLi6>, Shake<Scaled>>(options);
    method.start(system, {0.0, {1, 0}, {0, 0.5}}, true);
    double off = 0;
    for (int i = 0; i < 300; ++i) {
      REQUIRE(method.advance(system, true));
      const auto x = method.end();
      off = std::max(off, std::abs(x.q[0] * x.q[0] + x.q[1] * x.q[1] - 1));
    }
    return off;
  };
  for (const std::string name : {"rattle", "rattle-kahan-li-6", "shake"}) {
    for (const double scale : {1e-100, 1e-80, 1e-40, 1.0, 1e40, 1e80, 1e100}) {
      INFO(name << ", scale " << scale);
      CHECK(worst(name, scale) < 1e-13);
    }
  }
}

TEST_CASE("constrained methods have the orders that they claim") {
  struct Claim {
    const char* name;
    double step, order;
  };
  const auto start = off_the_top();
  auto fine = stepper<Genus2>("lobatto-pair-6", 1.0 / 512);
  const auto reference = after(genus2(), *fine, start, static_cast<int>(time * 512));
  // Fitted, in this order: 2.000, 2.000, 2.000, 1.006, 4.003, 4.008, 6.02, 6.08, 3.999, 6.09, 2.000, 1.999.
  for (const Claim& c :
       {Claim{"rattle", 1.0 / 256, 2}, Claim{"shake", 1.0 / 256, 2}, Claim{"shake-two-step", 1.0 / 256, 2},
        Claim{"constrained-symplectic-euler", 1.0 / 1024, 1}, Claim{"rattle-suzuki-4", 1.0 / 128, 4},
        Claim{"rattle-yoshida-4", 1.0 / 256, 4}, Claim{"rattle-yoshida-6", 1.0 / 128, 6},
        Claim{"rattle-kahan-li-6", 1.0 / 64, 6}, Claim{"lobatto-pair-4", 1.0 / 128, 4},
        Claim{"lobatto-pair-6", 1.0 / 64, 6}, Claim{"reduced-midpoint", 1.0 / 512, 2},
        Claim{"trapezoidal", 1.0 / 512, 2}}) {
    INFO(c.name);
    CHECK(order_of(c.name, c.step, start, reference) == test::ClaimedOrder{c.order, 0.15, 0.02});
  }
}

TEST_CASE("positions of RATTLE, both forms of SHAKE and the variational integrator are the same") {
  const Genus2 system = genus2();
  auto rattle = stepper<Genus2>("rattle", 0.01);
  const auto reference = after(system, *rattle, genus2_start(), 500);
  for (const char* name : {"shake", "shake-two-step", "variational"}) {
    INFO(name);
    auto method = stepper<Genus2>(name, 0.01);
    CHECK(distance_of(after(system, *method, genus2_start(), 500), reference, false) < 1e-11);
  }
  auto other = stepper<Genus2>("constrained-symplectic-euler", 0.01);  // the control: another method
  const auto start = off_the_top();
  CHECK(distance_of(after(system, *other, start, 500), after(system, *rattle, start, 500), false) > 1e-4);
}

TEST_CASE("constraints hold to round-off along symplectic methods, and drift along the reduced equations") {
  const Genus2 system = genus2();
  const auto worst = [&](const char* name) {
    auto method = stepper<Genus2>(name, 0.01);
    method->start(system, genus2_start(), true);
    double position = 0, velocity = 0;
    for (int i = 0; i < 2000; ++i) {
      REQUIRE(method->advance(system, true));
      const auto x = method->end();
      const auto g = system.constraint(x.q);
      const auto& gradient = g.gradient[0];
      double along = 0, size = 0;
      for (int n = 0; n < 3; ++n) {
        along += gradient[n] * x.v[n];
        size += gradient[n] * gradient[n];
      }
      position = std::max(position, std::abs(g.value[0]) / std::sqrt(size));
      velocity = std::max(velocity, std::abs(along) / std::sqrt(size));
    }
    return std::pair(position, velocity);
  };
  for (const char* name :
       {"rattle", "rattle-yoshida-4", "rattle-suzuki-4", "rattle-yoshida-6", "rattle-kahan-li-6",
        "lobatto-pair-4", "lobatto-pair-6", "constrained-symplectic-euler"}) {
    INFO(name);
    const auto [position, velocity] = worst(name);
    CHECK(position <= 1e-14);
    CHECK(velocity <= 1e-14);
  }
  CHECK(worst("reduced-midpoint").first > 1e-7);  // the control
  CHECK(worst("shake").second > 1e-6);            // velocities of SHAKE aren't tangent
}

TEST_CASE("symmetric methods come back") {
  const Genus2 system = genus2();
  const auto there_and_back = [&](const char* name) {
    auto method = stepper<Genus2>(name, 0.01);
    State<double, 3> x = after(system, *method, genus2_start(), 100);
    for (auto& v : x.v) v = -v;
    State<double, 3> y = after(system, *method, x, 100);
    for (auto& v : y.v) v = -v;
    return distance_of(y, genus2_start());
  };
  for (const char* name : {"rattle", "rattle-yoshida-4", "rattle-suzuki-4", "rattle-yoshida-6",
                           "rattle-kahan-li-6", "lobatto-pair-4", "lobatto-pair-6"}) {
    INFO(name);
    CHECK(there_and_back(name) < 1e-11);
  }
  CHECK(there_and_back("rk4") > 1e-8);  // the control
}

/// omega(D Phi xi, D Phi eta) - omega(xi, eta) over one step, xi and eta tangent to the cotangent bundle, by
/// central differences along curves on it.
double symplectic_defect(const char* name, double h, const std::string& projection = "none") {
  const Genus2 system = genus2();
  const auto start = off_the_top();
  const auto step = [&](const State<double, 3>& x) {
    auto method = stepper<Genus2>(name, h, projection);
    return after(system, *method, x, 1);
  };
  const auto along = [&](int k, double s) {
    State<double, 3> x = start;
    x.q[k % 3] += s * (k == 0 ? 1.0 : 0.3);
    x.v[(k + 1) % 3] += s;
    x.v[k % 3] -= 0.4 * s;
    REQUIRE(project_state(system, x.q, x.v, -1));
    return x;
  };
  constexpr double s = 1e-3;
  const auto derivative = [&](int k, bool after_step) {
    // Central differences of order 6.
    State<double, 3> d;
    constexpr std::array weight{3.0 / 4, -3.0 / 20, 1.0 / 60};
    for (int m = 1; m <= 3; ++m) {
      auto plus = along(k, m * s), minus = along(k, -m * s);
      if (after_step) {
        plus = step(plus);
        minus = step(minus);
      }
      for (int n = 0; n < 3; ++n) {
        d.q[n] += weight[m - 1] / s * (plus.q[n] - minus.q[n]);
        d.v[n] += weight[m - 1] / s * (plus.v[n] - minus.v[n]);
      }
    }
    return d;
  };
  const auto omega = [](const State<double, 3>& a, const State<double, 3>& b) {
    double sum = 0;
    for (int n = 0; n < 3; ++n) sum += a.q[n] * b.v[n] - a.v[n] * b.q[n];
    return sum;
  };
  const double before = omega(derivative(0, false), derivative(1, false));
  REQUIRE(std::abs(before) > 0.1);
  return std::abs(omega(derivative(0, true), derivative(1, true)) / before - 1);
}

TEST_CASE("the symplectic form on the constraint manifold is kept, and not by standard projection") {
  for (const char* name : {"rattle", "constrained-symplectic-euler", "rattle-yoshida-4", "rattle-suzuki-4",
                           "rattle-yoshida-6", "rattle-kahan-li-6", "lobatto-pair-4", "lobatto-pair-6"}) {
    INFO(name);
    CHECK(symplectic_defect(name, 0.025) < 1e-8);
  }
  CHECK(symplectic_defect("reduced-midpoint", 0.025, "standard") > 1e-4);
  CHECK(symplectic_defect("rk4", 0.025, "standard") > 1e-5);
}

}  // namespace
}  // namespace cotangent::integrators
