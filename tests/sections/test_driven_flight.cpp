// SPDX-License-Identifier: BSD-3-Clause
// Flights of what is driven: the energy error is the balance of energy and work, and bits are a trajectory's
// own, in any lane and after a restart.
#include <algorithm>

#include "catch.hpp"
#include "flight_test.hpp"
#include "integrators/driven.hpp"
#include "integrators/methods.hpp"
#include "sections/problem_of.hpp"

using namespace cotangent;
using namespace cotangent::sections;
using namespace cotangent::sections::test;

namespace {

struct Pendulum : integrators::DrivenDampedPendulum {
  static constexpr bool tangent_maps = false;
  static constexpr std::string_view name = "pendulum", about = "driven and damped", method = "gauss";
  static constexpr std::array<mechanics::Coordinate, 1> coordinates{{{"a", "rad", true}}};
};
struct ExplicitPendulum : Pendulum {
  static constexpr std::string_view method = "dormand-prince-853";
};
struct Circle : integrators::ShakenCircle {
  static constexpr bool tangent_maps = false;
  static constexpr std::string_view name = "circle", about = "that moves", method = "lobatto-spark";
  static constexpr std::array<mechanics::Coordinate, 2> coordinates{{{"x"}, {"y"}}};
};
struct Sphere : integrators::BreathingSphere {
  static constexpr bool tangent_maps = false;
  static constexpr std::string_view name = "sphere", about = "that breathes", method = "reduced-gauss";
  static constexpr std::array<mechanics::Coordinate, 3> coordinates{{{"x"}, {"y"}, {"z"}}};
};

integrators::MethodOptions method(std::string_view name, int stages, double step) {
  auto options = gauss(stages, step);
  options.name = std::string(name);
  return options;
}

Observation until(double time, double every) {
  Observation watch;
  watch.stop.time = time;
  watch.sample_every = every;
  return watch;
}

bool same(const TrajectoryRecord& a, const TrajectoryRecord& b) {
  return a.status == b.status && a.steps == b.steps && a.energy == b.energy &&
         a.energy_error == b.energy_error && a.constraint_error == b.constraint_error && a.t == b.t &&
         a.samples == b.samples && a.q == b.q && a.v == b.v;
}

/// Alone, among mates in several orders, and saved and restored: the same records, energies in balance.
template <class Model>
void check(const std::vector<Start>& starts, const integrators::MethodOptions& by, double bound) {
  const ProblemOf<Model> model;
  const Observation watch = until(20, 0.7);
  std::map<std::int64_t, TrajectoryRecord> alone;
  for (const Start& start : starts) alone[start.id] = fly(model, by, watch, {start}, {1}).at(start.id);
  for (const auto& [id, flown] : alone) {
    INFO(Model::name << " " << id << ": " << flown.energy_error);
    CHECK(flown.status == Status::finished);
    CHECK(flown.energy_error < bound);
    const auto [least, most] = std::ranges::minmax(flown.samples.energy);
    CHECK(most - least > 0.1);  // without the work that would be the error
  }
  for (const Order order : {Order{8, 1000000}, {3, 17}, {5, 1, true}}) {
    const auto flown = fly(model, by, watch, starts, order);
    for (const auto& [id, record] : alone) CHECK(same(record, flown.at(id)));
  }
  for (const int steps : {1, 40}) {
    const auto first = model.fly(by, watch, 2), second = model.fly(by, watch, 2);
    for (int lane = 0; lane < 2; ++lane) first->load(lane, starts[static_cast<std::size_t>(lane)]);
    first->advance(steps);
    std::vector<double> state(first->state_size());
    std::array<TrajectoryRecord, 2> before{first->flown(0), first->flown(1)};
    for (int lane = 0; lane < 2; ++lane) {
      first->save(lane, state);
      second->restore(1 - lane, starts[static_cast<std::size_t>(lane)], state);
    }
    while (second->flown(0).status == Status::pending || second->flown(1).status == Status::pending)
      second->advance(100000);
    for (int lane = 0; lane < 2; ++lane) {
      TrajectoryRecord whole = second->flown(1 - lane);
      const auto later = std::exchange(whole.samples, before[static_cast<std::size_t>(lane)].samples);
      append(whole.samples, later);
      CHECK(same(whole, alone.at(lane)));
    }
  }
}

std::vector<Start> pendulums() {
  std::vector<Start> starts;
  for (int k = 0; k < 9; ++k) starts.push_back({k, {0.3 * k - 1}, {0.2 * k}, {0.5, 1.0 + 0.05 * k, 2.0 / 3}});
  return starts;
}

}  // namespace

TEST_CASE("A driven damped pendulum in flight: energy and work balance, bits are its own") {
  check<Pendulum>(pendulums(), method("gauss", 8, 0.25), 1e-13);
  auto adaptive = method("gauss", 8, 0.25);
  adaptive.tolerance = 1e-11;
  check<Pendulum>(pendulums(), adaptive, 1e-11);
  adaptive.name = "dormand-prince-853";
  check<ExplicitPendulum>(pendulums(), adaptive, 1e-9);  // 3e-11
}

TEST_CASE("On constraints that move: energy and work balance, bits are a trajectory's own", "[long]") {
  std::vector<Start> circles, spheres;
  for (int k = 0; k < 5; ++k) {
    const auto c = integrators::ShakenCircle::at({0.0, {0.4 + 0.1 * k}, {0.9}});
    circles.push_back({k, {c.q.begin(), c.q.end()}, {c.v.begin(), c.v.end()}, {}});
    const auto s = integrators::BreathingSphere::at({0.0, {2.0, 0.3}, {0.5, 0.9 + 0.1 * k}});
    spheres.push_back({k, {s.q.begin(), s.q.end()}, {s.v.begin(), s.v.end()}, {}});
  }
  check<Circle>(circles, method("lobatto-spark", 6, 0.1), 1e-13);  // 4e-15
  check<Sphere>(spheres, method("reduced-gauss", 6, 0.1), 1e-13);  // 6e-16
  // The distance from a constraint that moves has its speed in it.
  const auto c = integrators::ShakenCircle::at({0.0, {0.4}, {0.9}});
  CHECK(ProblemOf<Circle>{}.off_manifold(c.q, c.v, {}).velocity < 1e-15);
  CHECK(ProblemOf<Circle>{}.off_manifold(c.q, std::array{0.0, 0.0}, {}).velocity > 0.1);
}
