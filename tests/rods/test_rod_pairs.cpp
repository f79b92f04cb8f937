// SPDX-License-Identifier: BSD-3-Clause
// Pair forces between points that rods join: against sums over all pairs, the motion against the textbook's,
// what is conserved, the same bits whatever the lists, what is refused.
#include <numeric>

#include "core/error.hpp"
#include "dense_rattle.hpp"
#include "fitted_order.hpp"
#include "la/petsc.hpp"
#include "rods/molecules.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

std::unique_ptr<PairKernel> kernel(const std::string& name, const std::vector<double>& parameters, double cut,
                                   CutMode mode = CutMode::shifted, double switch_from = 0) {
  for (const auto& p : built_in_potentials()) {
    if (p->name() == name) return p->kernel(parameters, cut, mode, switch_from);
  }
  throw Error("no potential " + name);
}

/// Molecules of a few rods, free, anywhere in a box that they fill to a fifth or so, or in one of periods.
template <int D>
RodSystem<D> crowd(std::int64_t molecules, std::int64_t rods, double temperature, double period = 0) {
  auto molecule = rod_chain<D>(rods, 0.8, 1.0, 0.0, 0.9, false);
  molecule.mass[0] = 1.5;
  std::array<double, D> box;
  box.fill(period > 0 ? period : 1.9 * std::pow(static_cast<double>(molecules * (rods + 1)), 1.0 / D));
  const Periods periods{period, period, D == 3 ? period : 0.0};
  auto all = scattered<D>(molecule, molecules, 0.95, periods, in_box<D>(molecule, box, 4));
  heat(all, temperature, 4);
  return all;
}

template <int D>
bool joined(const RodSystem<D>& system, std::int64_t i, std::int64_t j) {
  return std::ranges::any_of(system.rods, [&](const auto& rod) {
    return (rod.first == i && rod.second == j) || (rod.first == j && rod.second == i);
  });
}

/// U of all pairs, one by one, to the nearest image where there is a period.
template <int D>
double energy_of(const RodSystem<D>& system, const std::vector<std::array<double, D>>& q, const PairKernel& u,
                 bool with_joined, double period) {
  double sum = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    for (std::size_t j = i + 1; j < q.size(); ++j) {
      if (!with_joined && joined(system, static_cast<std::int64_t>(i), static_cast<std::int64_t>(j)))
        continue;
      double s = 0;
      for (std::size_t d = 0; d < D; ++d) {
        double r = q[i][d] - q[j][d];
        if (period > 0) r -= period * std::round(r / period);
        s += r * r;
      }
      sum += u.energy(s).value;
    }
  }
  return sum;
}

template <int D>
void check_forces(const RodSystem<D>& system, const PairKernel& u, bool with_joined, double period = 0) {
  const RodBlock<D> block(share_of(system));
  RodPairs<D> pairs(block, {&u, with_joined, 0.0, {period, period, D == 3 ? period : 0.0}});
  const auto force = pairs.forces();
  double worst = 0, largest = 0;
  for (int i = 0; i < block.point_count(); ++i) {  // copies of other ranks' points too
    const auto point = static_cast<std::size_t>(block.point(i));
    for (std::size_t d = 0; d < D; ++d) {
      auto q = system.position;
      const double x = q[point][d], apart = 1e-5;
      q[point][d] = x + apart;
      const double ahead = energy_of<D>(system, q, u, with_joined, period);
      q[point][d] = x - apart;
      const double behind = energy_of<D>(system, q, u, with_joined, period);
      const double exact = (behind - ahead) / (2 * apart), here = force[d][static_cast<std::size_t>(i)];
      worst = std::max(worst, std::abs(here - exact) / (1 + std::abs(exact)));
      largest = std::max(largest, std::abs(exact));
    }
  }
  const double energy = energy_of<D>(system, system.position, u, with_joined, period);
  INFO("forces up to " << largest << ", off by " << worst << "; energy " << energy << ", off by "
                       << pairs.energy() - energy);
  CHECK_ALL(worst < 1e-7);  // measured: 1.1e-8, of the difference quotient
  CHECK_ALL(parallel::maximum(largest) > 0.1);
  CHECK_ALL(std::abs(pairs.energy() - energy) < 1e-12 * (1 + std::abs(energy)));
  pairs.judge();
}

RodOptions options(double step, const PairKernel& u, double skin = 0) {
  RodOptions chosen;
  chosen.step = step;
  chosen.project = true;
  chosen.pairs.kernel = &u;
  chosen.pairs.skin = skin;
  return chosen;
}

}  // namespace

TEST_CASE("pair forces on joined points are minus the gradient of the sum over all pairs") {
  const auto switched = kernel("lennard-jones", {1, 1}, 2.5, CutMode::switched, 2.0);
  const auto yukawa = kernel("yukawa", {2.0, 0.7}, 3.0, CutMode::switched, 2.5);
  const auto soft = kernel("soft", {3.0, 1.5}, 1.5), ricker = kernel("ricker", {0.5, 1.2}, 6.0);
  for (const auto* u : {&switched, &yukawa, &soft, &ricker}) {
    for (const bool with_joined : {false, true}) {
      check_forces(crowd<2>(6, 4, 0.0), **u, with_joined);
      check_forces(crowd<3>(12, 1, 0.0), **u, with_joined);
    }
  }
}

