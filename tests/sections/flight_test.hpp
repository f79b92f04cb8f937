// SPDX-License-Identifier: BSD-3-Clause
// Flying in tests: a list of starts through the lanes of one flight, by whatever the study layer would do.
#pragma once

#include <cmath>
#include <map>

#include "core/error.hpp"
#include "sections/problem.hpp"

namespace cotangent::sections::test {

inline std::unique_ptr<Problem> problem(const std::string& name) {
  for (auto& p : built_in_problems()) {
    if (p->name() == name) return std::move(p);
  }
  throw Error("no model " + name);
}

inline integrators::MethodOptions gauss(int stages, double step) {
  integrators::MethodOptions options;
  options.stages = stages;
  options.step = step;
  return options;
}

inline Observation coordinate(int index, double value, int direction, std::int64_t crossings) {
  Observation watch;
  watch.section.emplace();
  watch.section->coordinate = index;
  watch.section->value = value;
  watch.section->direction = direction;
  watch.stop.crossings = crossings;
  return watch;
}

/// How starts are brought through: lanes in use, steps per call, the order of loading.
struct Order {
  int lanes = 8;
  std::int64_t steps = 1000000;
  bool backwards = false;
};

/// All records, by id. Lanes are refilled as they become free.
inline std::map<std::int64_t, TrajectoryRecord> fly(const Flights& flights,
                                                    const integrators::MethodOptions& method,
                                                    const Observation& watch,
                                                    const std::vector<Start>& starts, Order order = {}) {
  std::map<std::int64_t, TrajectoryRecord> landed;
  const auto flight = flights.fly(method, watch, order.lanes);
  std::size_t next = 0;
  while (landed.size() < starts.size()) {
    for (int lane = 0; lane < flight->lanes(); ++lane) {
      if (flight->free(lane) && next < starts.size()) {
        flight->load(lane, starts[order.backwards ? starts.size() - 1 - next : next]);
        ++next;
      }
    }
    flight->advance(order.steps);
    for (int lane = 0; lane < flight->lanes(); ++lane) {
      if (flight->free(lane) || flight->flown(lane).status == Status::pending) continue;
      landed[flight->flown(lane).id] = flight->flown(lane);
      flight->release(lane);
    }
  }
  return landed;
}

inline TrajectoryRecord fly(const Flights& flights, const integrators::MethodOptions& method,
                            const Observation& watch, std::vector<double> q, std::vector<double> v,
                            std::vector<double> parameters = {}) {
  return fly(flights, method, watch, {Start{0, std::move(q), std::move(v), std::move(parameters)}})[0];
}

/// A Henon-Heiles start on q1 = 0 of energy E, q1' > 0.
inline Start henon_heiles_start(std::int64_t id, double energy, double q2, double v2) {
  const double v1 = std::sqrt(2 * (energy - 0.5 * q2 * q2 + q2 * q2 * q2 / 3) - v2 * v2);
  return {id, {0.0, q2}, {v1, v2}, {}};
}

/// A crossing: t, q, v.
inline std::vector<double> row(const TrajectoryRecord& flown, std::size_t k) {
  const auto width = static_cast<std::ptrdiff_t>(2 * flown.q.size());
  std::vector<double> result{flown.crossings.time[k]};
  const auto state = flown.crossings.state.begin() + static_cast<std::ptrdiff_t>(k) * width;
  result.insert(result.end(), state, state + width);
  return result;
}
/// A sample: t, q, v, the energy, multipliers.
inline std::vector<double> sample(const TrajectoryRecord& flown, std::size_t k) {
  const TrajectoryRows& rows = flown.samples;
  std::vector<double> result{rows.time[k]};
  for (const auto* values : {&rows.q, &rows.v, &rows.energy, &rows.multiplier}) {
    const std::size_t width = values->size() / rows.count();
    const auto begin = values->begin() + static_cast<std::ptrdiff_t>(k * width);
    result.insert(result.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  return result;
}

/// `next` after what is there.
inline void append(TrajectoryRows& rows, const TrajectoryRows& next) {
  const auto put = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (const auto values : {&TrajectoryRows::time, &TrajectoryRows::state, &TrajectoryRows::q,
                            &TrajectoryRows::v, &TrajectoryRows::energy, &TrajectoryRows::multiplier,
                            &TrajectoryRows::arc, &TrajectoryRows::tangential})
    put(rows.*values, next.*values);
  put(rows.wall, next.wall);
}

}  // namespace cotangent::sections::test
