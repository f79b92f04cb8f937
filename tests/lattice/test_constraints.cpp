// SPDX-License-Identifier: BSD-3-Clause
// Constraints as local terms: orders, what is conserved and what control methods lose, lists, refusals.
#include "la/indices.hpp"
#include "la/petsc.hpp"
#include "lattice/constraints.hpp"
#include "lattice/model_of.hpp"
#include "lattice/models/inextensible_chain.hpp"
#include "lattices.hpp"

using namespace cotangent;
using namespace cotangent::test;

namespace {

constexpr lattice::Grid chain{11, 1, Boundary::fixed, Boundary::free};

/// The same chain in a frame that turns: a Lagrangian that isn't separable.
struct TurningChain : lattice::InextensibleChain {
  static constexpr std::string_view name = "turning-chain";
  struct Frame {
    static constexpr std::string_view name = "frame";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};
    auto operator()(const auto& q, const auto& v, const auto&) const {
      const auto [x, y] = q;
      const auto [x_dot, y_dot] = v;
      return 0.3 * (x * y_dot - y * x_dot) + 0.05 * ad::square(x) * ad::square(y_dot);
    }
  };
  using Terms = std::tuple<Bob, Frame>;
};

/// Rods as chords of a circle, which turn about its middle or swing.
void hang(Bench& bench) {
  constexpr double angle = 0.15;
  const double radius = 0.5 / std::sin(angle / 2);
  bench.start(0.0);
  for (std::int64_t i = 0; i < bench.lattice.own(); ++i) {
    const double site = static_cast<double>(bench.lattice.here.range.first + i);
    const double phi = angle * (site - 0.5 * static_cast<double>(bench.lattice.sites - 1));
    bench.q[0][i] = radius * std::sin(phi);
    bench.q[1][i] = -radius * std::cos(phi);
    if (bench.lattice.held[static_cast<std::size_t>(i)] == 0) bench.v[1][i] = std::sin(3 * phi);
  }
}

FittedOrder fitted(Bench& bench, int stages, const std::vector<int>& steps,
                   const std::vector<double>& exact) {
  return order_in_time([&](double step, int count) { return bench.run(*bench.lobatto(stages), step, count); },
                       0.8, steps, exact);
}
FittedOrder fitted(Bench& bench, int stages, const std::vector<int>& steps) {
  return fitted(bench, stages, steps, bench.run(*bench.lobatto(6), 0.05, 16));
}

/// A chain of rods of any length, in whatever unit.
struct Rods {
  static constexpr std::string_view name = "rods", about = "rods of some length";
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Coordinate, 2> coordinates{{{"x"}, {"y"}}};
  static constexpr std::array<mechanics::Parameter, 1> parameters{{{"length", 1.0, "of a rod"}}};
  struct Bob : lattice::InextensibleChain::Bob {
    auto operator()(const auto&, const auto& v, const auto&) const {
      const auto [x_dot, y_dot] = v;
      return 0.5 * (ad::square(x_dot) + ad::square(y_dot));
    }
  };
  struct Rod {
    static constexpr std::string_view name = "rod";
    static constexpr std::array<lattice::Offset, 2> sites{{{0, 0}, {1, 0}}};
    auto operator()(const auto& q, const auto& p) const {
      const auto [x, y, x2, y2] = q;
      return ad::square(x2 - x) + ad::square(y2 - y) - ad::square(p[0]);
    }
  };
  using Terms = std::tuple<Bob>;
  using Constraints = std::tuple<Rod>;
};

/// Masses that grow with their speed: L isn't quadratic in the velocities.
struct StiffeningChain : lattice::InextensibleChain {
  static constexpr std::string_view name = "stiffening-chain";
  struct Bob {
    static constexpr std::string_view name = "bob";
    static constexpr std::array<lattice::Offset, 1> sites{{{0, 0}}};
    auto operator()(const auto& q, const auto& v, const auto&) const {
      const auto [x, y] = q;
      const auto [x_dot, y_dot] = v;
      const auto square = ad::square(x_dot) + ad::square(y_dot);
      return 0.5 * square + 2.0 * ad::square(square) - y + 0.0 * x;
    }
  };
  using Terms = std::tuple<Bob>;
};

}  // namespace

TEST_CASE("rods between two nails: the Lobatto pair has order 2 s - 2 and keeps them to round-off",
          "[one-rank]") {
  const la::Petsc petsc;
  Bench bench("inextensible-chain", chain);
  hang(bench);
  for (int s = 2; s <= 4; ++s) {
    const auto order = fitted(bench, s, s == 2 ? std::vector{32, 40, 50, 64} : std::vector{8, 10, 13, 16});
    CAPTURE(s, order);
    CHECK_ALL(order == ClaimedOrder{2.0 * s - 2, 0.05, 0.01});
  }
  const auto method = bench.lobatto(3);
  bench.run(*method, 0.1, 10);
  CHECK_ALL(method->constraint_error() < 1e-14);
}

