// SPDX-License-Identifier: BSD-3-Clause
// What an evolution's checkpoint holds. An evolution names its fields in one function, which is called three
// times over: to learn names and shapes, to write, and to read back. Rows are spread over the ranks and are
// read back on any number of ranks.
#pragma once

#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "io/row_queue.hpp"

namespace cotangent::run {

/// Which of `all` rows are this rank's: rows first to first + count - 1, or those listed in `ids`.
struct Share {
  std::int64_t all = 0, first = 0, count = 0;
  io::RowIds ids = nullptr;

  /// An even run for each rank.
  static Share even(std::int64_t all);
  /// Every size()-th row for each rank: where rows near each other take as long.
  static Share in_turn(std::int64_t all);
};

class StateFields {
 public:
  virtual ~StateFields() = default;

  /// Whether the fields are filled from a checkpoint now.
  virtual bool reading() const = 0;
  /// "a.h5.checkpoint: the field 'id' ...": of what was read and was never stored so, for the caller to throw
  /// on all ranks.
  virtual Error error(std::string_view text) const { return Error(std::string(text)); }
  /// A number of a field that was read, as one of 0 to count - 1: else error(), on this rank.
  std::int64_t index(std::string_view name, double x, std::int64_t count) const {
    if (!(x >= 0 && x < static_cast<double>(count) && x == std::trunc(x)))
      throw error(fmt::format("the field '{}' holds {}, which is none of 0 to {}", name, x, count - 1));
    return static_cast<std::int64_t>(x);
  }

  /// A number that all ranks have alike: stored as float64 or int64.
  template <class Number>
  void number(std::string_view name, Number& x) {
    if constexpr (std::is_floating_point_v<Number>) {
      double value = x;
      numbers(name, std::span(&value, 1));
      x = value;
    } else {
      auto value = static_cast<std::int64_t>(x);
      numbers(name, std::span(&value, 1));
      x = static_cast<Number>(value);
    }
  }
  /// So many numbers that all ranks have alike.
  virtual void numbers(std::string_view name, std::span<double> values) = 0;
  virtual void numbers(std::string_view name, std::span<std::int64_t> values) = 0;
  /// A list that all ranks have alike, whose length the checkpoint tells when it is read.
  virtual void list(std::string_view name, std::vector<double>& values) = 0;
  /// This rank's rows of `width` numbers each, row-major, in the order of the share.
  virtual void rows(std::string_view name, const Share& share, int width, std::vector<double>& values) = 0;
  /// Rows of `width` numbers, any number of them on each rank, that no rank in particular must get back
  /// (such as unfinished tasks). Read back, they are shared out evenly in the order of the ranks; fields
  /// that had equally many rows on each rank are shared out alike, so that row k of one still belongs to
  /// row k of the other. Whether a checkpoint holds equally many of them is for the caller to see.
  virtual void loose_rows(std::string_view name, int width, std::vector<double>& values) = 0;
};

}  // namespace cotangent::run
