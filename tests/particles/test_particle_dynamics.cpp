// SPDX-License-Identifier: BSD-3-Clause
// Particles that interact on a surface: forces against a sum over all pairs, the same bits on any number of
// ranks, what symmetry keeps, temperatures, failures.
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include "core/error.hpp"
#include "fitted_order.hpp"
#include "mechanics/surfaces/cylinder.hpp"
#include "mechanics/surfaces/gyroid.hpp"
#include "mechanics/surfaces/plane.hpp"
#include "mechanics/surfaces/sphere.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "mpi_test.hpp"
#include "numerics/random.hpp"
#include "parallel/reproducible_sums.hpp"
#include "particles/particle_dynamics.hpp"
#include "particles/starts.hpp"
#include "particles/surface_motion_of.hpp"

using namespace cotangent;
using namespace cotangent::particles;

namespace {

template <class Surface>
using Motion = SurfaceMotionOf<mechanics::ParticleOn<Surface>>;

const Potential& potential(const std::string& name) {
  static const auto list = built_in_potentials();
  for (const auto& p : list) {
    if (p->name() == name) return *p;
  }
  throw Error("no potential " + name);
}

template <class Surface>
geometry::LevelFunction level(const std::vector<double>& parameters) {
  mechanics::System<mechanics::ParticleOn<Surface>, double> system;
  std::copy(parameters.begin(), parameters.end(), system.parameters.begin());
  return [system](const geometry::SpacePoint& q) {
    const auto at = system.constraint(q);
    return geometry::LevelPoint{at.value[0], at.gradient[0]};
  };
}

const std::vector<double> torus_parameters{6.0, 2.5, 1.0, 0.0};

/// This rank's share of particles spread over the torus.
std::vector<Particle> on_torus(std::int64_t count, double temperature, bool even) {
  const auto g = level<mechanics::Torus>(torus_parameters);
  const geometry::SpacePoint first{8.5, 0, 0};
  const auto surface = geometry::triangulate(g, std::span(&first, 1), 0.2);
  const SurfacePoints points(g, *surface);
  double distance = 0;
  const auto where = even ? even_points(points, count, 5, {}, distance) : uniform_points(points, count, 5);
  std::vector<Particle> mine;
  for (const auto& [number, q] : where) {
    Particle p;
    p.id = static_cast<std::int64_t>(number);
    p.q = p.start = q;
    p.v = thermal_velocity(p.id, g(q).gradient, temperature, 1.0, 5);
    mine.push_back(p);
  }
  return mine;
}

/// Rows of numbers, by id, of all ranks, on every rank.
std::map<std::int64_t, std::vector<double>> everybody(
    const ParticleDynamics& swarm, const std::array<std::vector<double>, 3>* forces = nullptr) {
  struct Row {
    std::int64_t id;
    std::array<double, 9> numbers;
  };
  std::vector<Row> rows;
  for (int i = 0; i < swarm.particles().own; ++i) {
    const Particle p = swarm.particles().particle(i);
    Row row{p.id, {p.q[0], p.q[1], p.q[2], p.v[0], p.v[1], p.v[2], 0, 0, 0}};
    for (std::size_t n = 0; n < 3 && forces != nullptr; ++n)
      row.numbers[6 + n] = (*forces)[n][static_cast<std::size_t>(i)];
    rows.push_back(row);
  }
  const auto all =
      parallel::exchange(std::vector<std::vector<Row>>(static_cast<std::size_t>(parallel::size()), rows));
  std::map<std::int64_t, std::vector<double>> result;
  for (const Row& row : all) result[row.id].assign(row.numbers.begin(), row.numbers.end());
  return result;
}

/// Points by their numbers, of all ranks, on every rank.
std::map<std::uint64_t, geometry::SpacePoint> together(const std::vector<NumberedPoint>& mine) {
  const auto all = parallel::exchange(std::vector(static_cast<std::size_t>(parallel::size()), mine));
  std::map<std::uint64_t, geometry::SpacePoint> result;
  for (const auto& [number, q] : all) result[number] = q;
  return result;
}

double total_energy(const ParticleDynamics& swarm, double* kinetic_energy = nullptr) {
  std::vector<double> kinetic, potential_energy;
  swarm.energies(kinetic, potential_energy);
  const std::array<std::span<const double>, 2> columns{kinetic, potential_energy};
  const auto sums = parallel::reproducible_sums(columns);
  if (kinetic_energy != nullptr) *kinetic_energy = sums[0];
  return sums[0] + sums[1];
}

}  // namespace