TEST_CASE("a Lagrangian that isn't separable keeps the order, and Newton's method its speed", "[one-rank]") {
  const la::Petsc petsc;
  Bench bench(std::make_unique<lattice::ModelOf<TurningChain>>(), chain);
  hang(bench);
  const auto order = fitted(bench, 3, {8, 10, 13, 16});
  CAPTURE(order);
  CHECK_ALL(order == ClaimedOrder{4, 0.1, 0.02});
  const auto method = bench.lobatto(3);
  bench.run(*method, 0.05, 10);
  CHECK_ALL(method->effort().iterations <= 5 * 10);
}

TEST_CASE("velocities are found from momenta that aren't linear in them, or the reason is told") {
  const la::Petsc petsc;
  const lattice::ModelOf<StiffeningChain> model;
  Bench bench(std::make_unique<lattice::ModelOf<StiffeningChain>>(), chain);
  hang(bench);
  const auto& here = bench.lattice.here;
  const std::vector<double> parameters{1.0, 1.0, 1.0};
  const auto kernel = model.multiplied(parameters, here);
  lattice::Ghosts ghosts(bench.lattice.sites, here.range, bench.lattice.halo(here.reach));
  lattice::Constraints constraints(bench.lattice, *kernel, ghosts, {model.terms().back()});
  constraints.judge_start(bench.q);
  const auto field = [&] { return SiteField(3, here.left, bench.lattice.own(), here.right); };
  SiteField place = field(), speed = field(), force = field(), momentum = field(), none = field();
  const auto momenta_of = [&](const SiteField& v) {
    for (int c = 0; c < 2; ++c) {
      std::copy_n(bench.q[c], bench.lattice.own(), place[c]);
      std::copy_n(v[c], bench.lattice.own(), speed[c]);
    }
    ghosts.exchange(lattice::components({&place, &speed}));
    kernel->gradient(lattice::components(std::as_const(place)).data(),
                     lattice::components(std::as_const(speed)).data(), lattice::components(force).data(),
                     lattice::components(momentum).data());
  };
  momenta_of(bench.v);
  REQUIRE(constraints.project(place, momentum, bench.v).empty());  // along the constraints
  momenta_of(bench.v);
  const auto found = [&](double guess) {
    SiteField v = bench.v;
    for (int c = 0; c < 2; ++c) {
      for (std::int64_t x = 0; x < bench.lattice.own(); ++x) v[c][x] *= guess;
    }
    const std::string reason = constraints.project(place, momentum, v);
    if (!reason.empty()) return HUGE_VAL;
    double worst = 0;
    for (int c = 0; c < 2; ++c) {
      for (std::int64_t x = 0; x < bench.lattice.own(); ++x)
        worst = std::max(worst, std::abs(v[c][x] - bench.v[c][x]));
    }
    return parallel::maximum(worst);
  };
  CHECK_ALL(found(1.1) < 1e-11);
  CHECK_ALL(found(1.6) < 1e-11);      // more than eight iterations
  CHECK_ALL(found(0.0) == HUGE_VAL);  // at rest the masses are too small
}

TEST_CASE("the energy comes and goes without a drift; with a mate that is none it drifts", "[one-rank]") {
  const la::Petsc petsc;
  Bench bench("inextensible-chain", chain);
  hang(bench);
  const auto drift = [&](std::shared_ptr<const integrators::LobattoTables> tables) {
    const auto method = bench.lobatto(std::move(tables));
    const double before = bench.energy(*method);
    std::array<double, 2> worst{};
    for (int k = 0; k < 1000; ++k) {
      REQUIRE(lattice::advance(*method, 0.05) == Status::pending);
      if (k % 10 == 0) {
        double& most = worst[k < 500 ? 0 : 1];
        most = std::max(most, std::abs(bench.energy(*method) - before));
      }
    }
    return worst;
  };
  const auto kept = drift(integrators::LobattoTables::of(3));
  auto broken = std::make_shared<integrators::LobattoTables>(*integrators::LobattoTables::of(3));
  for (int i = 0; i < 3; ++i) {  // the sums of its rows, and so the order 1, stay
    broken->mate[static_cast<std::size_t>(3 * i)] += 0.01;
    broken->mate[static_cast<std::size_t>(3 * i + 1)] -= 0.01;
  }
  const auto lost = drift(broken);
  CAPTURE(kept[0], kept[1], lost[0], lost[1]);
  CHECK_ALL(kept[1] < 2e-6);  // measured: 5e-7, 7e-7; the control 1.7e-4, 3.4e-4
  CHECK_ALL(lost[1] > 1.5 * lost[0]);
  CHECK_ALL(lost[1] > 100 * kept[1]);
}

