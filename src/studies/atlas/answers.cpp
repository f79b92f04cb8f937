// SPDX-License-Identifier: BSD-3-Clause
#include "studies/atlas/answers.hpp"

#include <algorithm>
#include <cmath>

#include "chaos/indicators.hpp"

namespace cotangent::studies {

namespace {

/// A mean of those that are numbers; NaN of none.
struct Mean {
  double sum = 0, count = 0;
  void add(double x) {
    if (!std::isfinite(x)) return;
    sum += x;
    ++count;
  }
  double value() const { return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN(); }
};

}  // namespace

const std::vector<Answer>& atlas_answers() {
  static const std::vector<Answer> list{
      {"forbidden", "share of the starts that this energy doesn't allow"},
      {"chaotic", "share of the allowed starts whose orbits stay and are chaotic"},
      {"regular", "share of the allowed starts whose orbits stay and are regular"},
      {"undecided", "share of the allowed starts whose orbits stay and are neither for sure"},
      {"escaped", "share of the allowed starts that leave by an exit"},
      {"left", "share of the allowed starts that end where the model does: a contact, a collision, a corner"},
      {"failed", "share of the allowed starts whose orbits the method lost"},
      {"lyapunov", "largest Lyapunov exponent of the orbits that stay"},
      {"mean_lyapunov", "mean over the orbits that stay of the largest Lyapunov exponent"},
      {"rotation", "mean over the regular orbits of the rotation number, in turns about their own centre"},
      {"islands", "largest number of islands that one of the regular orbits visits in turn; 1: a curve"},
      {"escape_time", "mean time of those that leave by an exit"},
      {"energy_error", "largest |E - E0| over all steps of all orbits"},
      {"steps", "steps of all orbits"}};
  return list;
}

std::vector<double> answers(const std::vector<Outcome>& orbits) {
  double allowed = 0, by_verdict[3] = {0, 0, 0}, escaped = 0, left = 0, failed = 0, energy_error = 0,
         steps = 0;
  constexpr double none = -std::numeric_limits<double>::infinity();
  double largest = none, islands = none;
  Mean exponent, rotation, time;
  for (const Outcome& orbit : orbits) {
    if (orbit.status == Status::infeasible_start) continue;
    ++allowed;
    steps += orbit.steps;
    if (std::isfinite(orbit.energy_error)) energy_error = std::max(energy_error, orbit.energy_error);
    if (orbit.escaped) {
      ++escaped;
      time.add(orbit.time);
    } else if (orbit.status == Status::left_domain) {
      ++left;
    } else if (is_failure(orbit.status) || orbit.status == Status::section_not_met) {
      ++failed;
    } else if (!is_whole(orbit.status)) {
      ++left;  // into a corner, a cusp, without end along a wall
    } else {
      ++by_verdict[static_cast<std::size_t>(orbit.verdict)];
      exponent.add(orbit.exponent);
      if (std::isfinite(orbit.exponent)) largest = std::max(largest, orbit.exponent);
      if (orbit.verdict == static_cast<double>(chaos::Verdict::regular)) {
        rotation.add(orbit.rotation);
        if (std::isfinite(orbit.islands)) islands = std::max(islands, orbit.islands);
      }
    }
  }
  const auto number = [](double x) {
    return std::isfinite(x) ? x : std::numeric_limits<double>::quiet_NaN();
  };
  const auto share = [&](double count) { return count / allowed; };  // NaN where nothing is allowed
  return {1 - allowed / static_cast<double>(orbits.size()),
          share(by_verdict[static_cast<std::size_t>(chaos::Verdict::chaotic)]),
          share(by_verdict[static_cast<std::size_t>(chaos::Verdict::regular)]),
          share(by_verdict[static_cast<std::size_t>(chaos::Verdict::undecided)]),
          share(escaped),
          share(left),
          share(failed),
          number(largest),
          exponent.value(),
          rotation.value(),
          number(islands),
          time.value(),
          energy_error,
          steps};
}

}  // namespace cotangent::studies
