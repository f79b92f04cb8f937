// SPDX-License-Identifier: BSD-3-Clause
#include "parallel/reproducible_sums.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mpi.h>

#include "parallel/mpi.hpp"

namespace cotangent::parallel {

namespace {

/// Calls use(x) for each number of a column.
template <class Use>
void for_each(const Numbers& column, const Use& use) {
  std::array<double, 256> room;
  for (std::size_t first = 0; first < column.count; first += room.size()) {
    const auto piece = std::span(room).first(std::min(room.size(), column.count - first));
    column.work_out(first, piece);
    for (const double x : piece) use(x);
  }
}

}  // namespace

std::vector<double> reproducible_sums(std::span<const Numbers> columns) {
  constexpr std::size_t folds = 3;
  const std::size_t n = columns.size();
  std::vector<double> largest(n, 0.0);
  std::vector<std::int64_t> count(n);
  for (std::size_t c = 0; c < n; ++c) {
    count[c] = static_cast<std::int64_t>(columns[c].count);
    double most = 0;
    for_each(columns[c], [&](double x) { most = std::max(most, std::isfinite(x) ? std::abs(x) : HUGE_VAL); });
    largest[c] = most;
  }
  largest = maximum(std::move(largest));
  count = sum(std::move(count));
  std::vector<double> parts(n * folds, 0.0);
  for (std::size_t c = 0; c < n; ++c) {
    if (!(largest[c] > 0) || !std::isfinite(largest[c])) continue;
    // All multiples of one unit, and their sum less than 2^53 of these: every sum of them is exact.
    const double room = std::ldexp(1.0, std::ilogb(static_cast<double>(count[c] + 2)) + 2);
    std::array<double, folds> level{room * std::ldexp(1.0, std::ilogb(largest[c]) + 1)};
    for (std::size_t fold = 1; fold < folds; ++fold) level[fold] = level[fold - 1] * room * 0x1p-52;
    std::array<double, folds> part{};
    for_each(columns[c], [&](double rest) {
      for (std::size_t fold = 0; fold < folds; ++fold) {
        const double coarse = (rest + level[fold]) - level[fold];
        part[fold] += coarse;
        rest -= coarse;
      }
    });
    std::ranges::copy(part, parts.begin() + static_cast<std::ptrdiff_t>(c * folds));
  }
  parts = sum(std::move(parts));
  std::vector<double> result(n);
  for (std::size_t c = 0; c < n; ++c) {
    const double* part = parts.data() + c * folds;
    result[c] =
        std::isfinite(largest[c]) ? part[0] + (part[1] + part[2]) : std::numeric_limits<double>::quiet_NaN();
  }
  return result;
}

std::vector<double> reproducible_sums(std::span<const std::span<const double>> columns) {
  std::vector<Numbers> numbers;
  for (const auto column : columns)
    numbers.push_back({column.size(), [column](std::size_t first, std::span<double> into) {
                         std::ranges::copy(column.subspan(first, into.size()), into.begin());
                       }});
  return reproducible_sums(numbers);
}

std::vector<double> sums_in_turn(std::span<const double> rows, std::size_t width) {
  std::vector<double> sums(width, 0.0);
  constexpr int tag = 40;
  const int numbers = static_cast<int>(width);
  if (rank() > 0)
    check(MPI_Recv(sums.data(), numbers, MPI_DOUBLE, rank() - 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
          "MPI_Recv");
  for (std::size_t k = 0; k < rows.size(); ++k) sums[k % width] += rows[k];
  if (rank() + 1 < size())
    check(MPI_Send(sums.data(), numbers, MPI_DOUBLE, rank() + 1, tag, MPI_COMM_WORLD), "MPI_Send");
  if (size() > 1) check(MPI_Bcast(sums.data(), numbers, MPI_DOUBLE, size() - 1, MPI_COMM_WORLD), "MPI_Bcast");
  return sums;
}

}  // namespace cotangent::parallel
