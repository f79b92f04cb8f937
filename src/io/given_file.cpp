// SPDX-License-Identifier: BSD-3-Clause
#include "io/given_file.hpp"

#include <filesystem>

namespace cotangent::io {

File open_given(const Table& table, const std::string& key) {
  const std::filesystem::path path = table.input_file(key);
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) {
    // A pipe's other end may never come.
    if (!std::filesystem::is_regular_file(path, unknown))
      throw table.error(key, path.string() + " is no regular file");
    if (!is_hdf5(path)) throw table.error(key, path.string() + " is no HDF5 file");
  }
  return File::open(path);
}

}  // namespace cotangent::io
