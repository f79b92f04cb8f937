// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "sections/lone_flight.hpp"
#include "studies/periodic_orbits/guesses.hpp"
#include "studies/program/shared_out.hpp"

namespace cotangent::studies {

namespace {

enum Outcome { infeasible, flown_off, not_closed, found };

double return_time(const chaos::Closure& closure, const double* unknowns) {
  return closure.strobed() ? closure.section.strobe->every.evaluate(closure.parameters)
                           : unknowns[closure.states()] / closure.returns;
}

/// Whether two states are the same, angles taken modulo 2 pi, to so many times what round-off may make.
bool same(const chaos::Closure& closure, const double* a, const double* b, double times = 1) {
  const double size = Eigen::Map<const Eigen::VectorXd>(a, closure.states())
                          .cwiseQuotient(closure.units.of_state(*closure.problem))
                          .norm();
  return closure.difference(a, b).norm() <= 1e-7 * times * (1 + size);
}

/// An orbit's states at its returns, the first at the end of its first return, with the times since `from`:
/// the state that the last one is to be.
struct Returns {
  std::vector<double> from, states, times;
  int count() const { return static_cast<int>(times.size()); }
};

/// A billiard's flight from here to a time or after so many bounces; of it, `crossings` are the bounces.
sections::TrajectoryRecord bounced(const chaos::Closure& closure, const std::vector<double>& q,
                                   const std::vector<double>& v, double time, std::int64_t bounces) {
  sections::Observation watch;
  watch.stop.time = time;
  watch.stop.crossings = bounces;
  return sections::fly_alone(*closure.problem, closure.method, watch, {0, q, v, closure.parameters});
}
/// The k-th of its bounces' places and velocities.
std::pair<std::vector<double>, std::vector<double>> bounce(const sections::TrajectoryRows& rows,
                                                           std::size_t k, std::size_t dim) {
  const auto part = [&](const std::vector<double>& all) {
    const auto row = all.begin() + static_cast<std::ptrdiff_t>(k * dim);
    return std::vector<double>(row, row + static_cast<std::ptrdiff_t>(dim));
  };
  return {part(rows.q), part(rows.v)};
}

/// A billiard's orbits begin between bounces, on the plane across their velocity there: first at a quarter of
/// the flight that follows the next bounce (thrown up, it rests at half). The period is the time until, after
/// all bounces, the flight comes by again.
std::optional<chaos::Unknowns> first_bounces(chaos::Closure& closure, const std::vector<double>& q,
                                             const std::vector<double>& v) {
  const auto dim = q.size();
  const auto flown = bounced(closure, q, v, std::numeric_limits<double>::infinity(), closure.returns + 2);
  if (flown.status != Status::finished) return std::nullopt;
  const auto& time = flown.crossings.time;
  const auto last = static_cast<std::size_t>(closure.returns);
  const double early = (time[1] - time[0]) / 4, length = time[last + 1] - time[last];
  const auto [q0, v0] = bounce(flown.crossings, 0, dim);
  const auto begin = closure.problem->arc(closure.method, {0, q0, v0, closure.parameters}, early);
  if (begin.status != Status::finished) return std::nullopt;
  closure.plane = chaos::Plane::across(begin.q, begin.v);
  const auto [qn, vn] = bounce(flown.crossings, last, dim);
  double late = early;
  // To the plane by Newton's method, where the flight is towards it.
  for (int round = 0; round < 4; ++round) {
    const auto there = closure.problem->arc(closure.method, {0, qn, vn, closure.parameters}, late);
    double off = -closure.plane->value, speed = 0;
    for (std::size_t d = 0; d < dim; ++d) {
      off += closure.plane->normal[d] * there.q[d];
      speed += closure.plane->normal[d] * there.v[d];
    }
    if (speed > 0) late = std::clamp(late - off / speed, 0.0, length);
  }
  auto z = joined(begin.q, begin.v);
  z.push_back(time[last] + late - time[0] - early);
  return Eigen::Map<const chaos::Unknowns>(z.data(), std::ssize(z));
}

Returns bounces_of(const chaos::Closure& closure, const chaos::ClosedOrbit& orbit) {
  Returns result;
  const auto flown = bounced(closure, orbit.q, orbit.v, 2 * orbit.period * (1 + 1e-6), 0);
  const auto& time = flown.crossings.time;
  for (std::size_t k = 0; k < time.size() && time[k] <= time[0] + orbit.period * (1 + 1e-6); ++k) {
    const auto [q, v] = bounce(flown.crossings, k, orbit.q.size());
    const auto state = joined(q, v);
    if (k == 0) {
      result.from = state;
      continue;
    }
    result.states.insert(result.states.end(), state.begin(), state.end());
    result.times.push_back(time[k] - time[0]);
  }
  return result;
}

Returns returns_of(const chaos::Closure& closure, const chaos::ClosedOrbit& orbit) {
  if (closure.plane) return bounces_of(closure, orbit);
  Returns result{joined(orbit.q, orbit.v), {}, {}};
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
  const auto flown = sections::fly_alone(problem, closed_method(closure.method, orbit), watch,
                                         {0, orbit.q, orbit.v, orbit.parameters});
  const auto& rows = flown.crossings;
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
int least_returns(const chaos::Closure& closure, const Returns& returns) {
  const int states = closure.states();
  const double* const from = returns.from.data();
  for (int k = 0; k < returns.count(); ++k) {
    if (same(closure, from, returns.states.data() + k * states)) return k + 1;
  }
  return 0;
}

Answer answer(const OrbitSurvey& survey, const std::optional<Guess>& begin) {
  if (!begin) return {infeasible};
  const auto& [start, returns, q, v, parameters] = *begin;
  auto closure = survey.closure(returns, parameters, survey.problem().energy(q, v, parameters));
  const auto guess = survey.billiard ? first_bounces(closure, q, v) : chaos::first_return(closure, q, v);
  if (!guess) return {flown_off};
  closure.units = units_of(survey, q, v, return_time(closure, guess->data()));
  auto orbit = chaos::close(closure, *guess, std::nullopt);
  if (!orbit) return {not_closed};
  Returns passed = returns_of(closure, *orbit);
  const int least = least_returns(closure, passed);
  if (least == 0) return {not_closed};
  if (least < passed.count() || least != returns) {
    closure.returns = least;
    chaos::Unknowns once = orbit->unknowns;
    if (!closure.strobed()) once[closure.states()] = passed.times[static_cast<std::size_t>(least) - 1];
    orbit = chaos::close(closure, once, std::nullopt);
    if (!orbit) return {not_closed};
    passed = returns_of(closure, *orbit);
    if (least_returns(closure, passed) != least) return {not_closed};
  }
  Answer result{found, static_cast<double>(least)};
  result.insert(result.end(), orbit->unknowns.data(), orbit->unknowns.data() + orbit->unknowns.size());
  const auto last = passed.states.begin() + (least - 1) * survey.states();
  result.insert(result.end(), last, last + survey.states());
  result.insert(result.end(), passed.states.begin(), last);
  return result;
}

}  // namespace

integrators::MethodOptions closed_method(integrators::MethodOptions method, const chaos::ClosedOrbit& orbit) {
  method.step = orbit.period / std::max(1.0, std::ceil(orbit.period / method.step - 1e-9));
  return method;
}

FoundOrbits search(const OrbitSurvey& survey, const run::Settings& settings) {
  const double started = parallel::wall_time();
  const Guesses guesses(survey, settings);
  FoundOrbits all;
  all.tasks = guesses.size();
  const auto answers =
      shared_out(all.tasks, settings, [&](std::int64_t task) { return answer(survey, guesses[task]); });
  const int states = survey.states();
  for (std::int64_t task = 0; task < all.tasks; ++task) {
    const Answer& numbers = answers[static_cast<std::size_t>(task)];
    const auto outcome = static_cast<Outcome>(static_cast<int>(numbers.front()));
    all.infeasible += outcome == infeasible;
    all.flown_off += outcome == flown_off;
    all.not_closed += outcome == not_closed;
    if (outcome != found) continue;
    FoundOrbit next;
    const auto [start, returns, q, v, parameters] = *guesses[task];
    next.start = start;
    next.returns = static_cast<int>(numbers[1]);
    next.closure = survey.closure(next.returns, parameters, survey.problem().energy(q, v, parameters));
    const auto size = next.closure.unknowns();
    if (survey.billiard) {
      const auto at = numbers.begin() + 2;
      const auto dim = static_cast<std::ptrdiff_t>(q.size());
      next.closure.plane = chaos::Plane::across({at, at + dim}, {at + dim, at + 2 * dim});
    }
    next.points.assign(numbers.begin() + 2 + size, numbers.end());
    const double* const state = numbers.data() + 2;
    next.closure.units = units_of(survey, q, v, return_time(next.closure, state));
    const bool known = std::ranges::any_of(all.orbits, [&](const FoundOrbit& other) {
      if (other.returns != next.returns || other.closure.parameters != next.closure.parameters ||
          (!next.closure.strobed() &&
           std::abs(other.closure.energy - next.closure.energy) > 1e-9 * (1 + std::abs(next.closure.energy))))
        return false;
      for (int k = 0; k < other.returns; ++k) {
        if (same(next.closure, next.points.data(), other.points.data() + k * states, 10)) return true;
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
  if (all.orbits.empty())
    throw Error(
        all.tasks == 0
            ? fmt::format("no periodic orbit found: {}",
                          survey.recurrences > 0
                              ? "no start's flight returned often enough to come near to itself"
                              : "no two neighbouring starts of the symmetry line have an orbit between them; "
                                "give more starts, or other returns")
            : fmt::format("no periodic orbit found: of {} searches {} didn't close, {} flew off, {} had no "
                          "start; begin nearer to one, or with other returns",
                          all.tasks, all.not_closed, all.flown_off, all.infeasible));
  all.seconds = parallel::wall_time() - started;
  return all;
}

std::string foretold_searches(const OrbitSurvey& survey) {
  const auto starts = survey.starts->size(), numbers = std::ssize(survey.returns);
  if (!survey.reversal.empty())
    return fmt::format(
        "searches between {} starts on the symmetry line, where orbits of {} cross it", starts,
        numbers == 1 ? "one number of returns" : fmt::format("{} numbers of returns", numbers));
  return fmt::format(
      "{}{} searches", survey.recurrences > 0 ? "at most " : "",
      starts * numbers * std::max<std::int64_t>(survey.recurrences > 0 ? survey.closest : 1, 1));
}

std::string describe(const FoundOrbits& found) {
  const auto stable = std::ranges::count_if(found.orbits, [](const FoundOrbit& each) {
    return chaos::stability(each.orbit) == chaos::Stability::stable;
  });
  return fmt::format(
      "{}, {} of them stable, from {} searches ({}): {} came to one again, {} didn't close, {} flew off, {} "
      "had no start",
      found.orbits.size(), stable, found.tasks, run::duration(found.seconds), found.again, found.not_closed,
      found.flown_off, found.infeasible);
}

}  // namespace cotangent::studies
