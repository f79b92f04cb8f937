// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/search.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/error.hpp"
#include "parallel/mpi.hpp"
#include "run/terminal.hpp"
#include "studies/periodic_orbits/guesses.hpp"
#include "studies/periodic_orbits/returns.hpp"
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

/// A billiard's orbits begin between bounces, on the plane across their velocity there: first at a quarter of
/// the flight that follows the next bounce (thrown up, it rests at half). The period is the time until, after
/// all bounces, the flight comes by again.
std::optional<chaos::Unknowns> first_bounces(const OrbitSurvey& survey, chaos::Closure& closure,
                                             const std::vector<double>& q, const std::vector<double>& v) {
  const auto last = static_cast<std::size_t>(closure.returns);
  sections::StopRule until;
  until.crossings = closure.returns + 2;
  const Returns bounces = fly(survey, closure.method, {0, q, v, closure.parameters}, until);
  const auto& time = bounces.times;
  if (bounces.count() < until.crossings) return std::nullopt;
  const double early = (time[1] - time[0]) / 4, length = time[last + 1] - time[last];
  const auto first = bounces.start(0, closure.parameters),
             end = bounces.start(closure.returns, closure.parameters);
  const auto begin = closure.problem->arc(closure.method, first, early);
  if (begin.status != Status::finished) return std::nullopt;
  closure.plane = chaos::Plane::across(begin.q, begin.v);
  const double late = chaos::passing_time(closure, begin.v, end, early, length);
  auto z = joined(begin.q, begin.v);
  z.push_back(time[last] + late - time[0] - early);
  return Eigen::Map<const chaos::Unknowns>(z.data(), std::ssize(z));
}

/// The returns of one period, with the times since `from`: the state that the last one is to be, that at the
/// beginning, or between walls that behind the first bounce.
struct Period {
  State from;
  Returns returns;
};
Period period_of(const OrbitSurvey& survey, const chaos::Closure& closure, const chaos::ClosedOrbit& orbit) {
  const double whole = orbit.period * (1 + 1e-6);
  const bool sectioned = !closure.strobed() && !survey.billiard;
  sections::StopRule until;
  until.crossings = closure.strobed() ? closure.returns : 0;
  until.time = survey.billiard ? 2 * whole : whole;
  until.patience = std::int64_t{1} << 40;
  const Returns flown = fly(survey, sectioned ? closed_method(closure.method, orbit) : closure.method,
                            {0, orbit.q, orbit.v, orbit.parameters}, until);
  Period result{joined(orbit.q, orbit.v), {}};
  double begin = 0;
  for (std::size_t k = 0; k < flown.times.size(); ++k) {
    const double time = flown.times[k] - begin;
    if (survey.billiard && k == 0) {
      result.from = flown.states[0];
      begin = flown.times[0];
    } else if (time <= whole && !(sectioned && time < 1e-6 * orbit.period)) {  // the beginning itself
      result.returns.states.push_back(flown.states[k]);
      result.returns.times.push_back(time);
    }
  }
  return result;
}

/// The least number of returns after which the orbit is closed; 0 where it doesn't come back to its start.
int least_returns(const chaos::Closure& closure, const Period& period) {
  const auto& states = period.returns.states;
  const auto closed = std::ranges::find_if(
      states, [&](const State& state) { return same(closure, period.from.data(), state.data()); });
  return closed == states.end() ? 0 : static_cast<int>(closed - states.begin()) + 1;
}

Answer answer(const OrbitSurvey& survey, const std::optional<Guess>& begin) {
  if (!begin) return {infeasible};
  const auto& [start, returns, q, v, parameters] = *begin;
  auto closure = survey.closure(returns, parameters, survey.problem().energy(q, v, parameters));
  const auto guess =
      survey.billiard ? first_bounces(survey, closure, q, v) : chaos::first_return(closure, q, v);
  if (!guess) return {flown_off};
  closure.units = units_of(survey, q, v, return_time(closure, guess->data()));
  auto orbit = chaos::close(closure, *guess, std::nullopt);
  if (!orbit) return {not_closed};
  Period passed = period_of(survey, closure, *orbit);
  const int least = least_returns(closure, passed);
  if (least == 0) return {not_closed};
  if (least < passed.returns.count() || least != returns) {
    closure.returns = least;
    chaos::Unknowns once = orbit->unknowns;
    if (!closure.strobed())
      once[closure.states()] = passed.returns.times[static_cast<std::size_t>(least - 1)];
    orbit = chaos::close(closure, once, std::nullopt);
    if (!orbit) return {not_closed};
    passed = period_of(survey, closure, *orbit);
    if (least_returns(closure, passed) != least) return {not_closed};
  }
  Answer result{found, static_cast<double>(least)};
  result.insert(result.end(), orbit->unknowns.data(), orbit->unknowns.data() + orbit->unknowns.size());
  auto& states = passed.returns.states;
  states.resize(static_cast<std::size_t>(least));
  std::rotate(states.begin(), states.end() - 1, states.end());
  for (const State& state : states) result.insert(result.end(), state.begin(), state.end());
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
