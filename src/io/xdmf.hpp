// An XDMF file beside a result, with which ParaView ("XDMF Reader") and VisIt read the HDF5 data sets as
// moving points, alone or joined by lines, with the surface that they are on. Reference: XDMF 2 model and
// format. Limit: ParaView's "Xdmf3 Reader" (seen in 5.11) knows no part of a data set as a geometry and shows
// the surface alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cotangent::io {

/// Points in `dimension` coordinates, data sets [times, points, dimension], joined by `lines` pairs of points
/// in the data set /particles/ends, or by none; and /surface, if the result has one. `times` end where they
/// don't rise. Written by rank 0. Collective.
void write_particles_xdmf(const std::filesystem::path& result, const std::vector<double>& times,
                          std::int64_t points, int dimension, std::int64_t lines);

/// Water on /mesh at these times, with its depth, discharge and bed; `times` end where they don't rise.
/// Written by rank 0. Collective.
void write_water_xdmf(const std::filesystem::path& result, const std::vector<double>& times);

/// A grid of `length` sites along x and `rows` rows, whose places are /lattice/position [times, sites, 3], as
/// a surface; with /lattice/v as an attribute where it has three columns. Collective.
void write_grid_xdmf(const std::filesystem::path& result, const std::vector<double>& times,
                     std::int64_t length, std::int64_t rows);

}  // namespace cotangent::io
