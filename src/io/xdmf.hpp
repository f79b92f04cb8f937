// SPDX-License-Identifier: BSD-3-Clause
// An XDMF file beside a result, with which ParaView ("XDMF Reader") and VisIt read the HDF5 data sets as
// moving points, alone or joined by lines, with the surface that they are on. Reference: XDMF 2 model and
// format. Limit: ParaView's "Xdmf3 Reader" (seen in 5.11) knows no part of a data set as a geometry and shows
// the surface alone.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cotangent::io {

/// The data sets /particles/position and velocity [times, points, coordinates], with the pairs of points in
/// /particles/ends as lines and with /surface, where the result has them. Times after which they no longer
/// rise are left out: the run ended before. Written by rank 0. Collective.
void write_particles_xdmf(const std::filesystem::path& result);

/// Water on /mesh at /water/time, with its depth, discharge and bed. Written by rank 0. Collective.
void write_water_xdmf(const std::filesystem::path& result);

/// A grid of `length` sites along x and `rows` rows, whose places are /lattice/position [times, sites, 3], as
/// a surface; with /lattice/v as an attribute where it has three columns. Collective.
void write_grid_xdmf(const std::filesystem::path& result, std::int64_t length, std::int64_t rows);

}  // namespace cotangent::io
