// SPDX-License-Identifier: BSD-3-Clause
// Tangent maps of rolling motion: deviations keep to what rolling allows, r_v dv + r_q dq = 0, and to the
// constraints' manifold where there is one, and they are what neighbours that roll too differ by. The
// Chaplygin sleigh, whose motion is known, has one exponent that isn't zero: no symplectic form pairs it.
#include "bodies_that_roll.hpp"
#include "integrators/tangent_space.hpp"
#include "mechanics/models/chaplygin_sleigh.hpp"
#include "tangent_maps.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

using Sleigh = mechanics::System<mechanics::ChaplyginSleigh, double>;

/// What a deviation misses rolling and the manifold's tangent bundle by, at the most.
template <class System>
double off_tangent(const System& system, const State<double, System::dim>& x,
                   const Deviation<double, System::dim>& d) {
  auto tangent = d;
  make_tangent(system, x, tangent);
  double off = 0, size = 0;
  for (int n = 0; n < System::dim; ++n) {
    off = std::max({off, std::abs(tangent.q[n] - d.q[n]), std::abs(tangent.y[n] - d.y[n])});
    size += std::abs(d.q[n]) + std::abs(d.y[n]);
  }
  return off / size;
}

template <class System>
std::array<Deviation<double, System::dim>, 2> two_deviations(const System& system,
                                                             const State<double, System::dim>& x) {
  std::array<Deviation<double, System::dim>, 2> d{};
  for (int n = 0; n < System::dim; ++n) {
    d[0].q[n] = 0.3 + 0.1 * n;
    d[0].y[n] = 0.2 - 0.15 * n;
    d[1].q[n] = n % 2 == 0 ? 0.5 : -0.2;
    d[1].y[n] = 0.1 * n * n - 0.4;
  }
  for (auto& one : d) make_tangent(system, x, one);
  return d;
}

/// The largest difference between deviations and central differences of neighbours this far apart, which are
/// made to roll; and what the deviations miss what is allowed by, after these steps.
template <class Method, class System>
std::array<double, 2> off_differences(const System& system, const State<double, System::dim>& start,
                                      double step, int steps, double apart) {
  constexpr int N = System::dim;
  const auto end_of = [&](const Deviation<double, N>& d, double by) {
    State<double, N> x = start;
    for (int n = 0; n < N; ++n) {
      x.q[n] += by * d.q[n];
      x.v[n] += by * d.y[n];
    }
    REQUIRE(project_state(system, x.q, x.v, -1));
    return run_of<Method>(system, x, fixed(step, 3), steps);
  };
  auto d = two_deviations(system, start);
  const auto first = d;
  Method method(fixed(step, 3));
  method.start(system, start, true);
  double misses = 0;
  for (int i = 0; i < steps; ++i) {
    REQUIRE(method.advance(system, true));
    method.tangent(system, 1.0, true, d.data(), 2);
    for (const auto& one : d) misses = std::max(misses, off_tangent(system, method.end(), one));
  }
  double worst = 0;
  for (int k = 0; k < 2; ++k) {
    const auto up = end_of(first[k], apart), down = end_of(first[k], -apart);
    for (int n = 0; n < N; ++n) {
      worst = std::max(worst, std::abs((up.q[n] - down.q[n]) / (2 * apart) - d[k].q[n]));
      worst = std::max(worst, std::abs((up.v[n] - down.v[n]) / (2 * apart) - d[k].y[n]));
    }
  }
  return {worst, misses};
}

template <class Method, class System>
double follows_neighbours(const System& system, const State<double, System::dim>& start) {
  std::vector<double> distances{0.004, 0.002, 0.001}, errors;
  double misses = 0;
  for (const double apart : distances) {
    const auto off = off_differences<Method>(system, start, 0.05, 20, apart);
    errors.push_back(off[0]);
    misses = off[1];
  }
  const double order = test::logarithmic_fit(distances, errors).order;
  INFO(Method::name << " of " << System::Model::name << ": " << errors[0] << " " << errors[1] << " "
                    << errors[2] << ", order " << order << ", off tangent " << misses);
  CHECK(order > 1.9);
  CHECK(order < 2.1);
  return misses;
}

