// SPDX-License-Identifier: BSD-3-Clause
// Molecules that are all alike, solved for in lanes on any number of ranks, which cut none: to the same
// motion as by PETSc, from a stored state to the same bits, and what has no multipliers says so.
#include "dense_rattle.hpp"
#include "la/petsc.hpp"
#include "mechanics/surface.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "rods/molecules.hpp"
#include "sections/surface_of.hpp"

using namespace cotangent;
using namespace cotangent::rods;

namespace {

constexpr std::array radii{5.0, 2.0};

HoldingSurface<3> torus() {
  static const sections::SurfaceOf<mechanics::ParticleOn<mechanics::Torus>> surface;
  return {[](const std::array<double, 3>& q) {
            const auto [value, gradient] = surface.level(q, radii);
            return HoldingSurface<3>::Level{value, gradient};
          },
          [](const auto& q, const auto& v) { return surface.curvature(q, v, radii); },
          [](const HoldingSurface<3>::Levels& points) {
            surface.levels(points.count, points.q, points.value, points.gradient, radii);
          }};
}

/// Chains of three points, of which the middle one is heavy, all around the torus.
RodSystem<3> chains_on_torus(int count) {
  auto chain = rod_chain<3>(2, 0.4, 1.0, 0.3, 0.0, false);
  chain.mass = {1.0, 2.5, 0.7};
  auto all = copies(chain, count);
  for (int k = 0; k < count; ++k) {
    const double angle = 0.17 * k, turn = 0.31 * k;
    auto laid = chain;
    lay_along(laid, torus(), {7 * std::cos(angle), 7 * std::sin(angle), 0.0},
              {-std::sin(angle) * std::cos(turn), std::cos(angle) * std::cos(turn), std::sin(turn)});
    std::ranges::copy(laid.position, all.position.begin() + 3 * k);
  }
  all.hold_on(torus());
  heat(all, 0.3, 7);
  return all;
}

/// Triangles in the plane, each hung up at a corner, or free.
RodSystem<2> triangles(int count, bool hung) {
  auto one = rod_chain<2>(3, 0.7, 1.0, 0.5, 0.2, true);
  one.mass = {hung ? fixed : 1.0, 0.4, 3.0};
  auto all = copies(one, count);
  for (int k = 0; k < count; ++k) {
    for (std::size_t i = 0; i < 3; ++i) all.position[3 * static_cast<std::size_t>(k) + i][0] += 0.1 * k;
  }
  heat(all, 0.5, 3);
  return all;
}

RodOptions options_of(double h) {
  RodOptions options;
  options.step = h;
  options.project = true;
  return options;
}

/// In lanes and by PETSc: how far apart they end.
template <int D>
double apart(const RodSystem<D>& system, int steps, bool in_lanes) {
  std::vector<std::vector<double>> ends;
  for (const bool by_petsc : {false, true}) {
    std::vector<std::string> words;  // to ask for anything is to ask for PETSc
    if (by_petsc) words = {"-position_pc_use_amat", "false", "-velocity_pc_use_amat", "false"};
    const la::Petsc petsc(words);
    RodRattle<D> rattle(system, options_of(0.002));
    CHECK_ALL((rattle.solver().find("elimination of each molecule in lanes") != std::string::npos) ==
              (in_lanes && !by_petsc));
    double energy = rattle.kinetic_energy() + rattle.potential_energy(), worst = 0, tangent = 0;
    bool fine = true;
    for (int k = 0; k < steps; ++k) {
      fine = rattle.advance() == Status::pending && fine;
      worst = std::max(worst, rattle.constraint_error());
      tangent = std::max(tangent, rattle.velocity_error());
    }
    energy = (rattle.kinetic_energy() + rattle.potential_energy()) / energy - 1;
    INFO((by_petsc ? "by PETSc" : "in lanes")
         << ": energy " << energy << ", constraint " << worst << ", tangent " << tangent);
    CHECK_ALL(fine);
    CHECK_ALL(worst <= RodRattle<D>::default_tolerance(system.extent()));
    CHECK_ALL(tangent < 1e-14);
    CHECK_ALL(std::abs(energy) < 1e-4);
    CHECK_ALL(la::unused_options().empty());
    ends.push_back(test::state(rattle, system.mass.size()));
  }
  double difference = 0;
  for (std::size_t k = 0; k < ends[0].size(); ++k)
    difference = std::max(difference, std::abs(ends[0][k] - ends[1][k]));
  return difference;
}

}  // namespace

TEST_CASE("chains on a torus move in lanes as by PETSc") {
  const double difference = apart(chains_on_torus(36), 1000, true);  // whole on two, three and four ranks
  INFO("difference " << difference);
  CHECK_ALL(difference < 1e-12);
  CHECK_ALL(difference > 0);  // the control: two eliminations, rounded in their own ways
}

TEST_CASE("loops in the plane, free or hung up, move in lanes as by PETSc") {
  for (const bool hung : {false, true}) {
    const double difference = apart(triangles(24, hung), 200, true);
    INFO("difference " << difference);
    CHECK_ALL(difference < 1e-12);
  }
}

