// SPDX-License-Identifier: BSD-3-Clause
// An XDMF file beside a result, with which ParaView and VisIt read the HDF5 data sets as moving points, alone
// or joined by lines, with the surface that they are on, as water and as sheets. Reference: XDMF model and
// format, versions 2 and 3. Each of ParaView's three readers ("XDMF Reader", "Xdmf3 Reader S", "Xdmf3 Reader
// T"; seen in 5.11) finds all arrays at all times, which tests/paraview shows.
#pragma once

#include <cstdint>
#include <filesystem>

namespace cotangent::io {

/// The data sets /particles/position and velocity [times, points, coordinates] (of two coordinates as vx and
/// vy), with the pairs of points in /particles/ends as lines and with /surface, where the result has them.
/// Times after which they no longer rise are left out: the run ended before. Written by rank 0. Collective.
void write_particles_xdmf(const std::filesystem::path& result);

/// Water on /mesh at /water/time, with its depth, discharge and bed. Written by rank 0. Collective.
void write_water_xdmf(const std::filesystem::path& result);

/// A grid of `length` sites along x and `rows` rows, whose places are /lattice/position [times, sites, 3], as
/// a surface; with /lattice/v as an attribute where it has three columns. Collective.
void write_grid_xdmf(const std::filesystem::path& result, std::int64_t length, std::int64_t rows);

}  // namespace cotangent::io
