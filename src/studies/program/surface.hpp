// SPDX-License-Identifier: BSD-3-Clause
// The surface on which an ensemble of particles moves, as triangles in its result: /surface/vertices,
// /surface/normals, /surface/triangles. A bounded surface is there as a whole; of an unbounded one, the box
// that a part of the ensemble reaches when it flies ahead.
#pragma once

#include <optional>
#include <vector>

#include "geometry/triangulation.hpp"
#include "particles/grid.hpp"
#include "run/records.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// Triangulates the surface for the first combination of the model's parameters, with cubes of which
/// `plan.surface_cells` fill its longest side; nothing where the model is no particle on a surface. The same
/// on every rank.
std::optional<geometry::Triangulation> surface_of(const Plan& plan, const Ensemble& ensemble);

/// What becomes of a surface that is unbounded and has no periods.
enum class Unbounded {
  refused,
  cut,  ///< by a box around the points, twice as long as they need
};

/// The surface within its periods, or all of it where it is bounded and has none, from points on it, with
/// cubes of which `cells` fill the longest side. The same on every rank. Throws Error where it doesn't repeat
/// after them (`model` names them), is unbounded where that is refused, or couldn't be triangulated.
geometry::Triangulation surface_within(const geometry::LevelFunction& g,
                                       std::vector<geometry::SpacePoint> points,
                                       const particles::Periods& periods, std::int64_t cells,
                                       const io::Table& model, Unbounded unbounded = Unbounded::refused);

/// The data sets of a surface.
std::vector<io::DataSetSpec> data_sets(const geometry::Triangulation& surface, const std::string& unit);

/// Enters them, by one rank.
void write(run::Records& records, const geometry::Triangulation& surface);

}  // namespace cotangent::studies
