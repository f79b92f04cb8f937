// SPDX-License-Identifier: BSD-3-Clause
// A trajectory's bits are its own: not of its lane, its mates, the order of loading, the calls that fly it,
// or a restart.
#include <cmath>

#include "catch.hpp"
#include "sections/driven_models.hpp"
#include "sections/flight_test.hpp"

using namespace cotangent;
using namespace cotangent::expressions;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

bool same(const TrajectoryRecord& a, const TrajectoryRecord& b) {
  return a.id == b.id && a.status == b.status && a.crossing_count == b.crossing_count &&
         a.sample_count == b.sample_count && a.grazing_count == b.grazing_count && a.steps == b.steps &&
         a.energy == b.energy && a.energy_error == b.energy_error && a.t == b.t &&
         a.crossings == b.crossings && a.samples == b.samples && a.q == b.q && a.v == b.v;
}

// Sanitizers make this code some hundred times slower; a fifth of the way passes through the same branches.
#ifdef __SANITIZE_ADDRESS__
constexpr double share = 0.2;
#else
constexpr double share = 1.0;
#endif

constexpr std::int64_t some(int crossings) {
  return static_cast<std::int64_t>(share * crossings);
}

std::unique_ptr<Problem> model_of(const std::string& name) {
  if (name == "kicked-pendulum") return std::make_unique<ProblemOf<KickedPendulum<ByGauss>>>();
  return problem(name);
}

struct Case {
  std::string model;
  integrators::MethodOptions method;
  Observation watch;
  std::vector<Start> starts;
};

std::vector<Case> cases() {
  std::vector<Case> list;
  std::vector<Start> stars, chains;
  for (int k = 0; k < 13; ++k) stars.push_back(henon_heiles_start(k, 0.125, -0.1 + 0.04 * k, 0.02 * (k % 3)));
  for (int k = 0; k < 11; ++k) chains.push_back({k, {0.0, 0.0}, {0.001 * k, 0.02}, {18.0 + 0.02 * k}});
  list.push_back({"henon-heiles", gauss(8, 0.75), coordinate(0, 0.0, 1, some(40)), stars});
  list.back().watch.sample_every = 7.7;
  list.push_back({"henon-heiles", gauss(10, 0.75), coordinate(1, 0.1, 0, 0), stars});
  list.back().watch.stop.time = share * 150;
  auto adaptive = gauss(8, 0.1);
  adaptive.tolerance = 1e-11;
  list.push_back({"henon-heiles", adaptive, coordinate(0, 0.0, 1, some(25)), stars});
  auto explicit_method = adaptive;
  explicit_method.name = "dormand-prince-853";
  list.push_back({"henon-heiles", explicit_method, coordinate(0, 0.0, -1, some(25)), stars});
  Observation general = coordinate(-1, 0.0, 0, some(30));
  const auto names = problem("henon-heiles")->variable_names();
  general.section->expression = Expression::parse("q1*q2_dot - 0.02", names);
  general.section->condition = Condition::parse("p_q1 > 0", names);
  general.stop.time = share * 400;
  list.push_back({"henon-heiles", gauss(8, 0.75), general, stars});
  Observation chain = coordinate(0, 0.0, 0, some(10));
  chain.section->condition = Condition::parse("p_t > 0", problem("magnetic-chain")->variable_names());
  chain.stop.time = share * 1500;
  list.push_back({"magnetic-chain", gauss(8, 0.5), chain, chains});
  // Stroboscopic sections, several to a step and several steps to one, each trajectory with a period of its
  // own; kicks, under fixed and under adaptive steps, and a section that is met between them.
  const auto strobe = [](const std::string& every, const std::string& phase,
                         const std::vector<std::string>& names, int crossings) {
    Observation watch;
    watch.section.emplace();
    watch.section->strobe = {Expression::parse(every, names), Expression::parse(phase, names)};
    watch.stop.crossings = crossings;
    return watch;
  };
  list.push_back({"henon-heiles", gauss(8, 0.75), strobe("0.21", "0.1", {}, some(200)), stars});
  list.push_back({"henon-heiles", adaptive, strobe("2*pi/3", "0", {}, some(40)), stars});
  list.back().watch.section->condition = Condition::parse("q1 > 0", names);
  list.back().watch.sample_every = 7.7;
  std::vector<Start> pendulums;
  for (int k = 0; k < 13; ++k)
    pendulums.push_back({k, {0.1 * k + 0.05}, {0.02 * k}, {1.0, 0.7, 1.0 + 0.03 * k}});
  const std::vector<std::string> parameters{"gravity", "K", "T"};
  list.push_back({"kicked-pendulum", gauss(8, 0.45), strobe("T/3", "0", parameters, some(60)), pendulums});
  list.back().watch.sample_every = 1.1;
  list.push_back({"kicked-pendulum", adaptive, coordinate(0, 0.0, 0, some(15)), pendulums});
  return list;
}

}  // namespace

TEST_CASE("The same records for any lanes in use, order of loading and number of steps a call", "[long]") {
  for (const Case& c : cases()) {
    const auto model = model_of(c.model);
    const auto expected = fly(*model, c.method, c.watch, c.starts, {1, 1000000});
    std::int64_t crossings = 0;
    for (const auto& [id, flown] : expected) crossings += flown.crossing_count;
    CHECK(crossings > 30 * share);
    for (const Order order :
         {Order{2, 1000000}, {3, 17}, {5, 1, true}, {7, 100}, {8, 1}, {8, 1000000, true}}) {
      const auto flown = fly(*model, c.method, c.watch, c.starts, order);
      for (const auto& [id, record] : expected) {
        INFO(c.model << " " << c.method.name << ", " << order.lanes << " lanes, orbit " << id);
        CHECK(same(record, flown.at(id)));
      }
    }
  }
}

TEST_CASE("A saved trajectory goes on in another lane of another flight to the same bits") {
  for (const Case& c : cases()) {
    const auto model = model_of(c.model);
    const auto expected = fly(*model, c.method, c.watch, c.starts);
    for (const int steps : {0, 1, 2, 37}) {
      const auto first = model->fly(c.method, c.watch, 8);
      const auto second = model->fly(c.method, c.watch, 8);
      const int lanes = first->lanes();  // of the processor, at most 8
      for (int lane = 0; lane < lanes; ++lane) first->load(lane, c.starts[lane]);
      first->advance(steps);
      std::vector<double> state(first->state_size());
      REQUIRE(second->state_size() == state.size());
      std::map<std::int64_t, TrajectoryRecord> before;
      for (int lane = 0; lane < lanes; ++lane) {
        before[lane] = first->flown(lane);
        if (before[lane].status != Status::pending) continue;
        first->save(lane, state);
        second->restore(lanes - 1 - lane, c.starts[lane], state);
      }
      // The others in the old flight are no concern of those in the new one.
      for (int round = 0; round < 100000; ++round) {
        second->advance(1000);
        bool all = true;
        for (int lane = 0; lane < lanes; ++lane) {
          all = all && (second->free(lane) || second->flown(lane).status != Status::pending);
        }
        if (all) break;
      }
      for (int lane = 0; lane < lanes; ++lane) {
        if (before[lane].status != Status::pending) continue;
        TrajectoryRecord whole = second->flown(lanes - 1 - lane);
        const auto crossings = std::exchange(whole.crossings, before[lane].crossings);
        const auto samples = std::exchange(whole.samples, before[lane].samples);
        append(whole.crossings, crossings);
        append(whole.samples, samples);
        INFO(c.model << " " << c.method.name << ", orbit " << lane << " after " << steps);
        CHECK(same(whole, expected.at(lane)));
      }
    }
  }
}
