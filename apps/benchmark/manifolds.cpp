// benchmark_manifolds: RATTLE in lanes on one core. Particle-steps a second of the method alone, of the
// flight that also watches energy and constraint in each step, and, as a yardstick for the machine, of a loop
// written by hand for the torus alone (gradients by hand, no energy, nothing kept but the state).
//   benchmark_manifolds [million steps a lane, default 1]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "mechanics/surfaces/lemniscate.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "sections/problem_of.hpp"

namespace cotangent::benchmark {
namespace {

using R = numerics::Lanes<numerics::native_width>;
constexpr int width = numerics::native_width;

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
  sections::Watch watch;
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

/// RATTLE on the torus, by hand.
void yardstick(long steps) {
  const double big = 10, small = 4, h = 0.005;
  struct Particle {
    R x{14.0}, y{0.0}, z{0.0}, u{0.0}, v, w, lambda{0.0};
  };
  constexpr int packs = 64;
  std::vector<Particle> particles(packs);
  for (auto& p : particles) {
    for (int i = 0; i < width; ++i) {
      numerics::set_lane(p.v, i, std::cos(0.7 + 0.3 * i));
      numerics::set_lane(p.w, i, std::sin(0.7 + 0.3 * i));
    }
  }
  const R share(0.5 * h * h), half(0.5 * h);
  const long rounds = steps / packs;
  const double taken = seconds([&] {
    for (long s = 0; s < rounds; ++s) {
      for (auto& p : particles) {
        const R k = R(2.0) * (R(1.0) - R(big) / sqrt(fma(p.x, p.x, p.y * p.y)));
        const R gx = k * p.x, gy = k * p.y, gz = R(2.0) * p.z;
        R x, y, z, fx, fy, fz, l = p.lambda;
        for (int iteration = 0; iteration < 10; ++iteration) {
          x = fma(share * l, gx, fma(R(h), p.u, p.x));
          y = fma(share * l, gy, fma(R(h), p.v, p.y));
          z = fma(share * l, gz, fma(R(h), p.w, p.z));
          const R rho = sqrt(fma(x, x, y * y)), d = rho - R(big);
          const R g = fma(d, d, z * z) - R(small * small);
          const R f = R(2.0) * d / rho;
          fx = f * x;
          fy = f * y;
          fz = R(2.0) * z;
          if (!any(g * g > R(1e-20) * fma(fx, fx, fma(fy, fy, fz * fz)))) break;
          l -= g / (share * fma(fx, gx, fma(fy, gy, fz * gz)));
        }
        p.lambda = l;
        const R u = fma(half * l, gx, p.u), v = fma(half * l, gy, p.v), w = fma(half * l, gz, p.w);
        const R mu = fma(fx, u, fma(fy, v, fz * w)) / fma(fx, fx, fma(fy, fy, fz * fz));
        p.u = u - mu * fx;
        p.v = v - mu * fy;
        p.w = w - mu * fz;
        p.x = x;
        p.y = y;
        p.z = z;
      }
    }
  });
  std::printf("by hand, torus, tolerance 1e-10: %.3g particle-steps/s (speed of lane 0: %.12f)\n",
              static_cast<double>(rounds * packs) * width / taken,
              std::sqrt(numerics::lane(particles[0].u, 0) * numerics::lane(particles[0].u, 0) +
                        numerics::lane(particles[0].v, 0) * numerics::lane(particles[0].v, 0) +
                        numerics::lane(particles[0].w, 0) * numerics::lane(particles[0].w, 0)));
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
    yardstick(steps);
    measure<mechanics::Torus>(torus, 1e-10, steps);
    measure<mechanics::Lemniscate>(genus2, 1e-10, steps);
  }
  measure<mechanics::Torus>(torus, 1e-14, steps);
  measure<mechanics::Lemniscate>(genus2, 1e-14, steps);
}
