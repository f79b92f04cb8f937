// SPDX-License-Identifier: BSD-3-Clause
// What doesn't work says so: wrong systems, starts off the constraints, steps without a multiplier; and a
// state that was stored goes on to the same bits.
#include "dense_rattle.hpp"
#include "la/indices.hpp"
#include "la/petsc.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

std::string refusal(const RodSystem<2>& system, double tolerance = 0, bool project = false) {
  RodOptions options;
  options.step = 0.01;
  options.tolerance = tolerance;
  options.project = project;
  return test::text_thrown<Error>([&] { RodRattle<2>(system, options); });
}

template <class Change>
RodSystem<2> changed(const Change& change) {
  RodSystem<2> chain = rod_chain<2>(5, 1.0, 1.0, 1.0, 0.5, false);
  change(chain);
  return chain;
}

}  // namespace

TEST_CASE("wrong systems are refused, with the place of the fault") {
  const la::Petsc petsc;
  CHECK_ALL(refusal(changed([](auto&) {})).empty());
  CHECK_ALL(refusal(changed([](auto& c) { c.mass[2] = 0; })) == "point 2: mass = 0 must be positive");
  CHECK_ALL(refusal(changed([](auto& c) { c.mass[2] = -1; })) == "point 2: mass = -1 must be positive");
  CHECK_ALL(refusal(changed([](auto& c) { c.rods[3].length = -1; })) ==
            "rod 3: length = -1 must be positive");
  CHECK_ALL(refusal(changed([](auto& c) { c.rods[3].second = 9; })) == "rod 3 ends at point 9; there are 6");
  CHECK_ALL(refusal(changed([](auto& c) { c.rods[3].second = 3; })) == "rod 3 joins point 3 to itself");
  CHECK_ALL(refusal(changed([](auto& c) { c.mass[1] = fixed; })) == "rod 0 joins two fixed points");
  CHECK_ALL(refusal(changed([](auto& c) { c.rods.pop_back(); })) == "point 5 has no rod");
  CHECK_ALL(refusal(changed([](auto& c) { c.rods.clear(); })) == "there is no rod");
  CHECK_ALL(refusal(changed([](auto& c) {
              c.velocity[0] = {1, 0};
            })) == "point 0 is fixed and can't have a velocity");
  CHECK_ALL(refusal(changed([](auto& c) { c.position[2][0] = NAN; })).find("isn't finite") !=
            std::string::npos);
  CHECK_ALL(refusal(changed([](auto& c) { c.rods[0].length = 1.001; })) ==
            "rod 0 is 1.001 long, and its points 0 and 1 are 1 apart");
  CHECK_ALL(refusal(changed([](auto& c) {
              c.velocity[5] = {std::sin(0.5), -std::cos(0.5)};
            })).starts_with("rod 4 would change its length at a rate of 1: the velocities"));
  CHECK_ALL(refusal(changed([](auto&) {}), 1e-17).find("is below round-off") != std::string::npos);
  CHECK_ALL(refusal(changed([](auto&) {}), 1e-15).find("is below round-off") != std::string::npos);
  CHECK_ALL(refusal(changed([](auto&) {}), 2e-15).empty());
}

TEST_CASE("rods that PETSc's indices can't number are refused, in either formulation") {
  const la::Petsc petsc;
  // A chain of 5 rods with a sixth on its third point: one rank needs PETSc too. 6 points move.
  const auto tree = changed([](auto& c) {
    c.mass.push_back(1);
    c.position.push_back({c.position[2][0], c.position[2][1] + 1});
    c.velocity.push_back({0, 0});
    c.rods.push_back({.first = 2, .second = 6, .length = 1});
  });
  const auto said = [&](Formulation formulation, std::int64_t largest) {
    const la::LowerIndices lower(largest);
    RodOptions options;
    options.step = 0.01;
    options.formulation = formulation;
    return test::text_thrown<Error>([&] { RodRattle<2> rattle(tree, options); });
  };
  CHECK_ALL(said(Formulation::schur, 5).find("the rods' multipliers: 6 unknowns") == 0);
  CHECK_ALL(said(Formulation::saddle_point, 14).find("the points' coordinates and the rods' multipliers: ") ==
            0);
  CHECK_ALL(said(Formulation::schur, 100).empty());  // the controls
  CHECK_ALL(said(Formulation::saddle_point, 100).empty());
}

TEST_CASE("a start off the constraints is moved there on request") {
  const la::Petsc petsc;
  const auto off = changed([](auto& c) {
    c.position[2][0] += 0.1;
    c.velocity[5] = {1, 1};
  });
  CHECK_ALL(!refusal(off).empty());
  RodOptions options;
  options.step = 0.01;
  options.project = true;
  const RodRattle<2> moved(off, options);
  CHECK_ALL(moved.constraint_error() <= RodRattle<2>::default_tolerance(off.extent()));
  CHECK_ALL(moved.velocity_error() <= 1e-14);
  // Where nothing is near, it says so.
  const auto far = changed([](auto& c) {
    for (auto& rod : c.rods) rod.length = 1e-3;
    c.mass[5] = fixed;
  });
  INFO(refusal(far, 0, true));
  CHECK_ALL(refusal(far, 0, true).starts_with("the start can't be moved onto the constraints: "));
}

