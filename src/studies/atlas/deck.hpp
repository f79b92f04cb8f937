// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "atlas" says: an ensemble of starts, what of it is swept across and up the map, and
// where the map is refined.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// What the map has along a side.
struct AtlasSide {
  enum class Kind { parameter, energy, variable };
  std::string name, unit = "1";
  Kind kind = Kind::energy;
  int index = 0;  ///< of the parameter, or of the coordinate or velocity
  std::vector<double> values;
};

struct AtlasPlan {
  Plan plan;
  std::unique_ptr<const sections::Problem> billiard;  ///< the plan's problem, where it is one
  std::size_t exit_tallies = 0;  ///< how many tallies of an orbit, its last, tell its exit, first which
  AtlasSide across;
  std::optional<AtlasSide> up;  ///< none: a line of points
  int levels = 0;
  double tolerance = 0.1;           ///< how far answers of a cell's corners may be apart
  std::vector<std::size_t> judged;  ///< which of the answers; numbers of atlas_answers()
  int plane = -1;                   ///< the coordinate in whose plane crossings turn about; -1: nobody looks

  std::int64_t width() const { return std::ssize(across.values); }
  std::int64_t height() const { return up ? std::ssize(up->values) : 1; }
};

/// Reads what moves, up to when, and by which exits it leaves: a model on a section, or between walls.
/// Returns the section on which orbits start, where there is one.
std::optional<sections::Section> read_moving(Task& task, AtlasPlan& atlas);
/// Reads `[atlas]`, given the model, method and ensemble; and refuses sweeps that the map has no side for.
void read_atlas(Task& task, AtlasPlan& atlas, const Ensemble& ensemble);
/// The ensemble at one point of the map.
Ensemble ensemble_at(const AtlasPlan& atlas, const Ensemble& ensemble, std::int64_t point);

}  // namespace cotangent::studies
