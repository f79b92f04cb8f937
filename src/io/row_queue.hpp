// SPDX-License-Identifier: BSD-3-Clause
// Rows that wait in memory to be written: hyperslabs of data sets, and rows by id, with their numbers
// already of the type that the file holds. Slabs that continue each other are joined, so that a thousand
// consecutive rows cost one call. Rows by id, which are scattered over the ranks, are first exchanged so
// that each writing rank has consecutive ids.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/hdf5.hpp"

namespace cotangent::io {

/// A hyperslab of one data set, and where its bytes are in the queue.
struct Slab {
  static constexpr int most_dimensions = 4;
  int set = 0, dimensions = 0;
  std::array<std::int64_t, most_dimensions> offset{}, count{};
  std::size_t begin = 0, size = 0;
};

/// Which rows of a frame a rank has, shared by the data sets of a sample.
using RowIds = std::shared_ptr<const std::vector<std::int64_t>>;

class RowQueue {
 public:
  /// Values for a hyperslab of extent `count` at `offset` of data set number `set`, which `spec` declares:
  /// row-major, of the type `type`, as many as the product of `count`; float64 may become float32.
  void add(int set, const DataSetSpec& spec, DataType type, std::span<const std::int64_t> offset,
           std::span<const std::int64_t> count, const void* values);
  /// Rows `ids` of the frame `frame` of a data set [frames, rows] or [frames, rows, width]; where `frame` is
  /// negative of one [rows] or [rows, width]. `values` has a row of `width` for each id, in their order.
  /// All ranks add the same data sets in the same order, each its own rows.
  void add_by_id(int set, std::int64_t frame, RowIds ids, std::vector<double> values);

  bool empty() const { return slabs_.empty() && by_id_.empty(); }
  /// How many bytes wait here.
  std::size_t bytes() const { return bytes_.size() + by_id_bytes_; }

  /// Brings rows by id to the ranks that write them. `specs` are those of all data sets. Collective.
  void gather(std::span<const DataSetSpec* const> specs);
  /// All slabs, sorted by data set and place, and joined where one continues another. They stay in the
  /// queue until clear().
  std::span<const Slab> arranged();
  const std::byte* bytes_of(const Slab& slab) const { return bytes_.data() + slab.begin; }
  void clear();

 private:
  struct ById {
    int set;
    std::int64_t frame;
    RowIds ids;
    std::vector<double> values;
  };
  /// Adds `rows` rows of consecutive ids from `first` on as a slab; `values` is [rows, width], row-major.
  void add_rows(const ById& entry, const DataSetSpec& spec, std::int64_t first, std::int64_t rows,
                const double* values);

  std::vector<Slab> slabs_;
  std::vector<std::byte> bytes_;
  std::vector<ById> by_id_;
  std::size_t by_id_bytes_ = 0;
};

}  // namespace cotangent::io
