// SPDX-License-Identifier: BSD-3-Clause
// Orders, agreement of the two ways to solve the stages, what is conserved, and failures.
#include "la/petsc.hpp"
#include "lattice/invariants.hpp"
#include "lattice/model_of.hpp"
#include "lattice/point.hpp"
#include "lattices.hpp"

using namespace cotangent;
using namespace cotangent::test;

namespace {

constexpr lattice::Grid chain{48, 1, Boundary::periodic, Boundary::free};

/// The order that errors show as a step is shortened from this one to half of it, at the end of eight.
template <class Make>
FittedOrder fitted(Bench& bench, const Make& make, double step) {
  const auto exact = bench.run(*bench.fixed_point(10), step / 4, 32);
  return order_in_time([&](double h, int steps) { return bench.run(*make(), h, steps); }, 8 * step,
                       {8, 10, 13, 16}, exact);
}

/// Pendulums on a shaft whose twist has inertia: a mass matrix that couples sites, and moves.
struct Shaft {
  static constexpr std::string_view name = "shaft", about = "pendulums on a shaft whose twist has inertia";
  static constexpr int dim = 1;
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"a", "rad", true}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"inertia", 0.4, "of a twist"}}};

  struct Bob {
    static constexpr std::string_view name = "bob";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};
    auto operator()(const auto& q, const auto& v, const auto&) const {
      const auto [a] = q;
      const auto [a_dot] = v;
      return 0.5 * ad::square(a_dot) + cos(a);
    }
  };
  struct Twist {
    static constexpr std::string_view name = "twist";
    static constexpr std::array<lattice::Offset, 2> sites{{{0, 0}, {1, 0}}};
    auto operator()(const auto& q, const auto& v, const auto& p) const {
      const auto [a, b] = q;
      const auto [a_dot, b_dot] = v;
      return (0.5 * p[0]) * (ad::square(b_dot - a_dot) * (1.5 + cos(b - a))) - 0.5 * ad::square(b - a);
    }
  };
  using Terms = std::tuple<Bob, Twist>;
};

/// A site with a mass matrix of these entries, bound to its neighbours and to 0 in a way that suits them.
struct Pair {
  static constexpr std::string_view name = "pair", about = "two coordinates at a site";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, 2> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 3> parameters{
      {{"xx", 1.0, "mass"}, {"xy", 0.0, "mass between both"}, {"yy", 1.0, "mass"}}};
  struct Site {
    static constexpr std::string_view name = "site";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};
    auto operator()(const auto& q, const auto& v, const auto& p) const {
      const auto [x, y] = q;
      const auto [x_dot, y_dot] = v;
      return p[0] * (ad::square(x_dot) - ad::square(x)) * 0.5 + p[1] * (x_dot * y_dot - x * y) +
             p[2] * (ad::square(y_dot) - ad::square(y)) * 0.5;
    }
  };
  struct Bond {
    static constexpr std::string_view name = "bond";
    static constexpr std::array<lattice::Offset, 2> sites{{{0, 0}, {1, 0}}};
    auto operator()(const auto& q, const auto&, const auto& p) const {
      const auto [x, y, x2, y2] = q;
      return p[0] * ad::square(x2 - x) * -0.5 - p[1] * ((x2 - x) * (y2 - y)) -
             p[2] * ad::square(y2 - y) * 0.5;
    }
  };
  using Terms = std::tuple<Site, Bond>;
};

/// Puts the place where a method's matrices were made elsewhere.
struct Displacement : lattice::StateVisitor {
  Displacement(const lattice::Lattice& of, double by) : lattice(of), stretch(by) {}
  void number(std::string_view, double&) override {}
  void field(std::string_view name, SiteField& values) override {
    for (std::int64_t i = 0; name == "matrices_position" && i < lattice.own(); ++i)
      values[0][i] += stretch * static_cast<double>(lattice.here.range.first + i);
  }
  const lattice::Lattice& lattice;
  double stretch;
};

}  // namespace

