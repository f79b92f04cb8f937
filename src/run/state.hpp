// What an evolution's checkpoint holds, stated once: one function visits the named fields, whether they are
// described, written or read back. Rows are spread over ranks and come back on any number of them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "io/row_queue.hpp"

namespace cotangent::run {

/// Which of so many rows, those of all ranks, are this rank's: a run of them, or those listed.
struct Share {
  std::int64_t all = 0, first = 0, count = 0;
  io::RowIds ids = nullptr;

  /// An even run for each rank.
  static Share even(std::int64_t all);
};

class State {
 public:
  virtual ~State() = default;

  /// Whether the fields are filled from a checkpoint now.
  virtual bool reading() const = 0;

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
  /// The same, of any number.
  virtual void list(std::string_view name, std::vector<double>& values) = 0;
  /// Rows of `width` numbers, one for each of the share's, in its order.
  virtual void rows(std::string_view name, const Share& share, int width, std::vector<double>& values) = 0;
  /// Rows of which each rank has any number, that belong to nobody in particular: read back shared out
  /// evenly. Fields with as many rows on each rank are shared out alike.
  virtual void loose_rows(std::string_view name, int width, std::vector<double>& values) = 0;
};

}  // namespace cotangent::run
