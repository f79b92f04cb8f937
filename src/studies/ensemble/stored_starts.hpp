// SPDX-License-Identifier: BSD-3-Clause
// Whole states in a file of the user's: a data set /starts [n, 2N], q then v. They are read as they are asked
// for, some rows at a time, so that memory does not grow with their number.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/deck.hpp"
#include "io/hdf5.hpp"

namespace cotangent::studies {

class StoredStarts {
 public:
  /// The file that `key` of the table names; `columns` is 2N. Throws a FileError where it cannot be read, and
  /// an Error where it holds something else.
  StoredStarts(const io::Table& table, const std::string& key, std::int64_t columns);

  std::int64_t size() const { return set_.dims()[0]; }
  /// One state. Neighbours are read with it: to go through the rows in order is cheap.
  std::vector<double> operator[](std::int64_t row) const;

 private:
  static constexpr std::int64_t block_rows = 1024;
  io::File file_;
  io::DataSet set_;
  std::int64_t columns_;
  mutable std::int64_t first_ = 0;
  mutable std::vector<double> block_;  ///< rows first_ and on
};

}  // namespace cotangent::studies
