// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers in a text file: one row a line, its numbers separated by commas or blanks; what follows a #
// is a comment, and lines without a number are none. Each rank reads a share of the file's bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace cotangent::io {

class NumberRows {
 public:
  /// Reads the rows whose lines begin in this rank's share. Throws Error on every rank, which names the line
  /// and the word that is no number, and FileError where the file can't be read. Collective.
  explicit NumberRows(const std::filesystem::path& file);

  /// Of all ranks.
  std::int64_t count() const { return count_; }
  /// The number, in the file, of this rank's first row.
  std::int64_t first() const { return first_; }
  /// How many rows this rank has, and the numbers of one of them.
  std::size_t here() const { return begins_.size() - 1; }
  std::span<const double> operator[](std::size_t row) const {
    return std::span(numbers_).subspan(begins_[row], begins_[row + 1] - begins_[row]);
  }

 private:
  std::vector<double> numbers_;         // row after row
  std::vector<std::size_t> begins_{0};  // of each row in them, and the last one's end
  std::int64_t first_ = 0, count_ = 0;
};

}  // namespace cotangent::io