TEST_CASE("Gauss collocation of a nonlinear chain has order 2 s, on any number of ranks") {
  Bench bench("fput-beta", chain);
  bench.start(0.8);
  const double step[] = {0.1, 0.2, 0.4, 0.5};
  for (int s = 1; s <= 4; ++s) {
    const auto order = fitted(
        bench, [&] { return bench.fixed_point(s); }, step[s - 1]);
    CAPTURE(s, order);  // 2.00, 3.99, 5.96, 7.97
    CHECK_ALL(order == ClaimedOrder{2.0 * s, 0.05, 0.01});
  }
}

TEST_CASE("compositions of Stormer-Verlet have the orders that they state") {
  Bench bench("fput-beta", chain);
  bench.start(0.8);
  for (const auto& composition : lattice::compositions()) {
    const double step = composition.order == 2 ? 0.05 : composition.order == 4 ? 0.2 : 0.4;
    const auto order = fitted(
        bench, [&] { return bench.verlet(composition.name); }, step);
    CAPTURE(composition.name, order);
    CHECK_ALL(order == ClaimedOrder{1.0 * composition.order, 0.25, 0.02});
  }
}

TEST_CASE("Newton's method finds the stages that the fixed-point iteration finds") {
  const la::Petsc petsc;
  for (const char* name : {"fput-alpha", "toda", "sine-gordon"}) {
    Bench bench(name, chain, std::string(name) == "sine-gordon" ? std::vector{1.0} : std::vector<double>{});
    bench.start(0.5);
    const auto a = bench.fixed_point(4), b = bench.newton(4);
    const double error = distance(bench.run(*a, 0.2, 20), bench.run(*b, 0.2, 20));
    CAPTURE(name, error);
    CHECK_ALL(error < 1e-13);  // measured: 2e-15
    CHECK_ALL(distance(bench.gathered(a->velocity()), bench.gathered(b->velocity())) < 1e-13);
    const auto other = bench.newton(2);  // the control: another method
    CHECK_ALL(distance(bench.gathered(a->position()), bench.run(*other, 0.2, 20)) > 1e-11);
    CHECK_ALL(b->effort().factorisations <= 4 * 2);  // kept over steps
  }
}

TEST_CASE("a mass matrix that moves: order 2 s, and the energy stays", "[one-rank]") {
  const la::Petsc petsc;
  Bench bench("double-pendulum-chain", {12, 1, Boundary::periodic, Boundary::free});
  bench.start(0.7);
  const auto exact = bench.run(*bench.newton(6), 0.05, 16);
  for (int s = 1; s <= 3; ++s) {
    const auto order =
        order_in_time([&](double step, int steps) { return bench.run(*bench.newton(s), step, steps); }, 0.8,
                      s == 1 ? std::vector{16, 20, 25, 32} : std::vector{8, 10, 13, 16}, exact);
    CAPTURE(s, order);
    CHECK_ALL(order == ClaimedOrder{2.0 * s, 0.3, 0.02});  // measured: 2.00, 4.08, 6.26
  }
  const auto method = bench.newton(4);
  const double before = bench.energy(*method);
  bench.run(*method, 0.05, 200);
  const double error = std::abs(bench.energy(*method) - before) / std::abs(before);
  CAPTURE(error);
  CHECK_ALL(error < 1e-9);
}

TEST_CASE("masses that couple sites: order 2 s, and velocities that belong to the momenta") {
  const la::Petsc petsc;
  Bench bench(std::make_unique<lattice::ModelOf<Shaft>>(), {14, 1, Boundary::fixed, Boundary::free});
  bench.start(0.7);
  const auto exact = bench.newton(6);
  const auto place = bench.run(*exact, 0.05, 16);
  const auto speed = bench.gathered(exact->velocity());
  for (int s = 1; s <= 3; ++s) {
    std::vector<double> step, error, slip;
    for (const int steps : s == 1 ? std::vector{16, 20, 25, 32} : std::vector{4, 5, 6, 8}) {
      const auto method = bench.newton(s);
      step.push_back(0.8 / steps);
      error.push_back(distance(bench.run(*method, step.back(), steps), place));
      slip.push_back(distance(bench.gathered(method->velocity()), speed));
    }
    const auto order = fitted_order(step, error), order_of_speed = fitted_order(step, slip);
    CAPTURE(s, order, order_of_speed);
    CHECK_ALL(order == ClaimedOrder{2.0 * s, 0.05, 0.01});
    CHECK_ALL(order_of_speed == ClaimedOrder{2.0 * s, 0.05, 0.01});
  }
}

