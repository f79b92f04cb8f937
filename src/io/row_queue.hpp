// Rows that wait to be written: hyperslabs of data sets, and rows by id, each with its numbers as the file
// holds them. Slabs that continue each other are joined, so that a thousand rows that follow one another cost
// one call; rows by id, which each rank has as they come, are brought to runs of consecutive ids by one
// exchange.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/hdf5.hpp"

namespace cotangent::io {

/// Whether rows may go at once, or after all else that waits: for what vouches for other rows.
enum class Turn { soon, last };

/// A hyperslab of one data set, and where its bytes are in the queue.
struct Slab {
  static constexpr int most_dimensions = 4;
  Turn turn = Turn::soon;
  int set = 0, dimensions = 0;
  std::array<std::int64_t, most_dimensions> offset{}, count{};
  std::size_t begin = 0, size = 0;
};

/// Which rows of a frame a rank has, shared by the data sets of a sample.
using RowIds = std::shared_ptr<const std::vector<std::int64_t>>;

class RowQueue {
 public:
  /// Values for a hyperslab of a data set that is declared so, within which it lies; float64 may become
  /// float32.
  void add(Turn turn, int set, const DataSetSpec& spec, DataType type, std::span<const std::int64_t> offset,
           std::span<const std::int64_t> count, const void* values);
  /// Rows `ids` of the frame `frame` of a data set [frames, rows] or [frames, rows, width]; where `frame` is
  /// negative of one [rows] or [rows, width]. All ranks add the same data sets in the same order, each its
  /// rows.
  void add_by_id(Turn turn, int set, std::int64_t frame, RowIds ids, std::vector<double> values);

  bool empty() const { return slabs_.empty() && by_id_.empty(); }
  /// How many bytes wait here.
  std::size_t bytes() const { return bytes_.size() + by_id_bytes_; }

  /// Brings rows by id to the ranks that write them. `specs` are those of all data sets. Collective.
  void gather(std::span<const DataSetSpec* const> specs);
  /// What waits, by turn, data set and place, joined where it continues. It goes on waiting until clear().
  std::span<const Slab> arranged();
  const std::byte* bytes_of(const Slab& slab) const { return bytes_.data() + slab.begin; }
  void clear();

 private:
  struct ById {
    Turn turn;
    int set;
    std::int64_t frame;
    RowIds ids;
    std::vector<double> values;
  };
  /// Rows of consecutive ids, of the data set's own type.
  void add_rows(const ById& entry, const DataSetSpec& spec, std::int64_t first, std::int64_t rows,
                const double* values);

  std::vector<Slab> slabs_;
  std::vector<std::byte> bytes_;
  std::vector<ById> by_id_;
  std::size_t by_id_bytes_ = 0;
};

}  // namespace cotangent::io