TEST_CASE("forces are minus the gradient of the sum over all pairs") {
  const Motion<mechanics::Torus> motion(torus_parameters, 1e-12);
  struct Case {
    std::string name;
    std::vector<double> parameters;
    double cut;
    CutMode mode;
  };
  for (const Case& c :
       {Case{"ricker", {0.5, 1.2}, 3.0, CutMode::shifted}, Case{"lennard-jones", {1, 1}, 2.5, CutMode::cut},
        Case{"lennard-jones", {1, 1}, 2.5, CutMode::switched},
        Case{"yukawa", {2.0, 0.7}, 3.5, CutMode::shifted}, Case{"soft", {3.0, 1.5}, 1.5, CutMode::cut}}) {
    const auto kernel = potential(c.name).kernel(c.parameters, c.cut, c.mode, 0.8 * c.cut);
    ParticleDynamicsOptions options;
    options.step = 1e-3;
    const ParticleDynamics swarm(motion, *kernel, options, on_torus(300, 0.0, true));
    const auto forces = swarm.forces();
    const auto all = everybody(swarm, &forces);
    double worst = 0, largest = 0, energy = 0, control = 0;
    for (const auto& [i, a] : all) {
      std::array<double, 3> sum{};
      for (const auto& [j, b] : all) {
        if (i == j) continue;
        std::array<double, 3> r{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
        const double s = r[0] * r[0] + r[1] * r[1] + r[2] * r[2], d = 1e-5 * s;
        energy += 0.5 * kernel->energy(s).value;
        control += 0.5 * kernel->energy(1.0001 * s).value;
        // A difference quotient of the energy, not its derivative; but not over the cut-off.
        const bool at_the_end = std::abs(s / (c.cut * c.cut) - 1) < 1e-4;
        const double slope = at_the_end
                                 ? kernel->energy(s).slope
                                 : (kernel->energy(s + d).value - kernel->energy(s - d).value) / (2 * d);
        for (std::size_t n = 0; n < 3; ++n) sum[n] -= 2 * slope * r[n];
      }
      for (std::size_t n = 0; n < 3; ++n) {
        worst = std::max(worst, std::abs(sum[n] - a[6 + n]));
        largest = std::max(largest, std::abs(a[6 + n]));
      }
    }
    INFO(c.name << ": off by " << worst << " of " << largest);
    CHECK_ALL(largest > 0.1);
    CHECK_ALL(worst < 2e-6 * std::max(1.0, largest));  // measured: 3e-8 relative, of the difference quotient
    // Summed in double: one pair more or less, or all of them a little farther apart, would show.
    CAPTURE(energy, total_energy(swarm) - energy, control - energy);
    CHECK_ALL(std::abs(total_energy(swarm) - energy) < 1e-12 * std::abs(energy));
    CHECK_ALL(std::abs(control - energy) > 1e-9 * std::abs(energy));
  }
}

TEST_CASE("bits don't depend on lists or pauses") {  // nor on ranks: studies/program/test_particles.py
  const Motion<mechanics::Torus> motion(torus_parameters, 1e-12);
  const auto kernel = potential("lennard-jones").kernel(std::vector{1.0, 1.0}, 2.5, CutMode::shifted, 2.5);
  ParticleDynamicsOptions options;
  options.step = 4e-3;
  const auto end = [&](double skin, std::vector<std::int64_t> pauses, double step) {
    options.skin = skin;
    options.step = step;
    ParticleDynamics swarm(motion, *kernel, options, on_torus(150, 1.0, true));
    for (const std::int64_t steps : pauses) swarm.advance(steps, false);
    return everybody(swarm);
  };
  const auto first = end(0.0, {100}, 4e-3);
  CHECK_ALL(first == end(0.7, {1, 49, 50}, 4e-3));
  CHECK_ALL(first != end(0.0, {100}, 4.01e-3));
}

TEST_CASE("pairs are counted as far as the correlation_cutoff goes, and nobody feels by it") {
  const Motion<mechanics::Torus> motion(torus_parameters, 1e-12);
  const auto lennard_jones = potential("lennard-jones").kernel({{1, 1}}, 2.5, CutMode::shifted, 2.0);
  const auto none = potential("none").kernel({}, 0, CutMode::cut, 0);
  const auto run = [&](const PairKernel& kernel, double correlation_cutoff,
                       std::vector<std::int64_t>* counts) {
    ParticleDynamicsOptions options;
    options.step = 2e-3;
    options.correlation_cutoff = correlation_cutoff;
    ParticleDynamics swarm(motion, kernel, options, on_torus(300, 1.0, true));
    swarm.advance(37, false);  // between two listings, as a rule
    if (counts != nullptr) *counts = parallel::sum(swarm.pair_counts(static_cast<int>(counts->size())));
    return everybody(swarm);
  };
  for (const PairKernel* kernel : {lennard_jones.get(), none.get()}) {
    const auto blind = run(*kernel, 0.0, nullptr);
    for (const double correlation_cutoff : {1.7, 4.1}) {
      std::vector<std::int64_t> counts(10), expected(10, 0);
      const auto all = run(*kernel, correlation_cutoff, &counts);
      CHECK_ALL(all == blind);
      for (const auto& [i, a] : all) {
        for (const auto& [j, b] : all) {
          const double way = std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
          if (i != j && way < correlation_cutoff)
            ++expected[static_cast<std::size_t>(10 * way / correlation_cutoff)];
        }
      }
      CHECK_ALL(counts == expected);
      CHECK_ALL(expected[9] > 0);
    }
  }
}

TEST_CASE("energy is kept to the order of the method, angular momentum about the axis to round-off") {
  const Motion<mechanics::Torus> motion(torus_parameters, 1e-13);
  const auto kernel = potential("ricker").kernel(std::vector{0.5, 1.2}, 5.0, CutMode::cut, 5.0);
  const auto errors = [&](double step, std::vector<double> shares) {
    ParticleDynamicsOptions options;
    options.step = step;
    options.composition_coefficients = std::move(shares);
    ParticleDynamics swarm(motion, *kernel, options, on_torus(60, 0.3, false));
    const double start = total_energy(swarm);
    const auto momentum = [&](std::size_t i, std::size_t j) {
      double sum = 0;
      for (const auto& [id, x] : everybody(swarm)) sum += x[i] * x[3 + j] - x[j] * x[3 + i];
      return sum;
    };
    const double about_axis = momentum(0, 1), across = momentum(1, 2);
    double worst = 0;
    for (int k = 0; k < 10; ++k) {
      swarm.advance(static_cast<std::int64_t>(std::lround(0.2 / step)), false);
      worst = std::max(worst, std::abs(total_energy(swarm) - start));
    }
    return std::array{worst, std::abs(momentum(0, 1) - about_axis), std::abs(momentum(1, 2) - across)};
  };
  double turned = 0, control = 1e300;
  const auto order = [&](const std::vector<double>& steps, const std::vector<double>& shares) {
    std::vector<double> energies;
    for (const double step : steps) {
      const auto [energy, about_axis, across] = errors(step, shares);
      energies.push_back(energy);
      turned = std::max(turned, about_axis);
      control = std::min(control, across);
    }
    return test::fitted_order(steps, energies);
  };
  const double outer = 0.41449077179437573714;
  const auto rattle = order({0.04, 0.025, 0.02, 0.0125}, {1.0}),
             suzuki = order({0.05, 0.04, 0.025, 0.02}, {outer, outer, 1 - 4 * outer, outer, outer});
  CAPTURE(rattle, suzuki, turned, control);
  CHECK_ALL(rattle == test::ClaimedOrder{2, 0.02, 0.01});
  CHECK_ALL(suzuki == test::ClaimedOrder{4, 0.1, 0.05});
  CHECK_ALL(turned < 1e-11);
  CHECK_ALL(control > 1e-3);  // the torus keeps no other component
}

TEST_CASE("ranks share out work rather than particles") {
  // Half of the particles feel some seventy others, half nobody; all drift, so that lists are made anew.
  const Motion<mechanics::Plane> motion(std::vector<double>{0.0, 0.0, 1.0, 0.0, 1.0, 0.0}, 1e-12);
  const auto kernel = potential("soft").kernel(std::vector{1e-6, 2.5}, 2.5, CutMode::cut, 2.5);
  std::vector<Particle> mine;
  constexpr int side = 40;
  for (int i = parallel::rank(); i < 2 * side * side; i += parallel::size()) {
    const bool dense = i < side * side;
    const double x = i % side, y = i / side % side;
    Particle p;
    p.id = i;
    p.q = p.start = dense ? geometry::SpacePoint{0.5 * x, 0.5 * y, 0.0}
                          : geometry::SpacePoint{50 + 3.5 * x, 3.5 * y, 0.0};
    p.v = {1.0, 0.0, 0.0};
    mine.push_back(p);
  }
  ParticleDynamicsOptions options;
  options.step = 0.01;
  ParticleDynamics swarm(motion, *kernel, options, mine);
  // The most of any rank, in mean loads.
  const auto heaviest = [&] {
    const auto work = swarm.work();
    const std::int64_t load = std::accumulate(work.begin(), work.end(), std::int64_t{0});
    return static_cast<double>(parallel::maximum(load) * parallel::size()) /
           static_cast<double>(parallel::sum(load));
  };
  const double by_count = heaviest();
  swarm.advance(40, false);
  INFO("by count " << by_count << ", by work " << heaviest() << ", lists " << swarm.effort().lists);
  CHECK_ALL(swarm.effort().lists > 1);
  CHECK_ALL((parallel::size() == 1 || by_count > 1.3));
  CHECK_ALL(heaviest() < 1.15);
}

TEST_CASE("round periodic axes the nearest image is felt") {
  using Plane = mechanics::ParticleOn<mechanics::Plane>;
  mechanics::System<Plane, double> system;
  const std::vector<double> usual(system.parameters.begin(), system.parameters.end());
  const Motion<mechanics::Plane> motion(usual, 1e-12);
  const auto g = level<mechanics::Plane>(usual);
  const auto kernel = potential("soft").kernel(std::vector{3.0, 1.5}, 1.5, CutMode::cut, 1.5);
  ParticleDynamicsOptions options;
  options.step = 1e-2;
  options.periods = {7.0, 5.0, 0.0};
  std::vector<Particle> mine;
  for (std::int64_t i = parallel::rank(); i < 40; i += parallel::size()) {
    const auto u = numerics::uniforms(3, static_cast<std::uint64_t>(i), 0);
    Particle p;
    p.id = i;
    p.q = {7 * u[0] - 21, 5 * u[1], 0.0};  // some periods away
    const auto [value, gradient] = g(p.q);
    for (std::size_t n = 0; n < 3; ++n)
      p.q[n] -= value * gradient[n] /
                (gradient[0] * gradient[0] + gradient[1] * gradient[1] + gradient[2] * gradient[2]);
    p.start = p.q;
    mine.push_back(p);
  }
  ParticleDynamics swarm(motion, *kernel, options, mine);
  swarm.advance(50, false);
  const auto forces = swarm.forces();
  const auto all = everybody(swarm, &forces);
  double worst = 0, largest = 0, without = 0;
  for (const auto& [i, a] : all) {
    std::array<double, 3> sum{}, near{};
    for (const auto& [j, b] : all) {
      for (int dx = -6; dx <= 6; ++dx) {
        for (int dy = -6; dy <= 6; ++dy) {
          if (i == j) continue;
          const std::array<double, 3> r{a[0] - b[0] + 7 * dx, a[1] - b[1] + 5 * dy, a[2] - b[2]};
          const double pull = -2 * kernel->energy(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).slope;
          for (std::size_t n = 0; n < 3; ++n) {
            sum[n] += pull * r[n];
            if (dx == 0 && dy == 0) near[n] += pull * r[n];
          }
        }
      }
    }
    for (std::size_t n = 0; n < 3; ++n) {
      worst = std::max(worst, std::abs(sum[n] - a[6 + n]));
      without = std::max(without, std::abs(near[n] - a[6 + n]));
      largest = std::max(largest, std::abs(a[6 + n]));
    }
  }
  CHECK_ALL(largest > 1);
  CHECK_ALL(worst < 1e-12);  // measured: 4e-15
  CHECK_ALL(without > 0.1);  // the control: images are felt
}

TEST_CASE("a heat bath brings its temperature, and Boltzmann's distribution of heights") {
  // On the unit sphere, L = v^2/2 - z: <z> = 1/a - coth a, a = 1 / T.
  mechanics::System<mechanics::ParticleOn<mechanics::Sphere>, double> system;
  std::vector<double> parameters(system.parameters.begin(), system.parameters.end());
  parameters.back() = 1.0;  // gravity
  const Motion<mechanics::Sphere> motion(parameters, 1e-12);
  const auto kernel = potential("none").kernel(std::vector<double>{}, 0.0, CutMode::cut, 0.0);
  ParticleDynamicsOptions options;
  options.step = 0.1;
  constexpr double T = 0.7;
  options.bath = HeatBath{1.0, T, 11};
  constexpr std::int64_t n = 2000;
  std::vector<Particle> mine;
  for (std::int64_t i = parallel::rank(); i < n; i += parallel::size()) {
    Particle p;
    p.id = i;
    p.q = p.start = {0, 0, -parameters[0]};
    mine.push_back(p);
  }
  ParticleDynamics swarm(motion, *kernel, options, mine);
  swarm.advance(150, false);
  double height = 0, temperature = 0;
  constexpr int samples = 20;
  for (int k = 0; k < samples; ++k) {
    swarm.advance(10, false);
    for (const auto& [id, x] : everybody(swarm)) {
      height += x[2] / (samples * n);
      temperature += (x[3] * x[3] + x[4] * x[4] + x[5] * x[5]) / (2 * samples * n);
    }
  }
  const double a = parameters[0] / T, exact = parameters[0] * (1 / a - 1 / std::tanh(a));
  INFO("temperature " << temperature << ", height " << height << ", exact " << exact);
  // 4e4 samples, about half of them independent: one standard deviation is 0.5 % of T, and 0.004 of z.
  CHECK_ALL(std::abs(temperature / T - 1) < 0.02);
  CHECK_ALL(std::abs(height - exact) < 0.015);
  CHECK_ALL(swarm.constraint_error() < 1e-11);
  CHECK_ALL(std::abs(exact) > 0.2);
}

TEST_CASE("points are uniform by area, and even ones keep their distance") {
  // On a torus the outer half has 1/2 + r / (pi R) of the area; a sphere's area is even in height.
  const auto g = level<mechanics::Torus>(torus_parameters);
  const geometry::SpacePoint first{8.5, 0, 0};
  const auto surface = geometry::triangulate(g, std::span(&first, 1), 0.25);
  const SurfacePoints points(g, *surface);
  const double R = torus_parameters[0], r = torus_parameters[1];
  CHECK_ALL(std::abs(points.area() / (4 * std::numbers::pi * std::numbers::pi * R * r) - 1) < 5e-3);
  constexpr std::int64_t n = 20000;
  std::int64_t outer = 0, worst = 0;
  for (const auto& [number, q] : together(uniform_points(points, n, 3))) {
    outer += std::hypot(q[0], q[1]) > R;
    worst += std::abs(g(q).value) > 1e-12 * 100;
  }
  const double share = static_cast<double>(outer) / n, exact = 0.5 + r / (std::numbers::pi * R);
  INFO("outer half " << share << ", exact " << exact);
  CHECK_ALL(std::abs(share - exact) < 4 * std::sqrt(0.25 / n));  // measured: within one
  CHECK_ALL(std::abs(0.5 - exact) > 20 * std::sqrt(0.25 / n));   // uniform in the angles would fail
  CHECK_ALL(worst == 0);
  double distance = 0, least = 1e9;
  const auto even = together(even_points(points, 400, 3, {}, distance));
  for (const auto& [i, a] : even) {
    for (const auto& [j, b] : even) {
      if (j < i) least = std::min(least, std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]));
    }
  }
  CHECK_ALL(least >= distance);
  CHECK_ALL(distance > 0.5);
}

