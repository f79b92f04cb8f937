// SPDX-License-Identifier: BSD-3-Clause
// benchmark_manifolds: RATTLE in lanes on one core. Particle-steps a second of the method alone, of the
// flight that also watches energy and constraint in each step, and, as a yardstick for the machine, of loops
// written by hand for either surface alone (gradients by hand, no energy, nothing kept but the state).
//   benchmark_manifolds [million steps a lane, default 1]
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "integrators/methods.hpp"
#include "mechanics/surfaces/lemniscate.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "sections/problem_of.hpp"

namespace cotangent::benchmark {
namespace {

constexpr int width = 2 * numerics::native_width;
using R = numerics::Lanes<width>;

/// The processor's time that work takes, in seconds.
template <class Work>
double seconds(const Work& work) {
  const std::clock_t begin = std::clock();
  work();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

struct Case {
  std::vector<double> parameters, q;
  int u, w;  ///< velocities turn from coordinate u to w, lane by lane
  double step;
};

template <class Surface>
void measure(const Case& c, double tolerance, long steps) {
  using Model = mechanics::ParticleOn<Surface>;
  using System = mechanics::System<Model, R>;
  integrators::MethodOptions options;
  options.name = "rattle";
  options.step = c.step;
  options.constraint_tolerance = tolerance;

  System system;
  for (std::size_t k = 0; k < c.parameters.size(); ++k) system.parameters[k] = R(c.parameters[k]);
  integrators::State<R, 3> x;
  std::vector<sections::Start> starts;
  for (int n = 0; n < 3; ++n) x.q[n] = R(c.q[static_cast<std::size_t>(n)]);
  for (int i = 0; i < width; ++i) {
    std::vector<double> v(3, 0.0);
    v[static_cast<std::size_t>(c.u)] = std::cos(0.7 + 0.3 * i);
    v[static_cast<std::size_t>(c.w)] = std::sin(0.7 + 0.3 * i);
    for (int n = 0; n < 3; ++n) numerics::set_lane(x.v[n], i, v[static_cast<std::size_t>(n)]);
    starts.push_back({i, c.q, v, c.parameters});
  }

  integrators::Rattle<System> method(options);
  const numerics::mask_of<R> all(true);
  method.start(system, x, all);
  const double alone = seconds([&] {
    for (long i = 0; i < steps; ++i) method.advance(system, all);
  });

  const sections::ProblemOf<Model> problem;
  sections::Observation watch;
  watch.stop.time = static_cast<double>(steps) * c.step;
  const auto flight = problem.fly(options, watch, width);
  for (int i = 0; i < width; ++i) flight->load(i, starts[static_cast<std::size_t>(i)]);
  const double flown = seconds([&] {
    while (flight->flown(0).status == Status::pending) flight->advance(10000);
  });
  const auto& record = flight->flown(0);
  const double work = static_cast<double>(steps) * width;
  std::printf(
      "%-12s tolerance %-7.0e method %.3g, flight %.3g particle-steps/s  energy error %.2e  constraint "
      "%.1e\n",
      std::string(Surface::name).c_str(), tolerance, work / alone, work / flown, record.energy_error,
      record.constraint_error);
}

using Space = std::array<R, 3>;

R dot(const Space& a, const Space& b) {
  return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]));
}
Space along(const Space& a, R s, const Space& b) {
  return {fma(s, b[0], a[0]), fma(s, b[1], a[1]), fma(s, b[2], a[2])};
}

