// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "mechanism" says: the rods and how they begin, the method, what is stored.
#pragma once

#include <optional>
#include <string>

#include "geometry/triangulation.hpp"
#include "rods/rattle.hpp"
#include "studies/particles/pair_choice.hpp"
#include "studies/program/report.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

struct MechanismPlan {
  rods::RodOptions options;
  PairChoice pairs;                                ///< what options.pairs refers to
  std::int64_t steps = 0;                          ///< until the time asked for
  std::int64_t sample_steps = 1;                   ///< from one sample to the next
  std::int64_t samples = 0;                        ///< rows of the result, the start among them
  std::int64_t surface_cells = 0;                  ///< of the surface's picture, along its longest side
  std::optional<geometry::Triangulation> surface;  ///< that the points are held on, for pictures
};

/// A commented deck that runs as it is.
extern const char* const mechanism_example;

/// A surface that holds points, as it is triangulated; it outlives the function.
geometry::LevelFunction level_of(const rods::HoldingSurface<3>& surface);
/// Reads `[model]`, `[surface]` and `[molecules]`, of which each rank makes its share. Collective, as what
/// follows.
template <int D>
rods::RodShare<D> read_rods(Task& task);
/// Reads the rest of the deck but for what read_settings() does, and refuses what it can't mean.
template <int D>
MechanismPlan read_plan(Task& task, const rods::RodShare<D>& rods);
/// What this rank holds of the rods; judges the start, and draws the surface.
template <int D>
rods::RodBlock<D> block_of(Task& task, MechanismPlan& plan, rods::RodShare<D> rods);
/// What the run takes of each rank.
template <int D>
Estimate estimated(const Task& task, const MechanismPlan& plan, const rods::RodBlock<D>& block);
/// A PETSc option that nothing has asked for by the end of a step is misspelt.
template <int D>
void refuse_unknown_options(rods::RodRattle<D>& rattle);

}  // namespace cotangent::studies
