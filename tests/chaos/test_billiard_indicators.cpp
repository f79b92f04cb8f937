// SPDX-License-Identifier: BSD-3-Clause
// Indicators of billiards: their deviations, reflected where their particle is, are judged as those of any
// motion. What is integrable is regular from all starts, the stadium chaotic with the exponent that its one
// displacement has (billiards/tangent.hpp), spectra come in pairs. Particles in domains of different
// parameters fly side by side, each as if it were alone.
#include <cmath>

#include "billiards/domain_family.hpp"
#include "billiards/fields/harmonic.hpp"
#include "billiards/problem.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/ellipse.hpp"
#include "billiards/sets/half_plane.hpp"
#include "billiards/sets/stadium.hpp"
#include "catch.hpp"
#include "chaos/indicators.hpp"
#include "numerics/random.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::billiards;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

template <class Set>
Domain<2> only(const std::array<double, Set::parameters.size()>& parameters) {
  Domain<2> domain;
  domain.add<Set>("set", parameters);
  domain.enclose_all();
  return domain;
}

Observation judged(double time, const std::vector<std::string>& names = {"spectrum", "sali"}) {
  Observation watch;
  watch.stop.time = time;
  watch.stop.crossings = 0;
  watch.growth = chaos::growth_rule(chaos::read_indicators(names, 4, ""), 4);
  return watch;
}

/// At unit speed, anywhere within a square about the middle.
std::vector<Start> starts(int count, double square, const std::vector<std::vector<double>>& parameters = {}) {
  std::vector<Start> list;
  for (int id = 0; id < count; ++id) {
    const auto key = static_cast<std::uint64_t>(id);
    const double angle = 6.28 * numerics::uniform(1, key, 2);
    list.push_back(
        {id,
         {square * (2 * numerics::uniform(1, key, 0) - 1), square * (2 * numerics::uniform(1, key, 1) - 1)},
         {std::cos(angle), std::sin(angle)},
         parameters.empty() ? std::vector<double>{}
                            : parameters[static_cast<std::size_t>(id) % parameters.size()]});
  }
  return list;
}

constexpr std::size_t verdict = 0, spectrum = 1, sali = 5, own_exponent = 9;  // places among the tallies

}  // namespace

TEST_CASE("the stadium's spectrum comes in pairs, and agrees with its one displacement's exponent",
          "[long]") {
  BilliardRules<2> rules;
  rules.tangent = true;
  const auto problem = make_billiard<2>(only<Stadium>({1.0, 1.0}), rules);
  double sum = 0, pairs = 0, off = 0, mean = 0;
  const auto landed = fly(*problem, {}, judged(4000), starts(16, 0.5));
  for (const auto& [id, flown] : landed) {
    INFO("start " << id);
    REQUIRE(flown.status == Status::finished);
    CHECK(flown.tallies[verdict] == static_cast<double>(chaos::Verdict::chaotic));
    CHECK(flown.tallies[sali] < 1e-8);
    const double* exponent = &flown.tallies[spectrum];
    sum = std::max(sum, std::abs(exponent[0] + exponent[1] + exponent[2] + exponent[3]));
    pairs = std::max({pairs, std::abs(exponent[0] + exponent[3]), std::abs(exponent[1] + exponent[2])});
    CHECK(std::abs(exponent[1]) < 0.01);
    off = std::max(off, std::abs(exponent[0] - flown.tallies[own_exponent]));
    mean += exponent[0] / 16;
  }
  INFO("sum " << sum << ", pairs " << pairs << ", off " << off << ", mean " << mean);
  CHECK(sum < 1e-12);
  CHECK(pairs < 1e-12);
  CHECK(off < 0.005);  // the first flight and the last count for one, and their directions differ
  CHECK(std::abs(mean - 0.43) < 0.02);  // Benettin, Strelcyn (1978)
}

