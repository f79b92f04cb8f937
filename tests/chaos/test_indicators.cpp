// SPDX-License-Identifier: BSD-3-Clause
// Indicators of chaos on orbits whose nature is known, and what they must not depend on.
// Known orbits: Skokos, Bountis, Antonopoulos, Physica D 231 (2007) 30, as the tests of ChaosTools.jl have
// them.
#include "catch.hpp"
#include "chaos/indicators.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

const std::vector<std::string> every{"lyapunov", "spectrum", "sali", "gali-2", "gali-3", "gali-4", "megno"};

Observation watch_for(double time, const std::vector<std::string>& names, int dimensions = 4) {
  Observation watch;
  watch.stop.time = time;
  watch.growth = chaos::growth_rule(chaos::read_indicators(names, dimensions, ""), dimensions);
  return watch;
}

/// The numbers of one name.
std::map<std::string, std::vector<double>> by_name(const std::vector<double>& tallies,
                                                   const std::vector<std::string>& names,
                                                   int dimensions = 4) {
  std::map<std::string, std::vector<double>> result;
  auto at = tallies.begin();
  for (const auto& column : chaos::columns(chaos::read_indicators(names, dimensions, ""), dimensions)) {
    result[column.name].assign(at, at + column.numbers);
    at += column.numbers;
  }
  REQUIRE(at == tallies.end());
  return result;
}

Start start_at(std::int64_t id, double q1, double q2, double p1, double p2) {
  return {id, {q1, q2}, {p1, p2}, {}};
}

double verdict_of(const TrajectoryRecord& flown) {
  return flown.tallies.at(0);
}
constexpr double regular = 1, chaotic = 2;

}  // namespace

TEST_CASE("GALI of two regular and one chaotic orbit of Henon and Heiles are what others found") {
  const auto galaxy = problem("henon-heiles");
  const auto landed = fly(*galaxy, gauss(8, 0.5), watch_for(1000, every),
                          {start_at(0, 0, 0.295456, 0.407308431, 0), start_at(1, 0, 0.483, 0.27898039, 0),
                           start_at(2, 0, -0.25, 0.42081, 0)});
  for (const int id : {0, 1}) {
    auto of = by_name(landed.at(id).tallies, every);
    INFO("orbit " << id << ": GALI " << of["gali_2"][0] << " " << of["gali_3"][0] << " " << of["gali_4"][0]
                  << ", mean MEGNO " << of["mean_megno"][0]);
    CHECK(of["gali_2"][0] > 0.01);
    CHECK(of["gali_4"][0] > 1e-9);
    CHECK(of["mean_megno"][0] < 2.2);
    CHECK(of["verdict"][0] == regular);
  }
  auto of = by_name(landed.at(2).tallies, every);
  INFO("chaotic: GALI " << of["gali_2"][0] << " " << of["gali_3"][0] << " " << of["gali_4"][0]
                        << ", mean MEGNO " << of["mean_megno"][0]);
  CHECK(of["gali_2"][0] < 1e-12);
  CHECK(of["gali_3"][0] < of["gali_2"][0]);
  CHECK(of["gali_4"][0] < of["gali_3"][0]);
  CHECK(of["mean_megno"][0] > 10);
  CHECK(of["verdict"][0] == chaotic);
  CHECK(of["sali"][0] == Approx(of["gali_2"][0]));  // at small angles
}

TEST_CASE("MEGNO of a regular orbit tends to 2", "[long]") {
  const std::vector<std::string> names{"megno"};
  std::vector<double> off;
  for (const double time : {1e3, 1e4, 1e5}) {
    const auto flown = fly(*problem("henon-heiles"), gauss(8, 0.5), watch_for(time, names),
                           {start_at(1, 0, 0.483, 0.27898039, 0)});
    off.push_back(std::abs(by_name(flown.at(1).tallies, names)["mean_megno"][0] - 2));
  }
  INFO("off by " << off[0] << ", " << off[1] << ", " << off[2]);
  CHECK(off[1] < 0.2);
  CHECK(off[2] < 0.02);
}

TEST_CASE("the spectrum sums to zero and comes in pairs; its largest exponent lies where others found it") {
  const std::vector<std::string> names{"lyapunov", "spectrum"};
  const auto check = [&](const std::string& model, const Start& start, double step, double pairs) {
    const auto flown = fly(*problem(model), gauss(8, step), watch_for(10000, names), {start}).at(start.id);
    REQUIRE(flown.status == Status::finished);
    const auto lambda = by_name(flown.tallies, names)["spectrum"];
    INFO(model << ": " << lambda[0] << " " << lambda[1] << " " << lambda[2] << " " << lambda[3]);
    CHECK(std::abs(lambda[0] + lambda[1] + lambda[2] + lambda[3]) < 1e-12);
    CHECK(std::abs(lambda[0] + lambda[3]) < pairs);
    CHECK(std::abs(lambda[1] + lambda[2]) < pairs);
    CHECK(std::abs(lambda[1]) < 2e-3);  // along the orbit and across energies: zero in the limit
    CHECK(by_name(flown.tallies, names)["lyapunov"][0] == lambda[0]);
    return lambda[0];
  };
  const double largest = check("henon-heiles", henon_heiles_start(0, 0.125, -0.25, 0), 0.5, 1e-6);
  CHECK(largest > 0.04);
  CHECK(largest < 0.08);
}

TEST_CASE("integrable motion is regular without exception", "[long]") {
  std::vector<Start> starts;
  std::vector<double> parameters;
  for (const auto& parameter : problem("kepler")->parameters()) parameters.push_back(parameter.value);
  for (int id = 0; id < 64; ++id) {
    const double e = 0.8 * id / 64.0;  // ellipses of semi-axis 1
    starts.push_back({id, {1 - e, 0}, {0, std::sqrt((1 + e) / (1 - e))}, parameters});
  }
  for (const auto& [id, flown] : fly(*problem("kepler"), gauss(8, 0.05), watch_for(500, {"megno"}), starts)) {
    INFO("id " << id << ", mean MEGNO " << flown.tallies[2]);
    CHECK(verdict_of(flown) == regular);
  }
}

