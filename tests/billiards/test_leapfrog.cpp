// SPDX-License-Identifier: BSD-3-Clause
// The leapfrog of A. Morita, "Reinventing the wheel: simulating collisions" (blog KakkoKari): its ten
// particles in a circle, its energy errors at three steps, and the mended one's; its search for the wall from
// one end and from both; beside them the exact flight.
#include <algorithm>
#include <cmath>

#include "billiards/gas.hpp"
#include "billiards/leapfrog.hpp"
#include "billiards/sets/circle.hpp"
#include "catch.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

const Vector<2> gravity{0.0, -10.0};
/// Morita's: r and angle uniform, seed 123.
constexpr std::array<Vector<2>, 10> starts{{{-0.3848538624583343, 0.5804798282785114},
                                            {-0.03755714595338742, -0.2836638499944633},
                                            {-0.21016351824654142, 0.08539834648532399},
                                            {0.5130092009929098, 0.20191467085265952},
                                            {-0.5768221666384521, 0.4300137050825488},
                                            {-0.03188343698648309, -0.42190345227905046},
                                            {0.4036449942593287, 0.893850732193247},
                                            {0.3091729469195825, 0.6110678029018327},
                                            {-0.4715124181260247, -0.09471817892206304},
                                            {-0.38430293902641777, -0.07789351147815456}}};

Domain<2> disc() {
  Domain<2> domain;
  domain.add<Circle>("disc", {1.0});
  domain.enclose_all();
  return domain;
}

struct Run {
  double range;  ///< of the total energy, over its first value
  int hits;
};
Run source_run(double dt, bool mended, Fall fall = Fall::leapfrog) {
  const auto domain = disc();
  std::vector<Falling<2>> particles;
  for (const auto& x : starts) particles.push_back({x, {0.0, 0.0}, 0});
  const auto energy = [&] {
    double sum = 0;
    for (const auto& p : particles) sum += 10 * p.x[1] + 0.5 * (p.v[0] * p.v[0] + p.v[1] * p.v[1]);
    return sum;
  };
  const double begin = energy();
  double low = begin, high = begin;
  int hits = 0;
  const int steps = static_cast<int>(std::ceil((10 - dt) / dt - 1e-9));
  for (int k = 0; k < steps; ++k) {
    for (auto& p : particles)
      hits += linearised_step<2>(domain, gravity, {.step = dt, .fall = fall, .mended = mended}, p).wall >= 0;
    low = std::min(low, energy());
    high = std::max(high, energy());
  }
  return {(high - low) / std::abs(begin), hits};
}

}  // namespace

TEST_CASE("Morita's energy errors to the digit, and what its missing kick costs", "[unit]") {
  const Run source = source_run(1e-3, false);
  CHECK(std::abs(source.range - 0.1310) < 5e-5);
  CHECK(source.hits == 200);
  CHECK(std::abs(source_run(2e-3, false).range - 0.2556) < 5e-5);
  CHECK(std::abs(source_run(5e-4, false).range - 0.0582) < 5e-5);
  CHECK(std::abs(source_run(1e-3, true).range - 1.3e-4) < 5e-6);
  CHECK(std::abs(source_run(2e-3, true).range - 3.3e-4) < 5e-6);
}

TEST_CASE(
    "Explicit Euler in place of leapfrog: three times the error, and g^2 dt t / 2 a particle of its own",
    "[unit]") {
  CHECK(std::abs(source_run(1e-3, false, Fall::euler).range - 0.3878) < 5e-5);
  const double E0 = 19.2454609, T = 9.999;
  for (const double dt : {1e-3, 5e-4}) {
    const double own = 10 * 100 * dt * T / 2;  // of ten particles
    CHECK(std::abs(source_run(dt, true, Fall::euler).range * E0 / own - 1) < 0.02);
  }
}

namespace {

/// All but the unit disc: a straight way can be in it in between.
struct AroundDisc {
  static constexpr std::string_view name = "around-disc";
  static constexpr std::string_view about = "all but the unit disc";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 0> parameters{};
  auto operator()(const auto& q, const auto&) const {
    using ad::square;
    const auto& [x, y] = q;
    return square(x) + square(y) - 1.0;
  }
};

}  // namespace

TEST_CASE("From both ends a wall's place on the way is exact in circles; from one end it isn't", "[unit]") {
  const auto domain = disc();
  for (const Expansion expansion : {Expansion::start, Expansion::both_ends}) {
    double worst = 0;
    for (const Vector<2>& start : starts) {
      Falling<2> p{start, {0.0, 0.0}, 0};
      for (int k = 0; k < 1000; ++k) {
        const Falling<2> before = p;
        const SteppedHit hit = linearised_step<2>(domain, gravity, {.step = 1e-2, .expansion = expansion}, p);
        if (hit.wall < 0) continue;
        Vector<2> at;
        for (int d = 0; d < 2; ++d)
          at[d] = before.x[d] + hit.lambda * (before.v[d] * 1e-2 + gravity[d] * 0.5e-4);
        worst = std::max(worst, std::abs(std::hypot(at[0], at[1]) - 1));
      }
    }
    CAPTURE(expansion, worst);
    CHECK((worst < 1e-14) == (expansion == Expansion::both_ends));  // measured: 0, 1.7e-3
  }
}

TEST_CASE("From both ends a wall is met that is crossed twice in a step; from one end it is missed",
          "[unit]") {
  Domain<2> domain;
  domain.add<AroundDisc>("around", {});
  domain.enclose_all();
  const Falling<2> start{{-0.15, 0.995}, {0.3, 0.0}, 0};
  for (const Expansion expansion : {Expansion::start, Expansion::both_ends}) {
    Falling<2> p = start;
    const SteppedHit hit = linearised_step<2>(domain, {0.0, 0.0}, {.step = 1, .expansion = expansion}, p);
    const bool found = expansion == Expansion::both_ends;
    CHECK((hit.wall >= 0) == found);
    CHECK((p.v[1] > 0) == found);
    if (found) CHECK(std::abs(-0.15 + 0.3 * hit.lambda + std::sqrt(1 - 0.995 * 0.995)) < 1e-14);
  }
  Gas<2> exact(domain, {0.0, 0.0});
  exact.load(0, 0, start.x, start.v);
  while (exact.active()[0]) exact.advance(1.0);
  CHECK(exact.bounces(0) == 1);
}

TEST_CASE("The same particles, exactly: 201 collisions, energy to round-off", "[unit]") {
  const auto domain = disc();
  Gas<2> gas(domain, gravity);
  std::int64_t hits = 0;
  double before = 0, after = 0, worst = 0;
  for (std::size_t first = 0; first < starts.size(); first += Gas<2>::width) {
    const int lanes = static_cast<int>(std::min<std::size_t>(Gas<2>::width, starts.size() - first));
    for (int i = 0; i < lanes; ++i) {
      gas.load(i, static_cast<std::int64_t>(first) + i, starts[first + static_cast<std::size_t>(i)],
               {0.0, 0.0});
      before += 10 * starts[first + static_cast<std::size_t>(i)][1];
    }
    while (any(gas.active())) gas.advance(10.0);
    for (int i = 0; i < lanes; ++i) {
      hits += gas.bounces(i);
      after += gas.energy()[i];
      worst = std::max(worst, gas.energy_error()[i]);
      CHECK(gas.time()[i] == 10.0);
    }
  }
  CHECK(hits == 201);
  CHECK(std::abs(after - before) < 2.5e-14 * std::abs(before));
  CHECK(worst < 1e-13);
}
