// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/stored_starts.hpp"

#include <algorithm>

#include "io/given_file.hpp"

namespace cotangent::studies {

namespace {

io::DataSet data_set(const io::File& file, const io::Table& table, const std::string& key,
                     std::int64_t columns) {
  if (!file.contains_data_set("/starts")) throw table.error(key, "has no data set /starts");
  io::DataSet set = file.data_set("/starts");
  if (set.dims().size() != 2 || set.dims()[1] != columns) {
    throw table.error(key, "/starts must have " + std::to_string(columns) + " columns: q, then v");
  }
  if (set.dims()[0] == 0) throw table.error(key, "holds no state");
  return set;
}

}  // namespace

StoredStarts::StoredStarts(const io::Table& table, const std::string& key, std::int64_t columns)
    : file_(io::open_given(table, key)), set_(data_set(file_, table, key, columns)), columns_(columns) {}

std::vector<double> StoredStarts::operator[](std::int64_t row) const {
  const std::int64_t held = std::ssize(block_) / columns_;
  if (row < first_ || row >= first_ + held) {
    first_ = row - row % block_rows;
    const std::int64_t count = std::min(block_rows, size() - first_);
    block_.resize(static_cast<std::size_t>(count * columns_));
    set_.read_rows(first_, count, block_.data());
  }
  const auto begin = block_.begin() + (row - first_) * columns_;
  return {begin, begin + columns_};
}

}  // namespace cotangent::studies
