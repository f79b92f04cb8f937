// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/program/shared_out.hpp"

namespace cotangent::studies {

namespace {

enum Outcome { infeasible, flown_off, not_closed, found };

/// How far apart two states are, angles taken modulo 2 pi.
double apart(const sections::Problem& problem, const double* a, const double* b) {
  const auto coordinates = problem.coordinates();
  double sum = 0;
  for (int i = 0; i < 2 * problem.dim(); ++i) {
    double off = a[i] - b[i];
    if (i < problem.dim() && coordinates[static_cast<std::size_t>(i)].angle)
      off = std::remainder(off, 2 * std::numbers::pi);
    sum += off * off;
  }
  return std::sqrt(sum);
}
/// Below this two states are the same.
double same(const double* state, int states) {
  double sum = 0;
  for (int i = 0; i < states; ++i) sum += state[i] * state[i];
  return 1e-7 * (1 + std::sqrt(sum));
}

/// An orbit's states at its returns, the first at the end of its first return, with their times.
struct Returns {
  std::vector<double> states, times;
  int count() const { return static_cast<int>(times.size()); }
};
Returns returns_of(const chaos::Closure& closure, const chaos::ClosedOrbit& orbit) {
  Returns result;
  const auto& problem = *closure.problem;
  if (closure.strobed()) {
    const double every = orbit.period / closure.returns;
    auto q = orbit.q, v = orbit.v;
    for (int k = 0; k < closure.returns; ++k) {
      const auto arc = problem.arc(closure.method, {0, q, v, orbit.parameters}, every);
      if (arc.status != Status::finished) return {};
      q = arc.q;
      v = arc.v;
      result.states.insert(result.states.end(), q.begin(), q.end());
      result.states.insert(result.states.end(), v.begin(), v.end());
      result.times.push_back((k + 1) * every);
    }
    return result;
  }
  sections::Observation watch;
  watch.section = closure.section;
  watch.stop.time = orbit.period * (1 + 1e-6);
  watch.stop.patience = std::int64_t{1} << 40;
  const auto batch = problem.fly(closure.method, watch, 1);
  batch->load(0, {0, orbit.q, orbit.v, orbit.parameters});
  while (batch->flown(0).status == Status::pending) batch->advance(10'000);
  const auto& rows = batch->flown(0).crossings;
  for (std::size_t k = 0; k < rows.count(); ++k) {
    if (rows.time[k] < 1e-6 * orbit.period) continue;  // the beginning itself
    const auto width = static_cast<std::ptrdiff_t>(closure.states());
    const auto row = rows.state.begin() + static_cast<std::ptrdiff_t>(k) * width;
    result.states.insert(result.states.end(), row, row + width);
    result.times.push_back(rows.time[k]);
  }
  return result;
}

/// The least number of returns after which the orbit is closed; 0 where it doesn't come back to its start.
int least_returns(const chaos::Closure& closure, const chaos::ClosedOrbit& orbit, const Returns& returns) {
  const int states = closure.states();
  std::vector<double> start(orbit.q);
  start.insert(start.end(), orbit.v.begin(), orbit.v.end());
  for (int k = 0; k < returns.count(); ++k) {
    if (apart(*closure.problem, start.data(), returns.states.data() + k * states) <=
        same(start.data(), states))
      return k + 1;
  }
  return 0;
}

Answer answer(const OrbitSurvey& survey, std::int64_t start_id, int returns) {
  const EnsembleStart start = (*survey.starts)[start_id];
  if (!start.feasible) return {infeasible};
  const auto& [id, q, v, parameters] = start.start;
  auto closure = survey.closure(returns, parameters, survey.problem().energy(q, v, parameters));
  auto guess = chaos::first_return(closure, q, v);
  if (!guess) return {flown_off};
  auto orbit = chaos::close(closure, *guess, std::nullopt);
  if (!orbit) return {not_closed};
  Returns passed = returns_of(closure, *orbit);
  const int least = least_returns(closure, *orbit, passed);
  if (least == 0) return {not_closed};
  if (least < passed.count() || least != returns) {
    closure.returns = least;
    chaos::Unknowns once = orbit->unknowns;
    if (!closure.strobed()) once[closure.states()] = passed.times[static_cast<std::size_t>(least) - 1];
    orbit = chaos::close(closure, once, std::nullopt);
    if (!orbit) return {not_closed};
    passed = returns_of(closure, *orbit);
    if (least_returns(closure, *orbit, passed) != least) return {not_closed};
  }
  Answer result{found, static_cast<double>(least)};
  result.insert(result.end(), orbit->unknowns.data(), orbit->unknowns.data() + orbit->unknowns.size());
  const auto last = passed.states.begin() + (least - 1) * survey.states();
  result.insert(result.end(), last, last + survey.states());
  result.insert(result.end(), passed.states.begin(), last);
  return result;
}

}  // namespace

FoundOrbits search(const OrbitSurvey& survey) {
  const auto choices = std::ssize(survey.returns);
  FoundOrbits all;
  all.tasks = survey.starts->size() * choices;
  const auto answers = shared_out(all.tasks, [&](std::int64_t task) {
    return answer(survey, task / choices, survey.returns[static_cast<std::size_t>(task % choices)]);
  });
  const int states = survey.states();
  for (std::int64_t task = 0; task < all.tasks; ++task) {
    const Answer& numbers = answers[static_cast<std::size_t>(task)];
    const auto outcome = static_cast<Outcome>(static_cast<int>(numbers.front()));
    all.infeasible += outcome == infeasible;
    all.flown_off += outcome == flown_off;
    all.not_closed += outcome == not_closed;
    if (outcome != found) continue;
    FoundOrbit next;
    next.start = task / choices;
    next.returns = static_cast<int>(numbers[1]);
    const auto [id, q, v, parameters] = (*survey.starts)[next.start].start;
    next.closure = survey.closure(next.returns, parameters, survey.problem().energy(q, v, parameters));
    const auto size = next.closure.unknowns();
    next.points.assign(numbers.begin() + 2 + size, numbers.end());
    const double* const state = numbers.data() + 2;
    const bool known = std::ranges::any_of(all.orbits, [&](const FoundOrbit& other) {
      if (other.returns != next.returns || other.closure.parameters != parameters ||
          (!next.closure.strobed() &&
           std::abs(other.closure.energy - next.closure.energy) > 1e-9 * (1 + std::abs(next.closure.energy))))
        return false;
      for (int k = 0; k < other.returns; ++k) {
        if (apart(survey.problem(), state, other.points.data() + k * states) <= 10 * same(state, states))
          return true;
      }
      return false;
    });
    all.again += known;
    if (known) continue;
    const auto orbit = chaos::evaluate(next.closure, Eigen::Map<const chaos::Unknowns>(state, size));
    if (!orbit) continue;  // it was closed by these numbers
    next.orbit = *orbit;
    all.orbits.push_back(std::move(next));
  }
  return all;
}

}  // namespace cotangent::studies
