// SPDX-License-Identifier: BSD-3-Clause
// benchmark_molecules: dumbbells, two points and a rod of length 1, at temperature 1, that feel each other by
// Lennard-Jones' potential (cut-off 2.5), beside the same that don't: on a torus at 0.32 points a unit of
// area, as benchmark_particles has them, and free in a periodic box at 0.3 a unit of volume. h = 2e-3.
//   benchmark_molecules [seconds [points ...]]        mpirun -n 2 benchmark_molecules 2 1000 100000
// Wall time of all ranks together for a point and step, the best of many repetitions, and beside it the
// ranks' processor time in that one.
#include "rods/molecules.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

#include "la/petsc.hpp"
#include "mechanics/surface.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "parallel/mpi.hpp"
#include "rods/rattle.hpp"
#include "sections/surface_of.hpp"

namespace cotangent::benchmark {
namespace {

constexpr int repetitions = 10;
constexpr double least_distance = 0.9;

rods::RodSystem<3> on_torus(std::int64_t molecules, const rods::RodSystem<3>& dumbbell) {
  static const sections::SurfaceOf<mechanics::ParticleOn<mechanics::Torus>> torus;
  const double scale = std::sqrt(2 * static_cast<double>(molecules) / 51274);
  const std::array<double, 2> radii{100 * scale, 40 * scale};
  const geometry::LevelFunction g = [radii](const geometry::SpacePoint& q) { return torus.level(q, radii); };
  const rods::HoldingSurface<3> surface{
      [g](const std::array<double, 3>& q) {
        const auto [value, gradient] = g(q);
        return rods::HoldingSurface<3>::Level{value, gradient};
      },
      [radii](const std::array<double, 3>& q, const std::array<double, 3>& v) {
        return torus.curvature(q, v, radii);
      },
      [radii](const rods::HoldingSurface<3>::Levels& points) {
        torus.levels(points.count, points.q, points.value, points.gradient, radii);
      }};
  const geometry::SpacePoint first{140 * scale, 0, 0};
  const auto triangles = geometry::triangulate(g, std::span(&first, 1), 4 * scale);
  const particles::SurfacePoints points(g, *triangles);
  auto all = rods::scattered<3>(dumbbell, molecules, least_distance, {},
                                rods::along_surface(dumbbell, surface, points, 1));
  all.hold_on(surface);
  return all;
}

struct Time {
  double wall = std::numeric_limits<double>::infinity(), processor = 0;
};

/// Of a step.
Time measure(rods::RodSystem<3> system, const rods::RodPairOptions& pairs, double seconds) {
  rods::heat(system, 1.0, 1);
  rods::RodOptions options;
  options.step = 2e-3;
  options.project = true;
  options.pairs = pairs;
  rods::RodRattle<3> rattle(system, options);
  const int block = static_cast<int>(std::max<std::size_t>(2, 20000 / system.mass.size()));
  Time best;
  for (int repetition = 0; repetition <= repetitions; ++repetition) {
    const double start = parallel::wall_time();
    const std::clock_t clock = std::clock();
    double steps = 0;
    do {
      for (int k = 0; k < block; ++k) {
        if (rattle.advance() != Status::pending) throw Error("benchmark_molecules: " + rattle.failure());
      }
      steps += block;
    } while (parallel::any(parallel::rank() == 0 && parallel::wall_time() - start < seconds / repetitions));
    const Time time{(parallel::wall_time() - start) / steps,
                    parallel::sum(static_cast<double>(std::clock() - clock)) / CLOCKS_PER_SEC / steps};
    if (repetition > 0 && time.wall < best.wall) best = time;
  }
  return best;
}

void compare(const char* where, const rods::RodSystem<3>& system, const particles::Periods& periods,
             const particles::PairKernel& kernel, double seconds) {
  const double points = static_cast<double>(system.mass.size());
  const Time felt = measure(system, {&kernel, false, 0.0, periods}, seconds),
             apart = measure(system, {}, seconds);
  if (parallel::rank() == 0)
    std::printf(
        "%8.0f points %-12s %d ranks: %.3g point-steps/s, %.0f ns (processors %.0f); without pairs "
        "%.3g, %.0f ns (%.0f)\n",
        points, where, parallel::size(), points / felt.wall, 1e9 * felt.wall / points,
        1e9 * felt.processor / points, points / apart.wall, 1e9 * apart.wall / points,
        1e9 * apart.processor / points);
  std::fflush(stdout);
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int argc, char** argv) {
  using namespace cotangent;
  const parallel::Mpi mpi(argc, argv);
  const la::Petsc petsc;
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2.0;
  std::vector<std::int64_t> counts;
  for (int k = 2; k < argc; ++k) counts.push_back(std::atoll(argv[k]));
  if (counts.empty()) counts = {1000, 100000};
  const auto dumbbell = rods::rod_chain<3>(1, 1.0, 1.0, 0.0, 0.0, false);
  auto free = dumbbell;
  free.mass[0] = 1.0;
  for (const auto& potential : particles::built_in_potentials()) {
    if (potential->name() != "lennard-jones") continue;
    const auto kernel = potential->kernel(std::vector{1.0, 1.0}, 2.5, particles::CutMode::shifted, 2.5);
    for (const std::int64_t count : counts) {
      const double side = std::cbrt(static_cast<double>(count) / 0.3);
      benchmark::compare("on a torus", benchmark::on_torus(count / 2, free), {}, *kernel, seconds);
      benchmark::compare("in a box",
                         rods::scattered<3>(free, count / 2, benchmark::least_distance, {side, side, side},
                                            rods::in_box<3>(free, {side, side, side}, 1)),
                         {side, side, side}, *kernel, seconds);
    }
  }
}
