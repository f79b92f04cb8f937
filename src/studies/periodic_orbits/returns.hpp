// SPDX-License-Identifier: BSD-3-Clause
// What a flight leaves behind where it returns: at the times of a strobe, on a section, between walls behind
// its bounces. Searches begin with it, and orbits that close are told by it.
#pragma once

#include "studies/periodic_orbits/deck.hpp"

namespace cotangent::studies {

using State = std::vector<double>;  ///< q, then v

State joined(std::vector<double> q, const std::vector<double>& v);

struct Returns {
  std::vector<State> states;  ///< without that at the start
  std::vector<double> times;

  int count() const { return static_cast<int>(times.size()); }
  /// The k-th as a start.
  sections::Start start(int k, const std::vector<double>& parameters) const;
};

/// A flight's returns until it stops; by a strobe after so many.
Returns fly(const OrbitSurvey& survey, const integrators::MethodOptions& method, const sections::Start& start,
            const sections::StopRule& until);

}  // namespace cotangent::studies
