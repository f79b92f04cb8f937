// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/guesses.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <span>

#include "core/error.hpp"
#include "studies/periodic_orbits/returns.hpp"
#include "studies/program/shared_out.hpp"

namespace cotangent::studies {

namespace {

/// A flight's states at its start and at its returns.
struct Passages {
  std::vector<State> states;
  chaos::Closure closure;  ///< with units for these states
};
Passages pass(const OrbitSurvey& survey, const sections::Start& start, std::int64_t returns) {
  sections::StopRule until;
  until.crossings = returns;
  Returns flown = fly(survey, survey.method, start, until);
  const double return_time = flown.count() == 0 ? 1 : flown.times.back() / flown.count();
  flown.states.insert(flown.states.begin(), joined(start.q, start.v));
  Passages passages{std::move(flown.states), survey.closure(1, start.parameters, 0)};
  passages.closure.units = units_of(survey, start.q, start.v, return_time);
  return passages;
}

/// What a task answers: guesses, one after the other, each its returns and its state.
void add(Answer& answer, int returns, const State& state) {
  answer.push_back(returns);
  answer.insert(answer.end(), state.begin(), state.end());
}

/// Of a flight's states from each other, in their units: as Closure::difference has it, for all pairs.
class Distance {
 public:
  explicit Distance(const Passages& passages) : width_(passages.states[0].size()), angle_(width_) {
    const auto& problem = *passages.closure.problem;
    const auto coordinates = problem.coordinates();
    const Eigen::VectorXd unit = passages.closure.units.of_state(problem);
    for (const State& state : passages.states) {
      for (std::size_t i = 0; i < width_; ++i)
        scaled_.push_back(state[i] / unit[static_cast<Eigen::Index>(i)]);
    }
    for (std::size_t i = 0; i < coordinates.size(); ++i) angle_[i] = coordinates[i].angle;
  }
  double squared(std::size_t a, std::size_t b) const {
    const double *const x = &scaled_[a * width_], *const y = &scaled_[b * width_];
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) {
      const double off = angle_[i] != 0 ? std::remainder(x[i] - y[i], 2 * std::numbers::pi) : x[i] - y[i];
      sum += off * off;
    }
    return sum;
  }

 private:
  std::size_t width_;
  std::vector<double> scaled_;
  std::vector<char> angle_;
};

/// The states that come nearest to themselves after n returns. Of those that are nearer to each other than
/// they move in n returns, and so belong to one orbit as a rule, the first.
std::vector<std::size_t> closest(const Passages& passages, std::size_t n, std::size_t most) {
  const auto& states = passages.states;
  const Distance between(passages);
  std::vector<double> moved;
  for (std::size_t k = 0; k + n < states.size(); ++k) moved.push_back(std::sqrt(between.squared(k + n, k)));
  std::vector<std::size_t> order(moved.size()), chosen;
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return moved[k]; });
  const auto of_one_orbit = [&](std::size_t k, std::size_t other) {
    const double least = std::pow(0.5 * (moved[k] + moved[other]), 2);
    for (std::size_t j = 0; j < n; ++j) {
      if (between.squared(k, other + j) <= least) return true;
    }
    return false;
  };
  for (const std::size_t k : order) {
    if (chosen.size() == most) break;
    if (std::ranges::none_of(chosen, [&](std::size_t other) { return of_one_orbit(k, other); }))
      chosen.push_back(k);
  }
  return chosen;
}

Answer recurrences(const OrbitSurvey& survey, std::int64_t id) {
  const EnsembleStart start = (*survey.starts)[id];
  Answer answer;
  if (!start.feasible) return answer;
  const Passages passages = pass(survey, start.start, survey.recurrences);
  for (const int n : survey.returns) {
    for (const std::size_t k :
         closest(passages, static_cast<std::size_t>(n), static_cast<std::size_t>(survey.closest)))
      add(answer, n, passages.states[k]);
  }
  return answer;
}

State reversed(const OrbitSurvey& survey, const State& state, const std::vector<double>& parameters) {
  const auto dim = state.size() / 2;
  const auto variables =
      survey.problem().variables({state.data(), dim}, {state.data() + dim, dim}, parameters, 0);
  State image = state;
  for (const auto& [number, formula] : survey.reversal) image[number] = formula.evaluate(variables);
  return image;
}

/// x_(n-j) - R x_j for some n of a flight; none where it ends sooner.
std::optional<Eigen::VectorXd> off_symmetry(const OrbitSurvey& survey, const Passages& passages, int n) {
  const auto j = static_cast<std::size_t>(n / 2), k = static_cast<std::size_t>(n) - j;
  if (k >= passages.states.size()) return std::nullopt;
  const State image = reversed(survey, passages.states[j], passages.closure.parameters);
  return passages.closure.difference(passages.states[k].data(), image.data());
}

constexpr double round_off = 1e-9;  ///< in units in which states are of order 1

/// The part of the way between two starts at which a number that changes its sign there vanishes, with all
/// others: those that a jump or their own zero makes are none.
std::optional<double> zero_between(const std::function<std::optional<Eigen::VectorXd>(double)>& off,
                                   const Eigen::VectorXd& first, const Eigen::VectorXd& last,
                                   Eigen::Index number) {
  double a = 0, b = 1;
  const double at_first = first[number], size = std::max(first.norm(), last.norm());
  for (int round = 0; round < 60; ++round) {
    const double middle = (a + b) / 2;
    const auto here = off(middle);
    if (!here) return std::nullopt;
    if (here->norm() <= 1e-6 * size) return middle;
    (((*here)[number] > 0) == (at_first > 0) ? a : b) = middle;
  }
  return std::nullopt;
}

