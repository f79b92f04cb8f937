// SPDX-License-Identifier: BSD-3-Clause
// The L2 projection onto continuous, piecewise linear functions of what is constant in each cell, clamped to
// the range of those constants: the way to begin with a jump of D. Shapero, "Overland Flow" (shapero.xyz,
// 2022).
#pragma once

#include "overland/mesh.hpp"

namespace cotangent::overland {

/// One value for each of this rank's cells; returns one for each vertex, ghosts included. Collective.
std::vector<double> projected(const Mesh& mesh, const std::vector<double>& values);

}  // namespace cotangent::overland