TEST_CASE("points drawn by all ranks together are those that one draws, one after the other") {
  struct Case {
    geometry::LevelFunction g;
    geometry::SpacePoint first;
    Periods periods;
    std::int64_t count;
  };
  const double cell = 3.0;
  const std::array<Case, 5> cases{
      {{level<mechanics::Torus>(torus_parameters), {8.5, 0, 0}, {}, 3000},
       {level<mechanics::Torus>(torus_parameters), {8.5, 0, 0}, {}, 5},  // ranks without a point
       {level<mechanics::Gyroid>({cell, 0.0, 1.0, 0.0}), {1.5, 1.5, 1.5}, {cell, cell, cell}, 2000},
       {level<mechanics::Gyroid>({cell, 0.0, 1.0, 0.0}),
        {1.5, 1.5, 1.5},
        {cell, cell, cell},
        10},  // two cells
       {level<mechanics::Cylinder>({1.0, 1.0, 0.0}), {1, 0, 0}, {0, 0, cell}, 1000}}};
  for (const auto& [g, first, periods, count] : cases) {
    std::optional<geometry::SpaceBox> box;
    if (periods[2] > 0)
      box = {{periods[0] > 0 ? 0.0 : -9.0, periods[0] > 0 ? 0.0 : -9.0, 0.0}, {cell, cell, cell}};
    const auto surface = geometry::triangulate(g, std::span(&first, 1), 0.1, box);
    const SurfacePoints points(g, *surface);
    double distance = 0;
    const auto even = together(even_points(points, count, 3, periods, distance));
    const auto uniform = together(uniform_points(points, count, 3));
    SpacedPoints kept(distance, periods);
    std::int64_t anywhere = 0, spaced = 0, same = 0, passed = 0;
    for (std::uint64_t draw = 0; spaced < count; ++draw) {
      const auto q = points.draw(3, draw);
      if (!q) continue;
      if (anywhere < count) same += uniform.at(static_cast<std::uint64_t>(anywhere++)) == *q;
      if (!kept.free(*q)) {
        ++passed;
        continue;
      }
      kept.add(*q);
      same += even.at(static_cast<std::uint64_t>(spaced++)) == *q;
    }
    INFO(count << " points, " << passed << " passed over");
    CHECK_ALL(same == 2 * count);
    CHECK_ALL(std::ssize(even) == count);
    CHECK_ALL(std::ssize(uniform) == count);
    CHECK_ALL(passed > (count > 10 ? count / 4 : 0));
    const auto other = together(even_points(points, count, 4, periods, distance));  // the control
    CHECK_ALL(other.at(0) != even.at(0));
  }
}