TEST_CASE("rods given as a list move as the chain's, and two that begin at one site are refused") {
  const la::Petsc petsc;
  constexpr lattice::Grid loose{11, 1, Boundary::free, Boundary::free};
  lattice::Network network;
  network.sites = loose.length;
  network.copies.resize(2);
  for (std::int64_t i = 0; i < network.sites; ++i) {
    network.copies[0].push_back(i);
    if (i > 0) network.copies[1].insert(network.copies[1].end(), {i - 1, i});
  }
  Bench grid("inextensible-chain", loose), list("inextensible-chain", network);
  hang(grid);
  hang(list);
  CHECK_ALL(distance(list.run(*list.lobatto(3), 0.05, 5), grid.run(*grid.lobatto(3), 0.05, 5)) < 1e-12);
  network.terms = list.model().terms();
  network.copies[1][2] = 0;
  CHECK_ALL(text_thrown<Error>([&] {
              shared(network).check();
            }).find("copies 0 and 1 both begin at site 0") != std::string::npos);
}

TEST_CASE("a lattice that PETSc's indices can't number is refused") {
  const la::Petsc petsc;
  Bench bench("inextensible-chain", chain);
  hang(bench);
  const auto said = [&](std::int64_t largest) {
    const la::LowerIndices lower(largest);
    return test::text_thrown<Error>([&] { bench.run(*bench.lobatto(3), 0.05, 1); });
  };
  const std::string text = said(10);
  INFO(text);
  CHECK_ALL(text.find("the lattice's equations: ") == 0);
  CHECK_ALL(text.find(" unknowns") != std::string::npos);
  CHECK_ALL(said(1'000'000).empty());  // the control
}

TEST_CASE("without constraints the pair is a method of its own, of the same order", "[one-rank]") {
  const la::Petsc petsc;
  Bench bench("fput-beta", {24, 1, Boundary::periodic, Boundary::free});
  bench.start(0.6);
  const auto order = fitted(bench, 3, {8, 10, 13, 16}, bench.run(*bench.fixed_point(8), 0.1, 8));
  CAPTURE(order);
  CHECK_ALL(order == ClaimedOrder{4, 0.1, 0.02});
}

TEST_CASE("a start off the constraints names the site, a step that fails leaves the state") {
  const la::Petsc petsc;
  Bench bench("inextensible-chain", chain);
  hang(bench);
  const auto method = bench.lobatto(3);
  CHECK_ALL(method->attempt(1e4) == Status::newton_diverged);
  CHECK_ALL(distance(bench.gathered(method->position()), bench.gathered(bench.q)) == 0);
  CHECK_ALL(method->attempt(0.05) == Status::pending);
  const std::int64_t place = 6 - bench.lattice.here.range.first;
  if (place >= 0 && place < bench.lattice.own()) bench.q[0][place] += 1e-3;
  const std::string text = text_thrown<Error>([&] { bench.lobatto(3); });
  CAPTURE(text);
  CHECK_ALL(text.find("constraint 'rod' of site ") == 0);
  CHECK_ALL(text.find("is missed at the start, by ") != std::string::npos);
}

TEST_CASE("by how much a start may miss its constraints goes with their size, not with the unit") {
  const la::Petsc petsc;
  for (const double length : {1e-9, 1e-4, 1.0, 1e7}) {
    Bench bench(std::make_unique<lattice::ModelOf<Rods>>(), {12, 1, Boundary::free, Boundary::free},
                {length});
    const auto refusal = [&](double share) {
      bench.start(0.0);
      for (std::int64_t i = 0; i < bench.lattice.own(); ++i) {
        const auto site = static_cast<double>(bench.lattice.here.range.first + i);
        bench.q[0][i] = length * (1 + share) * (0.1 + 0.6 * site);
        bench.q[1][i] = length * (1 + share) * 0.8 * site;
      }
      return text_thrown<Error>([&] { bench.lobatto(3); });
    };
    CAPTURE(length);
    CHECK_ALL(refusal(0).empty());
    CHECK_ALL(refusal(1e-11).empty());
    CHECK_ALL(refusal(1e-6).find("constraint 'rod' of site 0 is missed at the start, by ") == 0);
  }
}