/// The torus and its gradient, as one writes them for speed.
R torus_by_hand(const Space& q, Space& gradient) {
  const R rho = sqrt(fma(q[0], q[0], q[1] * q[1])), off = rho - R(10.0), f = R(2.0) * off / rho;
  gradient = {f * q[0], f * q[1], R(2.0) * q[2]};
  return fma(off, off, fma(q[2], q[2], R(-16.0)));
}
/// Bernoulli's lemniscate with a = 1 and r = 1/6, inflated.
R lemniscate_by_hand(const Space& q, Space& gradient) {
  const R x2 = q[0] * q[0], s = fma(q[1], q[1], x2), f = fma(s, s, fma(q[1], q[1], -x2));
  const R twice = f + f, s4 = R(4.0) * s;
  gradient = {twice * q[0] * (s4 - R(2.0)), twice * q[1] * (s4 + R(2.0)), q[2] + q[2]};
  return fma(f, f, fma(q[2], q[2], R(-1.0 / 36)));
}

/// RATTLE by hand for one surface: no energy, nothing kept but the state; packs by turns.
template <class Surface>
void yardstick(const char* name, const Case& c, double gravity, long steps, const Surface& surface) {
  struct Particle {
    Space q, v, gradient;
    R lambda, lambda_before;
  };
  constexpr int packs = 16;
  std::vector<Particle> particles(packs);
  for (auto& p : particles) {
    for (int n = 0; n < 3; ++n) p.q[n] = R(c.q[static_cast<std::size_t>(n)]), p.v[n] = R(0.0);
    for (int i = 0; i < width; ++i) {
      numerics::set_lane(p.v[static_cast<std::size_t>(c.u)], i, std::cos(0.7 + 0.3 * i));
      numerics::set_lane(p.v[static_cast<std::size_t>(c.w)], i, std::sin(0.7 + 0.3 * i));
    }
    surface(p.q, p.gradient);
    p.lambda = p.lambda_before = R(0.0);
  }
  const R h(c.step), share(0.5 * c.step * c.step), half(0.5 * c.step), fall(-0.5 * c.step * gravity);
  const long rounds = steps / packs;
  const double taken = seconds([&] {
    for (long s = 0; s < rounds; ++s) {
      for (auto& p : particles) {
        Space v = p.v, q, gradient;
        v[2] += fall;
        const Space base = along(p.q, h, v),
                    direction{share * p.gradient[0], share * p.gradient[1], share * p.gradient[2]};
        R lambda = R(2.0) * p.lambda - p.lambda_before;
        for (int look = 0; look < 10; ++look) {
          q = along(base, lambda, direction);
          const R g = surface(q, gradient);
          if (!any(g * g > R(1e-20) * dot(gradient, gradient))) break;
          lambda -= g / dot(gradient, direction);
        }
        v = along(v, half * lambda, p.gradient);
        v[2] += fall;
        p.v = along(v, -dot(gradient, v) / dot(gradient, gradient), gradient);
        p.q = q;
        p.gradient = gradient;
        p.lambda_before = p.lambda;
        p.lambda = lambda;
      }
    }
  });
  const auto& p = particles[0];
  std::printf("%-12s tolerance 1e-10   by hand %.3g particle-steps/s (energy of lane 0: %.9f)\n", name,
              static_cast<double>(rounds * packs) * width / taken,
              numerics::lane(R(0.5) * dot(p.v, p.v) + R(gravity) * p.q[2], 0));
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int count, char** arguments) {
  using namespace cotangent;
  using namespace cotangent::benchmark;
  const long steps = static_cast<long>(1e6 * (count > 1 ? std::atof(arguments[1]) : 1.0));
  const Case torus{{10, 4, 1, 0}, {14, 0, 0}, 1, 2, 0.005};
  const Case genus2{{1, 1.0 / 6, 1, 1}, {0, 0, 1.0 / 6}, 0, 1, 0.01};
  for (int round = 0; round < 3; ++round) {
    yardstick("torus", torus, 0.0, steps, torus_by_hand);
    measure<mechanics::Torus>(torus, 1e-10, steps);
    yardstick("lemniscate", genus2, 1.0, steps, lemniscate_by_hand);
    measure<mechanics::Lemniscate>(genus2, 1e-10, steps);
  }
  measure<mechanics::Torus>(torus, 1e-14, steps);
  measure<mechanics::Lemniscate>(genus2, 1e-14, steps);
}
