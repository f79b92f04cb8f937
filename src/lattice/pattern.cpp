// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/pattern.hpp"

#include <algorithm>

namespace cotangent::lattice {

Pattern pattern_of(const std::vector<Copies>& copies, std::int64_t own,
                   std::vector<std::vector<std::int64_t>>& blocks) {
  std::vector<std::vector<std::int64_t>> rows(static_cast<std::size_t>(own));
  const auto for_pairs = [&](const auto& use) {
    for (std::size_t term = 0; term < copies.size(); ++term) {
      const auto sites = static_cast<std::size_t>(copies[term].sites);
      for (std::size_t copy = 0; copy < copies[term].count(); ++copy) {
        const std::int32_t* place = copies[term].place.data() + copy * sites;
        for (std::size_t i = 0; i < sites; ++i) {
          for (std::size_t j = 0; j < sites; ++j)
            use(term, (copy * sites + i) * sites + j, place[i], place[j]);
        }
      }
    }
  };
  for_pairs([&](std::size_t, std::size_t, std::int64_t row, std::int64_t column) {
    if (row >= 0 && row < own) rows[static_cast<std::size_t>(row)].push_back(column);
  });
  Pattern pattern;
  pattern.begin.push_back(0);
  for (auto& row : rows) {
    std::ranges::sort(row);
    row.erase(std::unique(row.begin(), row.end()), row.end());
    pattern.place.insert(pattern.place.end(), row.begin(), row.end());
    pattern.begin.push_back(std::ssize(pattern.place));
    row = {};
  }
  blocks.assign(copies.size(), {});
  for (std::size_t term = 0; term < copies.size(); ++term)
    blocks[term].assign(copies[term].place.size() * static_cast<std::size_t>(copies[term].sites), -1);
  for_pairs([&](std::size_t term, std::size_t at, std::int64_t row, std::int64_t column) {
    if (row < 0 || row >= own) return;
    const auto begin = pattern.place.begin() + pattern.begin[static_cast<std::size_t>(row)],
               end = pattern.place.begin() + pattern.begin[static_cast<std::size_t>(row) + 1];
    blocks[term][at] = std::lower_bound(begin, end, column) - pattern.place.begin();
  });
  return pattern;
}

}  // namespace cotangent::lattice
