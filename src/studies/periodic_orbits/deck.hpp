// SPDX-License-Identifier: BSD-3-Clause
// What a deck says of a search for periodic orbits and of the families that they belong to.
#pragma once

#include <memory>

#include "billiards/outline.hpp"
#include "chaos/continuation.hpp"
#include "chaos/invariant_manifolds.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

struct OrbitSurvey {
  ModelChoice model;
  std::unique_ptr<const sections::Problem> billiard;  ///< the model's problem, where it is one
  std::shared_ptr<const billiards::Outline> outline;  ///< of a plane billiard
  std::optional<geometry::Triangulation> surface;     ///< on which a particle moves
  integrators::MethodOptions method;
  sections::Section section;  ///< of a billiard none: returns are bounces
  std::vector<int> returns;   ///< to the section, after which an orbit closes
  std::int64_t path = 0;      ///< steps of equal time in which orbits' paths are stored; 0: not at all
  std::unique_ptr<const Ensemble> starts;
  std::int64_t recurrences =
      0;                     ///< returns flown from each start, to begin where these come near to themselves
  std::int64_t closest = 0;  ///< of these, for each number of returns, so many at most
  /// What a reversal makes of a state's numbers, of those that it changes; none: starts aren't those of a
  /// symmetry line.
  std::vector<std::pair<std::size_t, expressions::Expression>> reversal;

  std::optional<int> continued;  ///< a parameter's number, or -1: the energy
  std::string value_name, value_unit;
  chaos::ContinuationRule rule;
  std::int64_t points = 0, bifurcations = 0;  ///< at most so many of each family
  std::int64_t offspring = 0;                 ///< families followed that branch off that of an orbit
  double branch = 0;                          ///< how far from the branching they begin

  std::optional<chaos::ManifoldRule> manifolds;  ///< of hyperbolic orbits, where they are asked for
  std::vector<std::int64_t> manifolds_of;        ///< rows of /orbits; none: of all that are hyperbolic
  std::int64_t homoclinic = 0;                   ///< points of two manifolds, at most

  const sections::Problem& problem() const { return *model.problem; }
  int states() const { return 2 * problem().dim(); }
  /// Of the return map: how many multipliers an orbit has.
  int across() const { return states() - (section.strobe ? 0 : 2) - 2 * problem().constraints(); }
  /// The equations of orbits with these parameters.
  chaos::Closure closure(int returns, std::vector<double> parameters, double energy) const {
    return {model.problem, method, section, returns, std::move(parameters), energy, std::nullopt};
  }
};

OrbitSurvey read_orbit_survey(Task& task);
extern const char* const periodic_orbits_example;

}  // namespace cotangent::studies