/// All exponents of the sleigh over these steps, from largest to least.
template <class Method>
std::array<double, 5> sleigh_exponents(double step, int steps) {
  const Sleigh system;
  const State<double, 3> start{0, {0, 0, 0.3}, {std::cos(0.3), std::sin(0.3), 1.2}};
  std::vector<Deviation<double, 3>> d(5);
  for (int k = 0; k < 5; ++k) {
    for (int n = 0; n < 3; ++n) {
      d[k].q[n] = std::cos(1.0 + 2.3 * k + 1.7 * n);
      d[k].y[n] = std::sin(0.4 + 1.9 * k * k + 0.8 * n);
    }
    make_tangent(system, start, d[k]);
  }
  Method method(fixed(step, 4));
  method.start(system, start, true);
  const auto product = [](const auto& a, const auto& b) {
    double sum = 0;
    for (int n = 0; n < 3; ++n) sum += a.q[n] * b.q[n] + a.y[n] * b.y[n];
    return sum;
  };
  std::array<double, 5> sum{};
  for (int i = -1; i < steps; ++i) {
    if (i >= 0) {
      if (!method.advance(system, true)) FAIL("step " << i << " failed");
      method.tangent(system, 1.0, true, d.data(), 5);
    }
    for (int k = 0; k < 5; ++k) {
      for (int j = 0; j < k; ++j) {
        const double along = product(d[j], d[k]);
        for (int n = 0; n < 3; ++n) {
          d[k].q[n] -= along * d[j].q[n];
          d[k].y[n] -= along * d[j].y[n];
        }
      }
      const double size = std::sqrt(product(d[k], d[k]));
      for (int n = 0; n < 3; ++n) {
        d[k].q[n] /= size;
        d[k].y[n] /= size;
      }
      if (i >= 0) sum[k] += std::log(size);
    }
  }
  for (double& exponent : sum) exponent /= steps * step;
  return sum;
}

}  // namespace

TEST_CASE("deviations of rolling motion keep to what rolling allows, and follow neighbours that roll") {
  CHECK(follows_neighbours<LobattoSpark<Disc>>(Disc{}, disc_start()) < 1e-12);
  CHECK(follows_neighbours<LobattoSpark<Ball>>(Ball{}, ball_start()) < 1e-12);
  CHECK(follows_neighbours<LobattoSpark<Bead>>(Bead{}, bead_start()) < 1e-12);
  // The control: rolling is a weak invariant of these, and so is what it allows.
  CHECK(follows_neighbours<ReducedGauss<Disc>>(Disc{}, disc_start()) > 1e-12);
  CHECK(follows_neighbours<Rk4<Disc>>(Disc{}, disc_start()) > 1e-9);
}

TEST_CASE("a sleigh's exponents are the rate at which it stops turning, and zeros", "[long]") {
  // w ~ sech(kappa U t), U^2 = u^2 + offset / kappa w^2, from test_rolling.cpp.
  const double kappa = 0.4, speed = std::sqrt(1 + 0.5 / kappa * 1.2 * 1.2);
  const auto exponents = sleigh_exponents<LobattoSpark<Sleigh>>(0.05, 20'000);
  INFO(exponents[0] << " " << exponents[1] << " " << exponents[2] << " " << exponents[3] << " "
                    << exponents[4]);
  // x and y run away linearly with the angle and the speed: by ln(T) / T = 7e-3.
  for (int k = 0; k < 4; ++k) CHECK(std::abs(exponents[k]) < 0.015);
  CHECK(exponents[4] == Approx(-kappa * speed).epsilon(0.01));
}
