// SPDX-License-Identifier: BSD-3-Clause
// The search for periodic orbits over all ranks: from each guess (guesses.hpp) Gauss and Newton's iteration
// to an orbit that closes. An orbit is told once, however many guesses lead to it, and by its least number of
// returns. The answer depends on the deck alone.
#pragma once

#include "run/driver.hpp"
#include "studies/periodic_orbits/deck.hpp"

namespace cotangent::studies {

struct FoundOrbit {
  std::int64_t start = 0;  ///< of the ensemble: from where it was found
  int returns = 1;
  chaos::Closure closure;  ///< nothing continued
  chaos::ClosedOrbit orbit;
  /// On the section, of a billiard after bounces: a row of (q, v) for each return, the orbit's own first.
  std::vector<double> points;
};

struct FoundOrbits {
  std::vector<FoundOrbit> orbits;
  std::int64_t tasks = 0, infeasible = 0, flown_off = 0, not_closed = 0, again = 0;
  double seconds = 0;  ///< that the search took
};

/// The method with the steps by which an orbit closes, equal parts of its period: by others it does to the
/// method's accuracy alone.
integrators::MethodOptions closed_method(integrators::MethodOptions method, const chaos::ClosedOrbit& orbit);

/// At least one, or an Error. Collective.
FoundOrbits search(const OrbitSurvey& survey, const run::Settings& settings);
/// How many searches there will be, or where, of a run that isn't made.
std::string foretold_searches(const OrbitSurvey& survey);
/// What came of it, in a line.
std::string describe(const FoundOrbits& found);

}  // namespace cotangent::studies
