// SPDX-License-Identifier: BSD-3-Clause
// The names of a result's dimensions (time, particle, component ...), so that xarray and netCDF's tools read
// its groups with them. Reference: HDF5 Dimension Scale Specification; netCDF-4's use of it, NetCDF User's
// Guide, appendix C.
#pragma once

#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace cotangent::io {

/// The dimensions of each of these data sets, in their order. In a group, one name has one length: where a
/// study's own shapes would contradict, and for shapes that nobody has named, a dimension is called after its
/// data set.
std::vector<std::vector<std::string>> dimension_names(const std::vector<DataSetSpec>& specs);
/// Gives them to the data sets of a file, but for those of the run.
void name_dimensions(File& file, const std::vector<DataSetSpec>& specs);

}  // namespace cotangent::io