TEST_CASE("in a circle and an ellipse all is regular, under gravity not all", "[long]") {
  const auto share = [](const Domain<2>& domain, const Vector<2>& gravity, chaos::Verdict wanted) {
    BilliardRules<2> rules;
    rules.gravity = gravity;
    const auto problem = make_billiard<2>(domain, rules);
    int count = 0;
    for (const auto& [id, flown] : fly(*problem, {}, judged(2000, {"lyapunov"}), starts(300, 0.3)))
      count += flown.tallies[verdict] == static_cast<double>(wanted) ? 1 : 0;
    return count / 300.0;
  };
  CHECK(share(only<Circle>({1.0}), {}, chaos::Verdict::regular) == 1);
  CHECK(share(only<Ellipse>({1.0, 0.6}), {}, chaos::Verdict::regular) == 1);
  CHECK(share(only<Ellipse>({1.0, 0.6}), {0.0, -1.0}, chaos::Verdict::chaotic) > 0.2);
}

TEST_CASE("in an isotropic trap within a circle all is regular, in an uneven one chaos begins", "[long]") {
  const auto share = [](double across, double up, chaos::Verdict wanted) {
    BilliardRules<2> rules;
    rules.field = std::make_shared<FieldOf<Harmonic>>(std::vector<double>{across, up});
    const auto problem = make_billiard<2>(only<Circle>({1.0}), rules);
    int count = 0;
    for (const auto& [id, flown] : fly(*problem, {}, judged(1500, {"spectrum"}), starts(100, 0.6))) {
      count += flown.tallies[verdict] == static_cast<double>(wanted) ? 1 : 0;
      const double* exponent = &flown.tallies[spectrum];
      CHECK(std::abs(exponent[0] + exponent[3]) < 1e-9);
      CHECK(std::abs(exponent[1] + exponent[2]) < 1e-9);
    }
    return count / 100.0;
  };
  CHECK(share(0.3, 0.3, chaos::Verdict::regular) == 1);
  CHECK(share(0.1, 0.6, chaos::Verdict::chaotic) > 0.1);
}

TEST_CASE("a ball on a table that swings parts from its neighbours as the standard map's points do",
          "[long]") {
  // High above a table of amplitude a and frequency w the phases of its bounces are those of the standard map
  // with K = 4 a w^2 / g, whose exponent is ln(K / 2) where K is large: B. V. Chirikov, A universal
  // instability of many-dimensional oscillator systems, Phys. Rep. 52 (1979) 263, section 5.
  const auto by_bounce = [](double K) {
    Domain<2> domain;
    Place<2> table;
    table.amplitude = {0.0, 0.01};
    table.frequency = std::sqrt(K / 0.04);
    domain.add<HalfPlane>("table", {0.0, 1.0}, table);
    domain.enclose_all();
    BilliardRules<2> rules;
    rules.gravity = {0.0, -1.0};
    const auto problem = make_billiard<2>(domain, rules);
    std::vector<Start> balls;
    for (int id = 0; id < 40; ++id) balls.push_back({id, {0.0, 5000 + 0.7 * id}, {0.0, 0.0}, {}});
    double stretched = 0, bounces = 0;
    for (const auto& [id, flown] : fly(*problem, {}, judged(4e5), balls)) {
      const double* exponent = &flown.tallies[spectrum];
      CHECK(std::abs(exponent[0] + exponent[3]) < 1e-12);  // Hamiltonian
      CHECK(std::abs(exponent[1] + exponent[2]) < 1e-12);
      CHECK(flown.tallies[verdict] == static_cast<double>(chaos::Verdict::chaotic));
      stretched += exponent[0] * flown.t;
      bounces += static_cast<double>(flown.crossing_count);
    }
    return stretched / bounces;
  };
  CHECK(std::abs(by_bounce(10) - std::log(5.0)) < 0.02);
  CHECK(std::abs(by_bounce(40) - std::log(20.0)) < 0.02);
}

TEST_CASE("each hit of a wall that takes energy takes its share of phase volume") {
  Domain<2> domain;
  Place<2> place;
  place.amplitude = {0.1, 0.0};
  place.frequency = 0.5;
  domain.add<Stadium>("set", {1.0, 1.0}, place, Law{.restitution = 0.95});
  domain.enclose_all();
  BilliardRules<2> rules;
  rules.collisions = 1000;
  const auto problem = make_billiard<2>(domain, rules);
  for (const auto& [id, flown] : fly(*problem, {}, judged(60), starts(8, 0.3))) {
    REQUIRE(flown.status == Status::finished);
    const double* exponent = &flown.tallies[spectrum];
    const double sum = exponent[0] + exponent[1] + exponent[2] + exponent[3];
    const double lost = 2 * std::log(0.95) * static_cast<double>(flown.crossing_count);
    CHECK(flown.crossing_count > 10);
    CHECK(std::abs(sum * flown.crossings.time.back() / lost - 1) < 1e-11);
  }
}

