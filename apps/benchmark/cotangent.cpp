// SPDX-License-Identifier: BSD-3-Clause
// Cotangent's own entry: Gauss collocation at fixed steps, from the Lagrangian alone. With events an ensemble
// flies as in the program, lanes being refilled as trajectories land; without, and where each step is looked
// at, the bare method steps a pack of lanes (to the same bits). Compiled without contraction, as the library.
#include "core/error.hpp"
#include "integrators/gauss.hpp"
#include "mechanics/models/henon_heiles.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "sections/problem.hpp"
#include "tools.hpp"

namespace cotangent::benchmark {
namespace {

using integrators::MethodOptions;
using numerics::Lanes, numerics::native_width;

/// What a problem is called here, its parameters and its section q1 = 0.
template <class Problem>
struct Statement;
template <>
struct Statement<HenonHeiles> {
  using Model = mechanics::HenonHeiles;
  static std::vector<double> parameters() { return {}; }
  static constexpr int direction = 1;
  static constexpr const char* condition = nullptr;
};
template <>
struct Statement<MagneticChain> {
  using Model = mechanics::MagneticChain;
  static std::vector<double> parameters() { return {MagneticChain::alpha}; }
  static constexpr int direction = 0;  // either
  static constexpr const char* condition = "p_t > 0";
};

/// The built-in problem of this model.
template <class Model>
const sections::Problem& problem_of() {
  static const auto problems = sections::built_in_problems();
  for (const auto& problem : problems) {
    if (problem->name() == Model::name) return *problem;
  }
  throw Error("benchmark_peers: no problem " + std::string(Model::name));
}

void check(Status status, std::size_t id) {
  if (status == Status::finished) return;
  throw Error("orbit " + std::to_string(id) + ": " + std::string(name(status)));
}

/// All orbits with section events.
template <class Problem, class Observation>
std::vector<State> fly(std::span<const State> starts, double end, const MethodOptions& method,
                       Observation& watch) {
  const sections::Problem& problem = problem_of<typename Statement<Problem>::Model>();
  sections::Observation what;
  what.section.emplace();
  what.section->coordinate = 0;
  what.section->direction = Statement<Problem>::direction;
  if (const char* condition = Statement<Problem>::condition) {
    what.section->condition = expressions::Condition::parse(condition, problem.variable_names());
  }
  what.stop.time = end;
  const auto flight = problem.fly(method, what, native_width);
  std::vector<State> final(starts.size());
  std::size_t next = 0, landed = 0;
  while (landed < starts.size()) {
    for (int lane = 0; lane < flight->lanes() && next < starts.size(); ++lane) {
      if (!flight->free(lane)) continue;
      const auto& [q1, q2, v1, v2] = starts[next];
      flight->load(lane, {std::int64_t(next), {q1, q2}, {v1, v2}, Statement<Problem>::parameters()});
      ++next;
    }
    flight->advance(1'000'000);
    for (int lane = 0; lane < flight->lanes(); ++lane) {
      if (flight->free(lane) || flight->flown(lane).status == Status::pending) continue;
      const sections::TrajectoryRecord& flown = flight->flown(lane);
      check(flown.status, flown.id);
      for (std::size_t k = 0; k < flown.crossings.count(); ++k) {
        const double* x = flown.crossings.state.data() + 4 * k;  // q1, q2, v1, v2
        watch.crossing(int(flown.id), flown.crossings.time[k], {x[0], x[1], x[2], x[3]});
      }
      final[flown.id] = {flown.q[0], flown.q[1], flown.v[0], flown.v[1]};
      flight->release(lane);
      ++landed;
    }
  }
  return final;
}

/// All orbits by the bare method, a pack at a time; empty lanes repeat the pack's first orbit.
template <class Problem, class Observation>
std::vector<State> step(std::span<const State> starts, double end, const MethodOptions& options,
                        Observation& watch) {
  using Real = Lanes<native_width>;
  using System = mechanics::System<typename Statement<Problem>::Model, Real>;
  const numerics::mask_of<Real> all(true);
  const long count = std::lround(end / options.step);
  System system;
  integrators::Gauss<System> method(options);
  std::vector<State> final;
  for (std::size_t first = 0; first < starts.size(); first += native_width) {
    const std::size_t used = std::min<std::size_t>(native_width, starts.size() - first);
    integrators::State<Real, 2> x;
    for (int i = 0; i < native_width; ++i) {
      const State& start = starts[first + (std::size_t(i) < used ? i : 0)];
      for (int n = 0; n < 2; ++n) {
        numerics::set_lane(x.q[n], i, start[n]);
        numerics::set_lane(x.v[n], i, start[2 + n]);
      }
    }
    const auto state = [&](std::size_t i) {
      const auto value = [&](const Real& r) { return numerics::lane(r, int(i)); };
      return State{value(x.q[0]), value(x.q[1]), value(x.v[0]), value(x.v[1])};
    };
    method.start(system, x, all);
    for (long k = 0; k < count; ++k) {
      method.advance(system, all);
      if constexpr (Observation::sees_steps) {
        x = method.end();
        for (std::size_t i = 0; i < used; ++i) watch.step(int(first + i), state(i));
      }
    }
    x = method.end();
    for (std::size_t i = 0; i < used; ++i) {
      const int failure = int(numerics::lane(method.failure(), int(i)));
      check(failure == 0 ? Status::finished : Status(failure), first + i);
      final.push_back(state(i));
    }
  }
  return final;
}

template <class Problem>
void run(const Load<Problem>& load, std::vector<Row>& rows, int stages, std::initializer_list<double> steps) {
  for (const double asked : steps) {
    measure(rows, load, "cotangent", "gauss" + std::to_string(stages), setting("step", asked),
            [&](std::span<const State> starts, double end, bool events, auto& watch) {
              // A whole number of steps to the end, as the other tools at fixed steps make.
              const double h = end / double(std::max(1L, std::lround(end / asked)));
              MethodOptions options;
              options.stages = stages;
              options.step = h;
              return events ? fly<Problem>(starts, end, options, watch)
                            : step<Problem>(starts, end, options, watch);
            });
  }
}

}  // namespace

void cotangent(const Load<HenonHeiles>& load, std::vector<Row>& rows) {
  run(load, rows, 6, {0.4, 0.5, 0.7});
  run(load, rows, 8, {0.5, 0.75, 1.0, 1.2});
  run(load, rows, 9, {0.9, 1.0});
  run(load, rows, 10, {0.75, 1.0, 1.25});
  run(load, rows, 12, {1.0, 1.5});
}

void cotangent(const Load<MagneticChain>& load, std::vector<Row>& rows) {
  run(load, rows, 8, {0.35, 0.5, 0.55, 0.65});
  run(load, rows, 9, {0.6, 0.65, 0.75});
  run(load, rows, 10, {0.5, 0.75, 0.9});
  run(load, rows, 12, {0.75, 1.0});
  run(load, rows, 16, {1.0, 1.5});
}

}  // namespace cotangent::benchmark