void refuse_if_off_line(const OrbitSurvey& survey, std::int64_t id, const Passages& passages) {
  const State& state = passages.states[0];
  const State image = reversed(survey, state, passages.closure.parameters);
  Eigen::Index farthest = 0;
  const Eigen::VectorXd off = passages.closure.difference(image.data(), state.data());
  if (off.cwiseAbs().maxCoeff(&farthest) <= round_off) return;
  const auto number = static_cast<std::size_t>(farthest);
  throw Error(
      fmt::format("[orbits] reversal: start {} isn't on its line: {} is {:.6g} there, and {:.6g} by the "
                  "reversal; give starts that it leaves where they are",
                  id, survey.problem().variable_names()[number], state[number], image[number]));
}

Answer on_symmetry_line(const OrbitSurvey& survey, std::int64_t id) {
  const Ensemble& starts = *survey.starts;
  Answer answer;
  const int longest = *std::ranges::max_element(survey.returns), most = longest - longest / 2;
  const EnsembleStart here = starts[id];
  if (!here.feasible) return answer;
  const Passages first = pass(survey, here.start, most);
  refuse_if_off_line(survey, id, first);
  const bool followed = starts.is_followed(id) && starts[id + 1].feasible;
  const std::optional<Passages> last =
      followed ? std::optional(pass(survey, starts[id + 1].start, most)) : std::nullopt;
  for (const int n : survey.returns) {
    const auto at_first = off_symmetry(survey, first, n);
    if (!at_first) continue;
    if (at_first->norm() <= round_off) {
      add(answer, n, first.states[0]);
      continue;
    }
    const auto at_last = last ? off_symmetry(survey, *last, n) : std::nullopt;
    if (!at_last) continue;
    const auto off = [&](double part) -> std::optional<Eigen::VectorXd> {
      const EnsembleStart between = starts.between(id, part);
      if (!between.feasible) return std::nullopt;
      Passages passages = pass(survey, between.start, n - n / 2);
      passages.closure.units = first.closure.units;
      return off_symmetry(survey, passages, n);
    };
    for (Eigen::Index number = 0; number < at_first->size(); ++number) {
      const double from = (*at_first)[number], to = (*at_last)[number];
      if (!(std::min(std::abs(from), std::abs(to)) > round_off) || (from > 0) == (to > 0)) continue;
      const auto part = zero_between(off, *at_first, *at_last, number);
      if (!part) continue;
      const auto at = starts.between(id, *part).start;
      add(answer, n, joined(at.q, at.v));
      break;
    }
  }
  return answer;
}

/// P R P x = R x is asked of the first start that returns.
void refuse_if_not_reversed(const OrbitSurvey& survey) {
  const Ensemble& starts = *survey.starts;
  for (std::int64_t id = 0; id < std::min<std::int64_t>(starts.size(), 1000); ++id) {
    const EnsembleStart start = starts[id];
    if (!start.feasible) continue;
    const Passages there = pass(survey, start.start, 1);
    if (there.states.size() < 2) continue;
    refuse_if_off_line(survey, id, there);
    const auto& parameters = start.start.parameters;
    const State turned = reversed(survey, there.states[1], parameters);
    const auto middle = turned.begin() + std::ssize(start.start.q);
    const Passages back = pass(survey, {id, {turned.begin(), middle}, {middle, turned.end()}, parameters}, 1);
    const State image = reversed(survey, there.states[0], parameters);
    // Steps cut the two flights at other places: they agree as well as the method has them.
    if (back.states.size() == 2 &&
        there.closure.difference(back.states[1].data(), image.data()).norm() <= 1e-4)
      return;
    throw Error(fmt::format(
        "[orbits] reversal: doesn't reverse the motion: from start {} to its first return, from that one's "
        "image to the next, should lead to the start's image",
        id));
  }
}

}  // namespace

chaos::Units units_of(const OrbitSurvey& survey, const std::vector<double>& q, const std::vector<double>& v,
                      double return_time) {
  return chaos::Units::of(survey.problem(), q, v, return_time / 4);
}

Guesses::Guesses(const OrbitSurvey& survey, const run::Settings& settings) : survey_(survey) {
  if (survey.recurrences == 0 && survey.reversal.empty()) return;
  if (!survey.reversal.empty()) refuse_if_not_reversed(survey);
  const auto answers = shared_out(survey.starts->size(), settings, [&](std::int64_t id) {
    return survey.recurrences > 0 ? recurrences(survey, id) : on_symmetry_line(survey, id);
  });
  const std::ptrdiff_t dim = survey.problem().dim();
  for (std::size_t id = 0; id < answers.size(); ++id) {
    for (auto at = answers[id].begin(); at != answers[id].end(); at += 1 + 2 * dim) {
      const auto start = static_cast<std::int64_t>(id);
      made_.push_back({start,
                       static_cast<int>(*at),
                       {at + 1, at + 1 + dim},
                       {at + 1 + dim, at + 1 + 2 * dim},
                       survey.starts->parameters(start)});
    }
  }
}

std::int64_t Guesses::size() const {
  if (survey_.recurrences > 0 || !survey_.reversal.empty()) return std::ssize(made_);
  return survey_.starts->size() * std::ssize(survey_.returns);
}

std::optional<Guess> Guesses::operator[](std::int64_t number) const {
  if (survey_.recurrences > 0 || !survey_.reversal.empty()) return made_[static_cast<std::size_t>(number)];
  const auto choices = std::ssize(survey_.returns);
  const EnsembleStart start = (*survey_.starts)[number / choices];
  if (!start.feasible) return std::nullopt;
  const auto& [id, q, v, parameters] = start.start;
  return Guess{id, survey_.returns[static_cast<std::size_t>(number % choices)], q, v, parameters};
}

}  // namespace cotangent::studies