TEST_CASE(
    "molecules go in lanes where their number isn't a multiple of the ranks', each rank has whole ones") {
  CHECK_ALL(apart(triangles(25, false), 20, true) < 1e-12);
  CHECK_ALL(apart(chains_on_torus(37), 20, true) < 1e-12);
}

TEST_CASE("molecules that differ, are large, or by themselves don't go in lanes") {
  auto heavier = triangles(24, false);
  heavier.mass[40] *= 2;
  CHECK_ALL(apart(heavier, 20, false) < 1e-12);
  CHECK_ALL(apart(triangles(1, false), 20, false) < 1e-12);
  const auto chain = test::uneven_chain<3>(13, 3.0, false, false);
  if (parallel::size() == 1) {
    CHECK_ALL(apart(copies(chain, 3), 20, false) < 1e-12);  // open chains that leave lanes idle
    CHECK_ALL(apart(copies(chain, 17), 20, true) < 1e-12);
  }
  CHECK_ALL(apart(copies(test::uneven_chain<3>(65, 3.0, true, false), 4), 20, false) < 1e-11);  // too large
}

TEST_CASE("molecules on a torus go on from a stored state to the same bits") {
  const la::Petsc petsc;
  const auto system = chains_on_torus(36);
  RodRattle<3> whole(system, options_of(0.002)), second(system, options_of(0.002));
  for (int k = 0; k < 20; ++k) REQUIRE(whole.advance() == Status::pending);
  const auto memory = whole.memory();
  for (int k = 0; k < 20; ++k) REQUIRE(whole.advance() == Status::pending);
  second.restore(memory);
  for (int k = 0; k < 20; ++k) REQUIRE(second.advance() == Status::pending);
  CHECK_ALL(second.memory() == whole.memory());
}

TEST_CASE("a step without multipliers of one molecule is a status, and leaves the state as it was") {
  const la::Petsc petsc;
  auto system = chains_on_torus(36);
  for (std::size_t i = 60; i < 63; ++i) {  // a chain so fast that its step leads far off the surface
    for (double& x : system.velocity[i]) x *= 4000;
  }
  RodOptions options = options_of(0.002);
  options.iterations = 3;
  RodRattle<3> rattle(system, options);
  const auto before = test::state(rattle, system.mass.size());
  const Status status = rattle.advance();
  INFO(name(status) << ": " << rattle.failure());
  CHECK_ALL(status == Status::newton_diverged);
  CHECK_ALL(!rattle.failure().empty());
  CHECK_ALL(test::state(rattle, system.mass.size()) == before);
  CHECK_ALL(rattle.time() == 0);
}

TEST_CASE("a step that isn't found in lanes is PETSc's, from no multipliers") {
  const la::Petsc petsc;
  const auto system = chains_on_torus(36);
  RodRattle<3> found(system, options_of(0.002)), lost(system, options_of(0.002));
  auto memory = lost.memory();
  if (!memory.last.empty()) memory.last.front() = NAN;
  lost.restore(memory);
  REQUIRE(found.advance() == Status::pending);
  REQUIRE(lost.advance() == Status::pending);
  const auto a = test::state(found, system.mass.size()), b = test::state(lost, system.mass.size());
  double difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) difference = std::max(difference, std::abs(a[k] - b[k]));
  INFO("difference " << difference);
  CHECK_ALL(difference < 1e-13);
  CHECK_ALL(lost.effort().newton_iterations > found.effort().newton_iterations);
}

TEST_CASE("molecules whose rods depend on each other where they begin are refused") {
  const la::Petsc petsc;
  auto flat = rod_chain<2>(3, 1.0, 1.0, 0.0, 0.0, true);
  flat.mass[0] = 1.0;
  flat.position = {{0, 0}, {1, 0}, {2, 0}};
  flat.rods[2].length = 2;
  const auto said = test::text_thrown<Error>([&] {
    RodOptions options;
    options.step = 0.01;
    RodRattle<2> rattle(copies(flat, 24), options);
  });
  INFO(said);
  CHECK_ALL(said.find("depend on each other") != std::string::npos);
}

TEST_CASE("a surface's levels in lanes have the bits of each, of any number of points") {
  const auto surface = torus();
  for (const std::size_t count : {1, 5, 16, 37}) {
    std::array<std::vector<double>, 3> q, gradient;
    std::vector<double> value(count);
    HoldingSurface<3>::Levels levels{count, {}, value.data(), {}};
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < count; ++i) q[d].push_back(std::sin(1.0 + static_cast<double>(3 * i + d)));
      gradient[d].resize(count);
      levels.q[d] = q[d].data();
      levels.gradient[d] = gradient[d].data();
    }
    surface.find(levels);
    bool same = true;
    for (std::size_t i = 0; i < count; ++i) {
      const auto one = surface.level({q[0][i], q[1][i], q[2][i]});
      same = same && one.value == value[i] &&
             one.gradient == std::array{gradient[0][i], gradient[1][i], gradient[2][i]};
    }
    CHECK_ALL(same);
  }
}
