// SPDX-License-Identifier: BSD-3-Clause
#include "studies/periodic_orbits/returns.hpp"

#include "sections/lone_flight.hpp"

namespace cotangent::studies {

namespace {

/// In whole steps from strobe to strobe.
Returns strobed(const OrbitSurvey& survey, const integrators::MethodOptions& method, sections::Start here,
                std::int64_t returns) {
  Returns result;
  const double every = survey.section.strobe->every.evaluate(here.parameters);
  for (std::int64_t k = 1; k <= returns; ++k) {
    auto arc = survey.problem().arc(method, here, every);
    if (arc.status != Status::finished) break;
    here.q = std::move(arc.q);
    here.v = std::move(arc.v);
    result.states.push_back(joined(here.q, here.v));
    result.times.push_back(static_cast<double>(k) * every);
  }
  return result;
}

}  // namespace

State joined(std::vector<double> q, const std::vector<double>& v) {
  q.insert(q.end(), v.begin(), v.end());
  return q;
}

sections::Start Returns::start(int k, const std::vector<double>& parameters) const {
  const State& state = states[static_cast<std::size_t>(k)];
  const auto middle = state.begin() + std::ssize(state) / 2;
  return {0, {state.begin(), middle}, {middle, state.end()}, parameters};
}

Returns fly(const OrbitSurvey& survey, const integrators::MethodOptions& method, const sections::Start& start,
            const sections::StopRule& until) {
  if (survey.section.strobe) return strobed(survey, method, start, until.crossings);
  sections::Observation watch;
  if (!survey.billiard) watch.section = survey.section;
  watch.stop = until;
  const auto rows = sections::fly_alone(survey.problem(), method, watch, start).crossings;
  Returns result{{}, rows.time};
  const auto dim = std::ssize(start.q);
  for (std::ptrdiff_t k = 0; k < std::ssize(rows.time); ++k) {
    if (survey.billiard) {
      const auto q = rows.q.begin() + k * dim, v = rows.v.begin() + k * dim;
      result.states.push_back(joined({q, q + dim}, {v, v + dim}));
    } else {
      const auto state = rows.state.begin() + k * 2 * dim;
      result.states.emplace_back(state, state + 2 * dim);
    }
  }
  return result;
}

}  // namespace cotangent::studies
