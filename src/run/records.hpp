// SPDX-License-Identifier: BSD-3-Clause
// The rows of a run's result, as an evolution enters them: by the path of a data set, each rank its own. They
// are written when enough of them wait, or when the driver wants them on disk.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "io/result_file.hpp"

namespace cotangent::run {

class Records {
 public:
  /// `together`: all ranks enter rows of the same data sets at the same time.
  Records(io::ResultFile& file, bool together) : file_(file), together_(together) {}

  /// Rows `first` to `first + count - 1` of the leading dimension; `values` holds them whole, row-major:
  /// count times the product of the other extents.
  template <io::Storable Number>
  void rows(std::string_view path, std::int64_t first, std::int64_t count, const Number* values,
            io::Turn turn = io::Turn::soon) {
    const int index = this->index(path);
    file_.rows().write_rows(index, first, count, values, turn);
    entered();
  }
  /// One row of `values`, entered by rank 0 alone; called on all ranks, for what all know alike.
  template <io::Storable Number>
  void one(std::string_view path, std::int64_t row, const Number* values, io::Turn turn = io::Turn::soon) {
    if (first_rank()) rows(path, row, 1, values, turn);
  }
  void one(std::string_view path, std::int64_t row, double value) { one(path, row, &value); }
  /// A hyperslab of extent `count` at `offset`; `values` is row-major, as long as the product of `count`.
  template <io::Storable Number>
  void slab(std::string_view path, std::span<const std::int64_t> offset, std::span<const std::int64_t> count,
            const Number* values) {
    file_.rows().write(index(path), offset, count, values);
    entered();
  }
  /// The rows `ids` of frame `frame` (of a data set without frames where that is negative), in the order of
  /// the ids. Each row comes from one rank, whichever; all ranks call this together.
  void by_id(std::string_view path, std::int64_t frame, io::RowIds ids, std::vector<double> values,
             io::Turn turn = io::Turn::soon) {
    file_.rows().write_by_id(index(path), frame, std::move(ids), std::move(values), turn);
  }
  /// Writes NaN to the row `first` and all that follow, of a data set of float64; each rank does a share. All
  /// ranks call this together.
  void blank_from(std::string_view path, std::int64_t first);

  /// Rows of a data set as they are on disk now.
  template <io::Storable Number>
  std::vector<Number> read_rows(std::string_view path, std::int64_t first, std::int64_t count) const {
    return file_.read_rows<Number>(file_.data_set(path), first, count);
  }

  /// Writes what waits: of all ranks, where they enter together (collective then), else of this one.
  void flush();
  /// flush(), a second after the last: of ranks that enter by themselves, whose few rows would wait for long.
  void flush_old();
  /// How many bytes wait on this rank; where it is more than the most, they should be written.
  std::int64_t waiting_bytes() const { return static_cast<std::int64_t>(file_.rows().waiting_bytes()); }
  static constexpr std::int64_t most_waiting = 1 << 22;
  /// flush(), and waits until the rows are on disk.
  void sync();
  /// Seconds that this rank has spent on writing.
  double seconds() const { return seconds_; }

 private:
  static bool first_rank();
  int index(std::string_view path);
  void entered();

  io::ResultFile& file_;
  bool together_;
  double seconds_ = 0, flushed_ = 0;
  std::map<std::string, int, std::less<>> index_;
};

}  // namespace cotangent::run
