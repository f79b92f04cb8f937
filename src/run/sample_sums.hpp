// SPDX-License-Identifier: BSD-3-Clause
// The sums over all ranks that samples ask for. Where ranks have few numbers each, a sample costs them what
// they wait for one another: there those of many samples are made in one go, and the samples learn of them
// later.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "parallel/reproducible_sums.hpp"

namespace cotangent::run {

class SampleSums {
 public:
  /// What a sample does with its sums, and with the largest of its other numbers, each in the order given.
  using Use = std::function<void(std::span<const double> sums, std::span<const double> largest)>;

  /// Columns of `rows` numbers each, counted over all ranks: their sums are parallel::reproducible_sums.
  /// `use` is called at once, or with those of earlier samples, in order. Collective.
  void add(std::int64_t rows, std::span<const parallel::Numbers> columns, std::span<const double> largest,
           Use use);
  /// Makes what still waits. Collective.
  void make_waiting();

 private:
  struct Sample {
    std::size_t columns, largest;
    Use use;
  };
  std::vector<Sample> samples_;
  std::vector<std::size_t> lengths_;       // of the columns
  std::vector<double> numbers_, largest_;  // those of all columns, and the others
};

}  // namespace cotangent::run