TEST_CASE("particles in domains of different parameters fly side by side, each as if it were alone") {
  const BilliardRules<2> rules;
  const std::vector<std::vector<double>> parameters{
      {1.0, 1.0}, {0.2, 1.0}, {0.2, 0.8}, {2.0, 1.0}, {0.5, 0.9}};
  const auto family = make_billiard<2>(only<Stadium>({1.0, 1.0}), rules);
  REQUIRE(family->parameters().size() == 2);
  CHECK(family->parameters()[0].name == "set.a");
  CHECK(family->parameters()[1].value == 1.0);
  const Observation watch = judged(50);
  const auto list = starts(40, 0.1, parameters);
  const auto many = fly(*family, {}, watch, list);
  const auto others = fly(*family, {}, watch, list, {.lanes = 3, .steps = 7, .backwards = true});
  bool differ = false;
  for (const Start& start : list) {
    const auto own = make_billiard<2>(only<Stadium>({start.parameters[0], start.parameters[1]}), rules);
    const auto alone = fly(*own, {}, watch, {{start.id, start.q, start.v, {}}}).at(start.id);
    const auto usual = fly(*family, {}, watch, {{start.id, start.q, start.v, {}}}).at(start.id);
    for (const auto* flown : {&many.at(start.id), &others.at(start.id)}) {
      CHECK(flown->q == alone.q);
      CHECK(flown->v == alone.v);
      CHECK(flown->tallies == alone.tallies);
    }
    differ = differ || usual.q != alone.q;
  }
  CHECK(differ);  // the control
}

TEST_CASE("deviations of a billiard go on from what was saved, and may end it early") {
  const std::vector<double> narrow{0.3, 0.7};
  const Observation watch = judged(300);
  const auto one = starts(1, 0.3, {narrow})[0];
  const auto goes_on = [&](const Problem& problem) {
    const auto whole = fly(problem, {}, watch, {one}).at(0);
    const auto first = problem.fly({}, watch, 2), second = problem.fly({}, watch, 3);
    first->load(1, one);
    first->advance(40);
    REQUIRE(first->flown(1).status == Status::pending);
    std::vector<double> state(first->state_size());
    first->save(1, state);
    const int last = second->lanes() - 1;  // a register may hold two
    second->restore(last, one, state);
    while (second->flown(last).status == Status::pending) second->advance(11);
    CHECK(second->flown(last).q == whole.q);
    CHECK(second->flown(last).tallies == whole.tallies);
    return whole;
  };
  const Domain<2> stadium = only<Stadium>({1.0, 1.0});
  BilliardRules<2> rules;
  const auto problem = make_billiard<2>(stadium, rules);
  const auto whole = goes_on(*problem);

  Domain<2> swinging;  // and in a field, whose arcs end between bounces too
  Place<2> place;
  place.amplitude = {0.02, 0.0};
  place.frequency = 3;
  swinging.add<Stadium>("set", {1.0, 1.0}, place, Law{.restitution = 0.999});
  swinging.enclose_all();
  rules.field = std::make_shared<FieldOf<Harmonic>>(std::vector<double>{0.1, 0.2});
  rules.tangent = true;
  const auto driven = goes_on(*make_billiard<2>(swinging, rules));
  CHECK(driven.steps > driven.crossing_count + 10);
  CHECK(std::abs(driven.tallies[spectrum] - driven.tallies[own_exponent]) < 0.02);

  Observation early = watch;
  early.stop.decided = true;
  const auto decided = fly(*problem, {}, early, {one}).at(0);
  CHECK(decided.status == Status::decided);
  CHECK(decided.crossing_count % 64 == 0);
  CHECK(decided.crossing_count < whole.crossing_count);
  CHECK(decided.tallies[verdict] == whole.tallies[verdict]);
}
