// SPDX-License-Identifier: BSD-3-Clause
// Where searches for periodic orbits begin, for each number n of returns:
//   at each start of the ensemble;
//   where a start's flight comes near to itself: at the states x_k for which |x_(k+n) - x_k| is least
//   (Auerbach, Cvitanovic, Eckmann, Gunaratne, Procaccia, Phys. Rev. Lett. 58 (1987) 2387);
//   on a symmetry line. With a reversal R, R R = 1 and P R P = R for the return map P, an orbit from a
//   point x_0 = R x_0 closes after n returns where x_(n-j) = R x_j, j = n/2 rounded down: there is one
//   equation to solve along the line, by bisection between neighbouring starts (de Vogelaere, Contributions
//   to the Theory of Nonlinear Oscillations 4 (1958) 53; Greene, J. Math. Phys. 20 (1979) 1183).
// Angles are compared modulo 2 pi.
#pragma once

#include <optional>
#include <vector>

#include "run/driver.hpp"
#include "studies/periodic_orbits/deck.hpp"

namespace cotangent::studies {

/// A state from which an orbit may close after so many returns.
struct Guess {
  std::int64_t start = 0;  ///< of the ensemble: where it comes from
  int returns = 1;
  std::vector<double> q, v, parameters;
};

class Guesses {
 public:
  /// Makes those that don't stand in the deck, all of them on each rank. Throws an Error where starts don't
  /// lie on the line or motion isn't reversed, and like shared_out. Collective.
  Guesses(const OrbitSurvey& survey, const run::Settings& settings);
  std::int64_t size() const;
  /// None where a start isn't feasible.
  std::optional<Guess> operator[](std::int64_t number) const;

 private:
  const OrbitSurvey& survey_;
  std::vector<Guess> made_;
};

/// Units for states from this one on, with so much time from return to return.
chaos::Units units_of(const OrbitSurvey& survey, const std::vector<double>& q, const std::vector<double>& v,
                      double return_time);

}  // namespace cotangent::studies