TEST_CASE("what a sieve keeps depends on the order of the points and not on who brings them") {
  const auto g = level<mechanics::Torus>(torus_parameters);
  const geometry::SpacePoint first{8.5, 0, 0};
  const auto surface = geometry::triangulate(g, std::span(&first, 1), 0.25);
  const SurfacePoints points(g, *surface);
  constexpr std::uint64_t n = 4000;
  const auto sifted = [&](bool backwards, int rank_of_all, std::uint64_t batches) {
    Sieve sieve(0.4, {}, *surface);
    std::int64_t count = 0;
    for (std::uint64_t batch = 0; batch < batches; ++batch) {
      std::vector<NumberedPoint> mine;
      for (std::uint64_t k = n * batch / batches; k < n * (batch + 1) / batches; ++k) {
        const auto q = points.draw(3, backwards ? n - 1 - k : k);
        const int rank = rank_of_all < 0 ? static_cast<int>(k) % parallel::size() : rank_of_all;
        if (q && rank == parallel::rank()) mine.push_back({k, *q});
      }
      count = sieve.take(mine);
    }
    auto kept = together(sieve.kept());
    CHECK_ALL(std::ssize(kept) == count);
    return kept;
  };
  const auto dealt = sifted(false, -1, 1);
  CHECK_ALL(dealt.size() > 1000);
  CHECK_ALL(sifted(false, 0, 1) == dealt);
  CHECK_ALL(sifted(false, parallel::size() - 1, 7) == dealt);
  const auto backwards = sifted(true, -1, 1);
  std::size_t shared = 0;
  for (const auto& [number, q] : backwards) {
    const auto at = dealt.find(n - 1 - number);
    shared += at != dealt.end() && at->second == q;
  }
  CHECK_ALL(shared < dealt.size());  // the control
}

TEST_CASE("a particle that fails stays, and the others end as without it") {
  const Motion<mechanics::Torus> motion(torus_parameters, 1e-12);
  const auto kernel = potential("none").kernel(std::vector<double>{}, 0.0, CutMode::cut, 0.0);
  ParticleDynamicsOptions options;
  options.step = 1e-2;
  auto mine = on_torus(20, 1.0, false);
  ParticleDynamics healthy(motion, *kernel, options, mine);
  healthy.advance(20, true);
  for (Particle& p : mine) {
    if (p.id == 3) {
      for (double& x : p.v) x *= 1e6;
    }
  }
  ParticleDynamics swarm(motion, *kernel, options, mine);
  swarm.advance(20, true);
  CHECK_ALL(swarm.failed() == 1);
  auto with = everybody(swarm), without = everybody(healthy);
  CHECK_ALL(std::isfinite(with[3][0]));
  with.erase(3);
  without.erase(3);
  CHECK_ALL(with == without);
}