TEST_CASE("Toda's invariants stay, those of another chain don't") {
  const auto drift = [](const char* name) {
    Bench bench(name, {64, 1, Boundary::periodic, Boundary::free});
    const Bench toda("toda", {64, 1, Boundary::periodic, Boundary::free});
    bench.start(0.8);
    const auto method = bench.fixed_point(6);
    lattice::Invariants invariants(toda.lattice, toda.model(), {});
    const auto traces = [&] { return invariants(method->position(), method->velocity()); };
    const auto before = traces();
    bench.run(*method, 0.2, 500);
    return distance(traces(), before);
  };
  const double kept = drift("toda"), control = drift("fput-alpha");
  CAPTURE(kept, control);
  CHECK_ALL(kept < 1e-11);  // of traces up to 25
  CHECK_ALL(control > 1e-3);
}

TEST_CASE("a step that is too large is taken in halves, and fails where that doesn't help") {
  const la::Petsc petsc;
  Bench bench("toda", chain);
  bench.start(1.0);
  const auto method = bench.fixed_point(4);
  CHECK_ALL(method->attempt(20.0) == Status::newton_diverged);
  CHECK_ALL(method->failure().find("fixed-point") != std::string::npos ||
            method->failure().find("infinite") != std::string::npos);
  CHECK_ALL(distance(bench.gathered(method->position()), bench.gathered(bench.q)) == 0);
  CHECK_ALL(lattice::advance(*method, 4.0) == Status::pending);
  CHECK_ALL(method->effort().halved > 0);
  CHECK_ALL(std::abs(method->time() - 4.0) < 1e-14);
  const auto exact = bench.run(*bench.fixed_point(4), 0.125, 32);
  CHECK_ALL(distance(bench.gathered(method->position()), exact) < 1e-2);
  CHECK_ALL(lattice::advance(*method, 1e9) == Status::newton_diverged);
}

TEST_CASE("where kept matrices don't serve, a step begins again from the guess that it had") {
  const la::Petsc petsc;
  const auto judge = [](double amplitude, double step) {
    Bench bench("toda", {24, 1, Boundary::free, Boundary::free});
    bench.start(amplitude);
    const auto untouched = bench.newton(4), displaced = bench.newton(4);
    bench.run(*untouched, step, 1);
    bench.run(*displaced, step, 1);
    Displacement displacement(bench.lattice, 4.0);  // bonds without stiffness: corrections are too large
    displaced->visit(displacement);
    displaced->restored();
    const auto before = displaced->effort().factorisations;
    CHECK_ALL(untouched->attempt(step) == Status::pending);
    CHECK_ALL(displaced->attempt(step) == Status::pending);
    CHECK_ALL(displaced->effort().factorisations > before);
    const double error =
        distance(bench.gathered(displaced->position()), bench.gathered(untouched->position()));
    CAPTURE(amplitude, step, error, displaced->failure());
    CHECK_ALL(error < 1e-13);
  };
  judge(1.0, 2.0);  // diverges at first
  judge(1.0, 3.0);  // so far that forces overflow
}