TEST_CASE("a step without a multiplier is a status, and leaves the state as it was") {
  const la::Petsc petsc;
  RodSystem<2> wheel = rod_chain<2>(6, 1.0, 1.0, 1.0, 0.5, false);
  for (std::size_t i = 1; i < wheel.mass.size(); ++i)  // the chain turns about the nail, far in one step
    wheel.velocity[i] = {4.0 * -wheel.position[i][1], 4.0 * wheel.position[i][0]};
  for (const Formulation formulation : {Formulation::schur, Formulation::saddle_point}) {
    RodOptions options;
    options.step = 1.0;
    options.formulation = formulation;
    RodRattle<2> rattle(wheel, options);
    const auto before = test::state(rattle, wheel.mass.size());
    const Status status = rattle.advance();
    INFO(name(status) << ": " << rattle.failure());
    CHECK_ALL(status == Status::newton_diverged);
    CHECK_ALL(!rattle.failure().empty());
    CHECK_ALL(test::state(rattle, wheel.mass.size()) == before);
    CHECK_ALL(rattle.time() == 0);
  }
}

TEST_CASE("a chain on one rank goes without PETSc to the same motion", "[one-rank]") {
  const auto chain = test::uneven_chain<3>(30, 3.0, false, false);
  RodOptions options;
  options.step = 0.01;
  options.project = true;
  std::vector<RodMemory> ends;
  for (const bool by_petsc : {false, true}) {
    std::vector<std::string> words;  // to ask for anything is to ask for PETSc
    if (by_petsc) words = {"-position_ksp_type", "preonly", "-velocity_ksp_type", "preonly"};
    const la::Petsc petsc(words);
    RodRattle<3> rattle(chain, options);
    for (int k = 0; k < 50; ++k) REQUIRE(rattle.advance() == Status::pending);
    ends.push_back(rattle.memory());
    CHECK_ALL(la::unused_options().empty());
  }
  double difference = 0;
  for (const auto part : {&RodMemory::position, &RodMemory::velocity, &RodMemory::last, &RodMemory::before}) {
    for (std::size_t k = 0; k < (ends[0].*part).size(); ++k)
      difference = std::max(difference, std::abs((ends[0].*part)[k] - (ends[1].*part)[k]));
  }
  INFO("difference " << difference);
  CHECK_ALL(difference < 1e-12);
  CHECK_ALL(difference > 0);  // the control: two eliminations, rounded in their own ways
}

TEST_CASE("a chain of one rod, or of two, goes without PETSc, too", "[one-rank]") {
  for (const std::int64_t rods : {1, 2}) {
    RodSystem<2> chain = rod_chain<2>(rods, 1.0, 1.0, 1.0, 0.5, false);
    for (std::size_t i = 1; i < chain.mass.size(); ++i)
      chain.velocity[i] = {-0.3 * chain.position[i][1], 0.3 * chain.position[i][0]};
    RodOptions options;
    options.step = 0.01;
    std::vector<RodMemory> ends;
    for (const bool by_petsc : {false, true}) {
      std::vector<std::string> words;
      if (by_petsc) words = {"-position_ksp_type", "preonly", "-velocity_ksp_type", "preonly"};
      const la::Petsc petsc(words);
      RodRattle<2> rattle(chain, options);
      CHECK_ALL(rattle.solver().starts_with("steps by the project") == !by_petsc);
      for (int k = 0; k < 50; ++k) REQUIRE(rattle.advance() == Status::pending);
      ends.push_back(rattle.memory());
    }
    for (const auto part : {&RodMemory::position, &RodMemory::velocity}) {
      for (std::size_t k = 0; k < (ends[0].*part).size(); ++k)
        CHECK_ALL((ends[0].*part)[k] == within((ends[1].*part)[k], 1e-13));
    }
  }
}

TEST_CASE("a chain that hangs at rest keeps its velocities tangent over those of its fall") {
  const la::Petsc petsc;
  RodSystem<2> chain = rod_chain<2>(5, 1.0, 1.0, 1.0, 0.5, false);
  for (std::size_t i = 0; i <= 5; ++i) chain.position[i] = {0.0, -0.2 * static_cast<double>(i)};
  chain.gravity = {0.0, -1.0};
  RodOptions options;
  options.step = 0.01;
  options.project = true;
  RodRattle<2> rattle(chain, options);
  for (int k = 0; k < 20; ++k) {
    REQUIRE(rattle.advance() == Status::pending);
    CAPTURE(rattle.velocity_error());
    CHECK_ALL(rattle.velocity_error() < 1e-11);  // over the speeds that round-off leaves it is 1
  }
}

TEST_CASE("a stored state goes on to the same bits") {
  const la::Petsc petsc;
  for (const bool closed : {false, true}) {
    const auto chain = test::uneven_chain<3>(30, 3.0, closed, false);
    RodOptions options;
    options.step = 0.01;
    options.project = true;
    RodRattle<3> whole(chain, options), second(chain, options);
    for (int k = 0; k < 20; ++k) REQUIRE(whole.advance() == Status::pending);
    const auto memory = whole.memory();
    for (int k = 0; k < 20; ++k) REQUIRE(whole.advance() == Status::pending);
    second.restore(memory);
    CHECK_ALL(second.time() == 20 * 0.01);
    for (int k = 0; k < 20; ++k) REQUIRE(second.advance() == Status::pending);
    CHECK_ALL(second.memory() == whole.memory());
    CHECK_ALL(second.effort().newton_iterations == whole.effort().newton_iterations);
    CHECK_ALL(test::text_thrown<Error>([&] { second.restore({}); }).find("another system") !=
              std::string::npos);
  }
}