TEST_CASE("pair forces on joined points reach round periods, powers of two among them") {
  const auto u = kernel("lennard-jones", {1, 1}, 2.5, CutMode::switched, 2.0);
  for (const double period : {7.3, 8.0}) {  // times a power of two, numbers lose no bit
    check_forces(crowd<2>(6, 1, 0.0, period), *u, false, period);
    check_forces(crowd<3>(20, 1, 0.0, period), *u, false, period);
  }
}

TEST_CASE("molecules move as the textbook has it") {
  const la::Petsc petsc;
  const auto compare = [&](RodSystem<3> system, double sigma, double epsilon, bool with_joined) {
    const auto lennard_jones = [&](double strength) {
      return kernel("lennard-jones", {strength, sigma}, 2.5 * sigma, CutMode::switched, 1.8 * sigma);
    };
    const auto u = lennard_jones(1.0), other = lennard_jones(epsilon);
    const double h = 2e-3;
    RodOptions chosen = options(h, *u);
    chosen.pairs.joined = with_joined;
    RodRattle<3> rattle(system, chosen);
    const auto start = test::state(rattle, system.mass.size());  // tangent
    const std::size_t n = 3 * system.mass.size();
    for (std::size_t i = 0; i < n; ++i) {
      system.position[i / 3][i % 3] = start[i];
      system.velocity[i / 3][i % 3] = start[n + i];
    }
    using Dense = test::DenseRattle<3, double>;
    Dense dense(system);
    dense.pairs = [&](const Dense::Column& q) {
      Dense::Column a = Dense::Column::Zero(q.size());
      for (std::int64_t i = 0; i < q.size() / 3; ++i) {
        for (std::int64_t j = 0; j < q.size() / 3; ++j) {
          if (i == j || joined(system, i, j)) continue;
          const Dense::Column r = q.segment(3 * i, 3) - q.segment(3 * j, 3);
          a.segment(3 * i, 3) -= 2 * other->energy(r.squaredNorm()).slope * r * dense.inverse_mass[3 * i];
        }
      }
      return a;
    };
    for (int k = 0; k < 150; ++k) {
      REQUIRE(rattle.advance() == Status::pending);
      dense.advance(h);
    }
    CHECK_ALL(rattle.constraint_error() <= 1e-14 * system.extent());
    CHECK_ALL(rattle.velocity_error() <= 1e-14);
    return test::difference(test::state(rattle, system.mass.size()), dense);
  };
  auto held = test::held_chain(9);
  heat(held, 0.3, 1);
  const auto free = crowd<3>(5, 2, 1.0);
  const double apart = compare(free, 1.0, 1.0, false), on_surface = compare(held, 0.5, 1.0, false);
  // What joined points do to each other the rod takes up: the motion is the same.
  const double along_rods = compare(free, 1.0, 1.0, true), control = compare(free, 1.0, 1.001, false);
  INFO("free: off by " << apart << ", joined ones felt: " << along_rods << "; on an ellipsoid: " << on_surface
                       << "; of another strength: " << control);
  CHECK_ALL(apart < 1e-11);       // measured: 2e-14
  CHECK_ALL(along_rods < 1e-11);  // measured: 2e-14
  CHECK_ALL(on_surface < 1e-10);  // measured: 3e-13
  CHECK_ALL(control > 1e-5);      // measured: 2.6e-4
}