TEST_CASE("what begins at rest, at 0, is moved by forces of any size") {
  const la::Petsc petsc;
  for (const double gravity : {0.1, 1e-8, 1e-100}) {
    for (const double step : {0.02, 0.5}) {
      Bench sheet("elastic-sheet", {7, 5, Boundary::fixed, Boundary::fixed}, {1.0, 1.0, 0.05, gravity});
      sheet.start(0.0);
      const auto moved = [&](lattice::Method& method) {
        std::vector<double> place;
        for (int k = 0; k < 3; ++k) {
          CHECK_ALL(method.attempt(step) == Status::pending);
          place = sheet.gathered(method.position());
        }
        return place;
      };
      const auto exact = moved(*sheet.fixed_point(4));
      const double size = distance(exact, std::vector<double>(exact.size(), 0.0));
      const double by_newton = distance(moved(*sheet.newton(4)), exact),
                   by_pair = distance(moved(*sheet.lobatto(5)), exact);
      CAPTURE(gravity, step, size, by_newton, by_pair);
      CHECK_ALL(size > 0);
      CHECK_ALL(by_newton < 1e-12 * size);
      CHECK_ALL(by_pair < 1e-2 * size);  // a method of its own
    }
  }
}

TEST_CASE("a mass matrix may be indefinite, and of any units; one that is singular in them is refused") {
  const la::Petsc petsc;
  const lattice::Grid grid{9, 1, Boundary::periodic, Boundary::free};
  const auto moved = [&](std::vector<double> masses) {
    Bench bench(std::make_unique<lattice::ModelOf<Pair>>(), grid, std::move(masses));
    bench.start(0.5);
    const auto method = bench.newton(3);
    auto place = bench.run(*method, 0.1, 10);
    const auto speed = bench.gathered(method->velocity());
    place.insert(place.end(), speed.begin(), speed.end());
    return place;
  };
  // Each coordinate moves as of mass 1, whatever the masses, which are factors of L.
  const auto expected = moved({1.0, 0.0, 1.0});
  const std::vector<std::vector<double>> regular{
      {0.0, 1.0, 0.0}, {1e-26, 0.0, 1e-46}, {1e20, 0.0, -1e-5}, {1e-7, 1.0, 0.0}};
  for (const auto& masses : regular) {
    CAPTURE(masses);
    CHECK_ALL(distance(moved(masses), expected) < 1e-12);
  }
  const std::vector<std::vector<double>> singular{
      {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, {1.0, 1.0, 1.0}, {1e-26, 1e-36, 1e-46}, {1e8, 1.0, 1e-8}};
  for (const auto& masses : singular) {
    CAPTURE(masses);
    CHECK_ALL(text_thrown<Error>([&] {
                moved(masses);
              }).find("singular mass matrix: the velocities of site 0") == 0);
  }
}

TEST_CASE("a site without mass is named") {
  const la::Petsc petsc;
  Bench sheet("elastic-sheet", {6, 5, Boundary::free, Boundary::free}, {0.0, 1.0, 0.05, 0.0});
  sheet.start(0.1);
  CHECK_ALL(text_thrown<Error>([&] { sheet.fixed_point(2); }).find("singular mass matrix: site 0") == 0);
  Bench pendulums("double-pendulum-chain", {8, 1, Boundary::fixed, Boundary::free},
                  {1.0, 0.0, 1.0, 1.0, 1.0, 1.0});
  pendulums.start(0.1);
  CHECK_ALL(text_thrown<Error>([&] { pendulums.newton(2); }).find("singular mass matrix") == 0);
  CHECK_ALL(text_thrown<Error>([&] { pendulums.newton(2); }).find("site 1 ") != std::string::npos);
}

TEST_CASE(
    "a grid in many blocks: waves of iterations give what Newton's method gives, and ghosts stay in place") {
  const la::Petsc petsc;
  Bench bench("phi-four", {40, 90, Boundary::periodic, Boundary::periodic}, {0.5});
  bench.start(0.3);
  const auto a = bench.fixed_point(3), b = bench.newton(3);
  const double before = bench.energy(*a);
  const double error = distance(bench.run(*a, 0.1, 4), bench.run(*b, 0.1, 4));
  CAPTURE(error);
  CHECK_ALL(error < 1e-13);
  CHECK_ALL(std::abs(bench.energy(*a) / before - 1) < 1e-8);
  CHECK_ALL(std::abs(bench.energy(*a) - bench.energy(*b)) < 1e-11 * before);
}
