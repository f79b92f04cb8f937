// SPDX-License-Identifier: BSD-3-Clause
#include "run/sample_sums.hpp"

#include <algorithm>
#include <utility>

#include "parallel/mpi.hpp"

namespace cotangent::run {

void SampleSums::add(std::int64_t rows, std::span<const parallel::Numbers> columns,
                     std::span<const double> largest, Use use) {
  constexpr std::int64_t most_samples = 256, most_rows = 1 << 13;  // these of a rank, where all have as many
  const std::int64_t together =
      parallel::size() == 1
          ? 1
          : std::min(most_samples, most_rows * parallel::size() / std::max<std::int64_t>(1, rows));
  if (together <= 1 && samples_.empty()) {
    const std::vector<double> sums = parallel::reproducible_sums(columns);
    use(sums, parallel::maximum(std::vector(largest.begin(), largest.end())));
    return;
  }
  for (const parallel::Numbers& column : columns) {
    lengths_.push_back(column.count);
    numbers_.resize(numbers_.size() + column.count);
    column.work_out(0, std::span(numbers_).last(column.count));
  }
  largest_.insert(largest_.end(), largest.begin(), largest.end());
  samples_.push_back({columns.size(), largest.size(), std::move(use)});
  if (std::ssize(samples_) >= together) make_waiting();
}

void SampleSums::make_waiting() {
  if (samples_.empty()) return;
  std::vector<std::span<const double>> columns;
  for (std::size_t begin = 0; const std::size_t length : lengths_) {
    columns.push_back(std::span<const double>(numbers_).subspan(begin, length));
    begin += length;
  }
  const std::vector<double> all_sums = parallel::reproducible_sums(columns),
                            all_largest = parallel::maximum(std::exchange(largest_, {}));
  lengths_.clear();
  numbers_.clear();
  std::span<const double> sums = all_sums, largest = all_largest;
  for (const Sample& sample : std::exchange(samples_, {})) {
    sample.use(sums.first(sample.columns), largest.first(sample.largest));
    sums = sums.subspan(sample.columns);
    largest = largest.subspan(sample.largest);
  }
}

}  // namespace cotangent::run