TEST_CASE("geodesics of a torus are regular, by the tangent map of RATTLE", "[long]") {
  const auto torus = problem("torus");
  std::vector<Start> starts;
  std::vector<double> parameters;
  for (const auto& parameter : torus->parameters()) parameters.push_back(parameter.value);
  for (int id = 0; id < 16; ++id) {
    const double direction = 0.1 + 0.08 * id;
    starts.push_back({id, {1.4, 0, 0}, {0, std::cos(direction), std::sin(direction)}, parameters});
  }
  integrators::MethodOptions rattle;
  rattle.name = "rattle";
  rattle.step = 0.02;
  const std::vector<std::string> names{"spectrum", "megno"};
  for (const auto& [id, flown] : fly(*torus, rattle, watch_for(400, names), starts)) {
    auto of = by_name(flown.tallies, names);
    INFO("id " << id << ", mean MEGNO " << of["mean_megno"][0] << ", largest exponent " << of["spectrum"][0]);
    CHECK(of["verdict"][0] == regular);
    CHECK(of["spectrum"][0] < 0.03);
    double sum = 0;
    for (const double lambda : of["spectrum"]) sum += lambda;
    CHECK(std::abs(sum) < 1e-2);  // volumes are measured in space: a bounded factor, over the time
  }
}

TEST_CASE("indicators don't depend on lanes, neighbours or rests, and orbits don't depend on indicators") {
  const auto galaxy = problem("henon-heiles");
  std::vector<Start> starts;
  for (int id = 0; id < 20; ++id) starts.push_back(henon_heiles_start(id, 0.125, -0.3 + 0.04 * id, 0.01));
  Observation watch = coordinate(0, 0, 1, 30);
  watch.growth = watch_for(1, every).growth;
  const auto reference = fly(*galaxy, gauss(8, 0.5), watch, starts);
  for (const Order order : {Order{1}, Order{3, 7}, Order{8, 5, true}}) {
    for (const auto& [id, flown] : fly(*galaxy, gauss(8, 0.5), watch, starts, order)) {
      CHECK(flown.tallies == reference.at(id).tallies);
    }
  }
  Observation plain = watch;
  plain.growth = nullptr;
  for (const auto& [id, flown] : fly(*galaxy, gauss(8, 0.5), plain, starts)) {
    CHECK(flown.crossings == reference.at(id).crossings);
    CHECK(flown.q == reference.at(id).q);
    CHECK(flown.tallies.empty());
  }
  // From a lane to another, halfway.
  const auto first = galaxy->fly(gauss(8, 0.5), watch, 8), second = galaxy->fly(gauss(8, 0.5), watch, 8);
  const int last = second->lanes() - 1;  // of the processor, at most 8
  REQUIRE(last > 0);
  first->load(0, starts[7]);
  first->load(1, starts[8]);
  first->advance(100);
  REQUIRE(first->flown(0).status == Status::pending);
  std::vector<double> state(first->state_size());
  first->save(0, state);
  second->load(0, starts[1]);
  second->advance(3);
  second->restore(last, starts[7], state);
  while (second->flown(last).status == Status::pending) second->advance(1000);
  CHECK(second->flown(last).tallies == reference.at(7).tallies);
}

TEST_CASE("with friction what grew for a while is not chaotic, and nothing is before its end") {
  // A frame of two that grows as exp(t / 5) and shrinks as exp(-t / 2) up to some time, then both as exp(-t /
  // 10).
  const auto judged = [](bool friction, double until, double end) {
    const auto watch = chaos::growth_rule({.gali = {}}, 2, friction)->watch(1);
    watch->begin(0);
    bool decided = false;
    constexpr double taken = 1, step = 0.5;
    for (double t = 0; t < end; t += step) {
      const double fast = t < until ? 0.2 : -0.1, slow = t < until ? -0.5 : -0.1;
      const double factor[3] = {std::exp(fast * step), 0.1, std::exp(slow * step)};
      watch->grow(&taken, &t, &step, factor);
      decided = decided || watch->decided(0);
    }
    std::vector<double> tallies;
    watch->finish(0, tallies);
    return std::pair(tallies.at(0), decided);
  };
  constexpr double undecided = 0;
  CHECK(judged(false, 1e9, 400) == std::pair(chaotic, true));
  CHECK(judged(true, 1e9, 400) == std::pair(chaotic, false));
  CHECK(judged(false, 200, 400) == std::pair(chaotic, true));
  CHECK(judged(true, 200, 400) == std::pair(undecided, false));
  CHECK(judged(true, 200, 2000) == std::pair(regular, false));
  CHECK(judged(true, 0, 400) == std::pair(regular, false));
}

TEST_CASE("unknown indicators and orders beyond phase space are refused by name") {
  CHECK_THROWS_WITH(chaos::read_indicators({"lyapunow"}, 4, "there"),
                    ContainsSubstring("lyapunov") && ContainsSubstring("there"));
  CHECK_THROWS_WITH(chaos::read_indicators({"gali-5"}, 4, ""), ContainsSubstring("gali-4"));
  CHECK_THROWS_WITH(chaos::read_indicators({"sali", "sali"}, 4, ""), ContainsSubstring("twice"));
  CHECK(chaos::deviations(chaos::read_indicators({"megno", "gali-3"}, 4, ""), 4) == 3);
  CHECK(chaos::sali_of(1.0) == Approx(std::sqrt(2.0)));
}
