// SPDX-License-Identifier: BSD-3-Clause
// What the map says of a point: numbers of the orbits that start there.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "core/status.hpp"

namespace cotangent::studies {

struct Answer {
  std::string name, meaning;
};

/// The answers, in the order in which a point has them.
const std::vector<Answer>& atlas_answers();

/// What became of one orbit.
struct Outcome {
  Status status = Status::pending;
  bool escaped = false;  ///< through an exit that the deck names
  double verdict = 0, exponent = std::numeric_limits<double>::quiet_NaN();
  double rotation = std::numeric_limits<double>::quiet_NaN();  ///< turns from crossing to crossing
  double islands = std::numeric_limits<double>::quiet_NaN();   ///< that its crossings visit
  double time = 0, energy_error = 0, steps = 0;
};

/// A point's answers, from all its orbits in the order of their numbers.
std::vector<double> answers(const std::vector<Outcome>& orbits);

}  // namespace cotangent::studies
