// An XDMF file beside a result, with which ParaView and VisIt read the HDF5 data sets as moving points joined
// by lines. Reference: XDMF 3 model and format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cotangent::io {

/// Points in `dimension` coordinates, data sets [times, points, dimension], joined by `lines` pairs of points
/// in the data set /particles/ends. Written by rank 0. Collective.
void write_particles_xdmf(const std::filesystem::path& result, const std::vector<double>& times,
                          std::int64_t points, int dimension, std::int64_t lines);

}  // namespace cotangent::io
