// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "overland" says but for its fields (start.hpp): the mesh, friction's law,
// boundaries, the scheme and its steps, and what is stored.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expressions/expression.hpp"
#include "overland/flow.hpp"
#include "overland/raster.hpp"
#include "studies/program/report.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

struct OverlandPlan {
  overland::Triangles triangles;         ///< this rank's share, until the landscape is made of it
  std::int64_t vertices = 0, cells = 0;  ///< after refinement
  int refine = 0;
  std::optional<overland::Raster> ground;  ///< the bed's elevation, where a raster gives it; not loaded yet
  std::vector<overland::BoundaryRule> rules;  ///< of the mesh's boundaries, then of the deck's own parts
  /// Where these parts are, for the middles of the boundary's sides; of several the first.
  struct BoundaryPart {
    int boundary;
    io::Table table;
    expressions::Condition where;
  };
  std::vector<BoundaryPart> parts;
  overland::FrictionLaw law;
  double gravity = 1;
  std::string method;
  int stages = 2;
  overland::MiniOptions mini;
  overland::SolverOptions solver;
  overland::SteppingOptions stepping;
  double time = 0, every = 0;
  std::int64_t samples = 0;        ///< the start among them
  std::int64_t frame_samples = 1;  ///< from one frame to the next
  std::int64_t frames = 0;
  std::vector<std::string> petsc_options;

  double sample_time(std::int64_t k) const {
    return k + 1 >= samples ? time : static_cast<double>(k) * every;
  }
  /// Of a landscape that outlives it. Collective.
  std::unique_ptr<overland::Scheme> scheme(const overland::Landscape& landscape) const;
  /// What solves the scheme's systems, for summary and provenance; PETSc runs.
  std::string solver_text() const;
  /// What may help where a run ended so.
  std::string advice(Status status) const;
  /// What the run would take.
  Estimate estimate(const io::FileOptions& options) const;
};

/// A commented deck that runs as it is.
extern const char* const overland_example;

/// Throws Error for a PETSc option that nothing has asked for after the first solve: it must be misspelt.
void refuse_unknown_options();
/// Reads all of the deck but the fields on the mesh. Collective.
OverlandPlan read_overland_plan(Task& task);

/// A path that the deck gives: beside the deck if it is there, else as it stands.
std::string deck_path(const Task& task, const std::string& name);
/// A raster of which nothing is loaded; where the deck is only checked, or estimated, it is read all the
/// same. Collective.
overland::Raster deck_raster(const Task& task, const std::string& name);
/// The rows [time, value] of the key `table`, values at least 0. Throws Error that names the row.
overland::TimeSeries read_time_series(const io::Table& table);
/// The key `where`, a condition of x and y. Throws Error that names it.
expressions::Condition read_where(const io::Table& table);

}  // namespace cotangent::studies
