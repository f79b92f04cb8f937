// SPDX-License-Identifier: BSD-3-Clause
// Sorting by whole numbers: by eleven bits at a time, the lowest first, those of one number as they came.
// Reference: Knuth, The Art of Computer Programming 3 (1998), 5.2.5, algorithm R.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace cotangent::numerics {

/// Sorts records by `number(record)`; digits that all of them share cost nothing.
template <class Record, class Number>
void sort_by_number(std::vector<Record>& records, const Number& number) {
  constexpr int bits = 11;
  constexpr std::uint64_t digits = std::uint64_t{1} << bits;
  std::uint64_t in_some = 0, in_all = ~std::uint64_t{0};
  for (const Record& record : records) {
    in_some |= static_cast<std::uint64_t>(number(record));
    in_all &= static_cast<std::uint64_t>(number(record));
  }
  const std::uint64_t differ = records.empty() ? 0 : in_some ^ in_all;
  std::vector<Record> sorted(differ == 0 ? 0 : records.size());
  for (int shift = 0; shift < 64 && differ >> shift != 0; shift += bits) {
    if ((differ >> shift) % digits == 0) continue;
    const auto digit = [&](const Record& record) {
      return static_cast<std::size_t>((static_cast<std::uint64_t>(number(record)) >> shift) % digits);
    };
    std::array<std::size_t, digits> count{}, place;
    for (const Record& record : records) ++count[digit(record)];
    std::exclusive_scan(count.begin(), count.end(), place.begin(), std::size_t{0});
    for (const Record& record : records) sorted[place[digit(record)]++] = record;
    std::swap(records, sorted);
  }
}

}  // namespace cotangent::numerics
