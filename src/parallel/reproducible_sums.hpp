// SPDX-License-Identifier: BSD-3-Clause
// Sums of numbers that are spread over all ranks, whose bits don't depend on how they are spread.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace cotangent::parallel {

/// A column of numbers that is never stored: work_out(first, into) computes those from `first` on.
struct Numbers {
  std::size_t count = 0;
  std::function<void(std::size_t first, std::span<double> into)> work_out;

  /// number(i) for i = 0 ... count - 1.
  template <class Number>
  static Numbers each(std::size_t count, Number number) {
    return {count, [number](std::size_t first, std::span<double> into) {
              for (double& x : into) x = number(first++);
            }};
  }
};

/// The sums of columns of numbers that are spread over all ranks; the same to the bit however they are
/// spread, and in whatever order they come: each number is split into parts, each a multiple of one unit so
/// coarse that sums of them are exact. What lies some 150 bits below the largest of a few numbers (93
/// of a million, 63 of 10^9) is lost. Each number is asked for twice. Reference: Demmel, Nguyen, Fast
/// reproducible floating-point summation (ARITH 2013). Collective; each column may have a length of its own
/// on each rank.
std::vector<double> reproducible_sums(std::span<const std::span<const double>> columns);
std::vector<double> reproducible_sums(std::span<const Numbers> columns);
/// The plain sums of the columns of rows of `width` numbers, added row after row, rank after rank: the bits
/// of a loop over all rows on one rank. Each rank waits for the one before it. Collective.
std::vector<double> sums_in_turn(std::span<const double> rows, std::size_t width);

}  // namespace cotangent::parallel
