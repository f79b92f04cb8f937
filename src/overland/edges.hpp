// SPDX-License-Identifier: BSD-3-Clause
// The edges of a mesh, for schemes whose unknowns stand there, and the cells on both sides of each, whichever
// rank has them. An edge goes from the end of lower id to that of higher id; the cell on the left of this way
// is the one with sign +1, the other has -1, so that fluxes to the right leave the first and enter the
// second. An edge is owned by the rank of its left cell, one on the boundary by that of its only cell.
#pragma once

#include "overland/mesh.hpp"

namespace cotangent::overland {

struct Edges {
  struct OfCell {
    std::array<int, 3> edge;     ///< opposite to each vertex
    std::array<double, 3> sign;  ///< +1 where the cell is on the edge's left
  };
  std::vector<OfCell> of_cell;
  std::vector<std::array<int, 2>> ends;  ///< vertices; the edges that this rank owns first
  std::vector<int> side;                 ///< among the mesh's sides; -1 between two cells
  int own = 0;
  std::vector<PetscInt> number;  ///< among all edges
};

/// Collective, as below.
Edges edges(const Mesh& mesh);
/// Of each of this rank's cells the row of /mesh/cells, whatever the number of ranks.
std::vector<std::int64_t> cell_ids(const Mesh& mesh);

}  // namespace cotangent::overland
