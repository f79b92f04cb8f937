// SPDX-License-Identifier: BSD-3-Clause
// benchmark_particles: Lennard-Jones particles on a torus, as LAMMPS' fix nve/manifold/rattle has them in its
// example: density 0.32, temperature 1, cut-off 2.5, h = 5e-4; the torus is scaled to the number of particles
// (51 274: R = 100, r = 40).
//   benchmark_particles [steps [particles ...]]        mpirun -n 2 benchmark_particles 1000 51274
// Wall time of all ranks together, and beside it their processor time. MULTIPLIERS=petsc in the environment:
// the multipliers by PETSc instead of in lanes, and what trajectories that don't interact take by either, on
// each rank.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <numbers>

#include "integrators/rattle.hpp"
#include "la/petsc.hpp"
#include "mechanics/models/four_bar_linkage.hpp"
#include "mechanics/models/heavy_top.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "parallel/mpi.hpp"
#include "particles/particle_dynamics.hpp"
#include "particles/sparse_multipliers.hpp"
#include "particles/starts.hpp"
#include "particles/surface_motion_of.hpp"

namespace cotangent::benchmark {
namespace {

using Model = mechanics::ParticleOn<mechanics::Torus>;

std::vector<particles::Particle> starts(std::int64_t count, const std::vector<double>& parameters) {
  mechanics::System<Model, double> system;
  std::copy_n(parameters.begin(), 2, system.parameters.begin());
  const geometry::LevelFunction g = [&](const geometry::SpacePoint& q) {
    const auto at = system.constraint(q);
    return geometry::LevelPoint{at.value[0], at.gradient[0]};
  };
  const geometry::SpacePoint first{parameters[0] + parameters[1], 0, 0};
  const auto surface = geometry::triangulate(g, std::span(&first, 1), 0.1 * parameters[1]);
  const particles::SurfacePoints points(g, *surface);
  double distance = 0;
  const auto even = particles::even_points(points, count, 1, {}, distance);
  std::vector<particles::Particle> mine;
  for (const auto& [number, q] : even) {
    particles::Particle p;
    p.id = static_cast<std::int64_t>(number);
    p.q = p.start = q;
    p.v = particles::thermal_velocity(p.id, g(q).gradient, 1.0, 1.0, 1);
    mine.push_back(p);
  }
  return mine;
}

bool by_petsc() {
  const char* who = std::getenv("MULTIPLIERS");
  return who != nullptr && std::strcmp(who, "petsc") == 0;
}

void measure(std::int64_t count, std::int64_t steps, const particles::Potential& potential) {
  const double scale = std::sqrt(static_cast<double>(count) / 51274);
  const std::vector<double> parameters{100 * scale, 40 * scale, 1.0, 0.0};
  const auto kernel = potential.kernel(std::vector{1.0, 1.0}, 2.5, particles::CutMode::cut, 2.5);
  const particles::SurfaceMotionOf<Model> motion(parameters, 1e-10);
  particles::ParticleDynamicsOptions options;
  options.step = 5e-4;
  if (const char* step = std::getenv("STEP")) options.step = std::atof(step);
  if (const char* skin = std::getenv("SKIN")) options.skin = std::atof(skin);
  using particles::SparseMultipliers;
  if (by_petsc())
    options.solver = std::make_shared<SparseMultipliers>(SparseMultipliers::Batch::of_all_ranks);
  particles::ParticleDynamics swarm(motion, *kernel, options, starts(count, parameters));
  swarm.advance(std::min<std::int64_t>(steps, 200), false);
  const auto before = swarm.effort();
  const double start = parallel::wall_time();
  const std::clock_t clock = std::clock();
  swarm.advance(steps, false);
  const double wall = parallel::wall_time() - start;
  const double processor = parallel::sum(static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC);
  const double listing = parallel::maximum(swarm.effort().listing_seconds - before.listing_seconds),
               waiting = parallel::maximum(swarm.effort().waiting_seconds - before.waiting_seconds);
  const double error = swarm.constraint_error();
  if (parallel::rank() == 0)
    std::printf(
        "%8lld particles, %d ranks: %.3g particle-steps/s (%.1f ns, of processors %.1f), %lld lists %.1f %%, "
        "waiting %.1f %%; "
        "constraint %.1e\n",
        static_cast<long long>(count), parallel::size(), static_cast<double>(count * steps) / wall,
        1e9 * wall / static_cast<double>(count * steps), 1e9 * processor / static_cast<double>(count * steps),
        static_cast<long long>(swarm.effort().lists - before.lists), 100 * listing / wall,
        100 * waiting / wall, error);
}

/// Trajectories of one model in a register's lanes, in lanes and by PETSc.
template <class Model>
void measure(const char* name, std::array<double, Model::dim> q, std::array<double, Model::dim> v,
             double step, long steps) {
  constexpr int width = numerics::native_width, N = Model::dim;
  using System = mechanics::System<Model, numerics::Lanes<width>>;
  const System system;
  integrators::project_state(mechanics::System<Model, double>{}, std::span(q), std::span(v), -1);
  integrators::State<numerics::Lanes<width>, N> x;
  for (int n = 0; n < N; ++n) {
    x.q[n] = numerics::Lanes<width>(q[n]);
    x.v[n] = numerics::Lanes<width>(v[n]);
  }
  double seconds[2];
  for (const bool petsc : {false, true}) {
    integrators::MethodOptions options;
    options.step = step;
    using particles::SparseMultipliers;
    if (petsc) options.solver = std::make_shared<SparseMultipliers>(SparseMultipliers::Batch::of_one_rank);
    integrators::Rattle<System> method(options);
    const numerics::mask_of<numerics::Lanes<width>> all(true);
    method.start(system, x, all);
    method.advance(system, all);
    const long count = petsc ? std::max(1L, steps / 50) : steps;
    const std::clock_t clock = std::clock();
    for (long k = 0; k < count; ++k) method.advance(system, all);
    seconds[petsc ? 1 : 0] =
        static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC / static_cast<double>(count * width);
  }
  if (parallel::rank() == 0)
    std::printf("%-12s %d constraints, %d lanes: %.3g ns a trajectory and step in lanes, %.4g by PETSc\n",
                name, System::constraints, width, 1e9 * seconds[0], 1e9 * seconds[1]);
}

}  // namespace
}  // namespace cotangent::benchmark

int main(int argc, char** argv) {
  using namespace cotangent;
  const parallel::Mpi mpi(argc, argv);
  const la::Petsc petsc;
  const std::int64_t steps = argc > 1 ? std::atoll(argv[1]) : 1000;
  std::vector<std::int64_t> counts;
  for (int k = 2; k < argc; ++k) counts.push_back(std::atoll(argv[k]));
  if (counts.empty()) counts = {51274};
  for (const auto& potential : particles::built_in_potentials()) {
    if (potential->name() != "lennard-jones") continue;
    for (const std::int64_t count : counts) benchmark::measure(count, steps, *potential);
  }
  if (!benchmark::by_petsc()) return 0;
  benchmark::measure<benchmark::Model>("torus", {1.4, 0, 0}, {0, 0.76, 0.64}, 0.005, 200 * steps);
  benchmark::measure<mechanics::FourBarLinkage>("four bars", {0.3, 0.9, 1.9, 2.3}, {-0.5, 0.2, 0.1, 0.0},
                                                0.002, 200 * steps);
  benchmark::measure<mechanics::HeavyTop>("heavy top", {0.8, 0, 0.6, 0, 1, 0, -0.6, 0, 0.8},
                                          {0, -5, 0, 4, 0, 3, 0, -1, 0}, 0.002, 20 * steps);
}