TEST_CASE("energy with that of pairs is kept to order 2, momentum and angular momentum to round-off") {
  const la::Petsc petsc;
  const auto u = kernel("ricker", {0.5, 1.2}, 7.0);
  const auto system = crowd<3>(8, 2, 0.5);
  struct Errors {
    double energy = 0, without_pairs = 0, momentum = 0, angular = 0, constraint = 0;
  };
  const auto errors = [&](double h) {
    RodRattle<3> rattle(system, options(h, *u));
    const auto momenta = [&] {
      const auto x = test::state(rattle, system.mass.size());
      const std::size_t n = system.mass.size();
      std::array<double, 6> sums{};
      for (std::size_t i = 0; i < n; ++i) {
        const double *q = x.data() + 3 * i, *v = x.data() + 3 * n + 3 * i;
        for (std::size_t d = 0; d < 3; ++d) {
          const std::size_t a = (d + 1) % 3, b = (d + 2) % 3;
          sums[d] += system.mass[i] * v[d];
          sums[3 + d] += system.mass[i] * (q[a] * v[b] - q[b] * v[a]);
        }
      }
      return sums;
    };
    const auto start = momenta();
    const double kinetic = rattle.kinetic_energy(), whole = kinetic + rattle.potential_energy();
    Errors worst;
    for (int k = 0; k < std::lround(2.0 / h); ++k) {
      REQUIRE(rattle.advance() == Status::pending);
      const double now = rattle.kinetic_energy();
      worst.energy = std::max(worst.energy, std::abs(now + rattle.potential_energy() - whole));
      worst.without_pairs = std::max(worst.without_pairs, std::abs(now - kinetic));
      worst.constraint = std::max(worst.constraint, rattle.constraint_error());
    }
    const auto end = momenta();
    for (std::size_t k = 0; k < 6; ++k) {
      double& into = k < 3 ? worst.momentum : worst.angular;
      into = std::max(into, std::abs(end[k] - start[k]));
    }
    return worst;
  };
  const std::vector<double> steps{0.025, 0.02, 0.0125, 0.01};
  std::vector<double> energies;
  Errors fine;
  for (const double h : steps) {
    fine = errors(h);
    energies.push_back(fine.energy);
  }
  const auto order = test::fitted_order(steps, energies);
  INFO("energy " << fine.energy << ", " << order << "; without that of pairs " << fine.without_pairs
                 << "; momentum " << fine.momentum << ", angular " << fine.angular << "; |g|/|grad g| "
                 << fine.constraint << " of " << system.extent());
  CHECK_ALL(order == test::ClaimedOrder{2, 0.05, 0.03});
  CHECK_ALL(fine.without_pairs > 300 * fine.energy);  // measured: 7.4 and 3.4e-3
  CHECK_ALL(fine.momentum < 1e-12);                   // measured: 4e-15
  CHECK_ALL(fine.angular < 1e-11);                    // measured: 6e-14
  CHECK_ALL(fine.constraint <= 1e-14 * system.extent());
}

TEST_CASE("bits of pair forces don't depend on the lists, and a memory leads on to the same") {
  const la::Petsc petsc;
  const auto u = kernel("lennard-jones", {1, 1}, 2.0);
  const auto system = crowd<2>(12, 3, 2.0);
  const auto end = [&](double skin, int pause, double step) {
    auto rattle = std::make_unique<RodRattle<2>>(system, options(step, *u, skin));
    for (int k = 0; k < 200; ++k) {
      REQUIRE(rattle->advance() == Status::pending);
      if (k != pause) continue;
      const auto memory = rattle->memory();
      rattle = std::make_unique<RodRattle<2>>(system, options(step, *u, skin));
      rattle->restore(memory);
    }
    auto state = test::state(*rattle, system.mass.size());
    state.push_back(rattle->pair_energy());
    return std::pair(state, rattle->lists());
  };
  const auto [first, rarely] = end(0.0, -1, 2e-3);
  const auto [other, often] = end(0.05, 77, 2e-3);
  INFO("lists made " << rarely << " and " << often << " times");
  CHECK_ALL(first == other);
  CHECK_ALL(often > 2 * rarely);
  CHECK_ALL(first != end(0.0, -1, 2.001e-3).first);
}

TEST_CASE("molecules that have flown far keep their rods as far as round-off lets them") {
  const la::Petsc petsc;
  const auto u = kernel("soft", {3.0, 1.5}, 1.5);
  auto system = crowd<3>(4, 2, 1.0);
  for (auto& v : system.velocity) v[0] += 5000.0;
  RodRattle<3> rattle(system, options(1e-3, *u));
  for (int k = 0; k < 300; ++k) REQUIRE(rattle.advance() == Status::pending);
  const double far = parallel::maximum(rattle.block().reach());
  INFO("at " << far << ": " << rattle.constraint_error());
  CHECK_ALL(far > 200 * system.extent());
  CHECK_ALL(rattle.constraint_error() <= 16 * std::numeric_limits<double>::epsilon() * far);
}

TEST_CASE("pairs of points at one place are refused, with their numbers, unless nothing is infinite there") {
  const la::Petsc petsc;
  auto system = crowd<3>(4, 1, 0.0);
  for (std::size_t d = 0; d < 3; ++d) system.position[6][d] += system.position[0][d] - system.position[7][d];
  system.position[7] = system.position[0];
  const auto singular = kernel("lennard-jones", {1, 1}, 2.0), soft = kernel("soft", {3.0, 1.5}, 1.5);
  const auto text = test::text_thrown<Error>([&] { RodRattle<3> rattle(system, options(1e-3, *singular)); });
  INFO(text);
  CHECK_ALL(text.find("points 0 and 7 are at one place") != std::string::npos);
  RodRattle<3> fine(system, options(1e-3, *soft));
  CHECK_ALL(fine.advance() == Status::pending);
}

TEST_CASE("molecules that don't fit are refused") {
  const auto molecule = rod_chain<3>(1, 0.8, 1.0, 0.0, 0.9, false);
  const auto text = test::text_thrown<Error>([&] {
    scattered<3>(molecule, 50, 1.0, {}, in_box<3>(molecule, {2.0, 2.0, 2.0}, 1));
  });
  INFO(text);
  CHECK_ALL(text.find("of the 50 molecules") != std::string::npos);
}
