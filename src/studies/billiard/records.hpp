// SPDX-License-Identifier: BSD-3-Clause
// What a result of study = "billiard" holds beyond that of an ensemble: the domain, and what its walls took.
#pragma once

#include "billiards/outline.hpp"
#include "geometry/triangulation.hpp"
#include "studies/ensemble/deck.hpp"
#include "studies/ensemble/start.hpp"

namespace cotangent::studies {

/// The box of all points inside, found on nested grids about the starts; an unbounded domain is cut around
/// them.
template <int D>
std::array<billiards::Vector<D>, 2> box_of(const billiards::Domain<D>& domain, const Ensemble& ensemble);
extern template std::array<billiards::Vector<2>, 2> box_of<2>(const billiards::Domain<2>&, const Ensemble&);

/// The outline as the result holds it.
Given outline_set(const billiards::Outline& outline);

/// The walls of a domain in space as triangles, their normals into it, from points where rays from the starts
/// meet them; nothing where it has no bounds.
std::optional<geometry::Triangulation> walls_of(const billiards::Domain<3>& domain, const Ensemble& ensemble,
                                                std::int64_t cells);

/// What is counted of each particle, a column for each set.
std::vector<io::DataSetSpec> billiard_tallies(const std::vector<std::string>& walls, std::int64_t particles,
                                              bool lyapunov, bool compared,
                                              const std::vector<std::string>& exits);

}  // namespace cotangent::studies
