// SPDX-License-Identifier: BSD-3-Clause
// HDF5's calls as hdf5.cpp and hdf5_texts.cpp make them: where one fails, a FileError names the file, what
// was done, and HDF5's reason; properties and spaces that both use.
#pragma once

#include <cstdint>
#include <filesystem>
#include <hdf5.h>
#include <string>
#include <vector>

#include "io/hdf5.hpp"

namespace cotangent::io {

/// Throws what HDF5 says of its last call.
[[noreturn]] void fail_call(const std::filesystem::path& file, const std::string& operation);

/// Where a call of HDF5 goes wrong it returns a negative number.
template <class Result>
Result check(Result result, const std::filesystem::path& file, const std::string& operation) {
  if (result < 0) fail_call(file, operation);
  return result;
}

Hdf5Handle properties(hid_t kind);
/// Texts of this length, or H5T_VARIABLE.
Hdf5Handle text_type(std::size_t length);
Hdf5Handle space_of(const std::vector<std::int64_t>& dims);
/// Dates are kept out of the objects, so that equal content is equal bytes; groups come with what is in them.
Hdf5Handle link_properties();
Hdf5Handle data_set_properties();

}  // namespace cotangent::io
