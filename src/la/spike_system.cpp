// SPDX-License-Identifier: BSD-3-Clause
#include "la/spike_system.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cotangent::la {

namespace {

using Row = std::vector<std::pair<std::size_t, double>>;

/// The entry of a row whose columns before k are eliminated.
double at(const Row& row, std::size_t k) {
  return !row.empty() && row.front().first == k ? row.front().second : 0.0;
}

void add(Row& row, std::size_t column, double value) {
  const auto place = std::ranges::lower_bound(row, column, {}, [](const auto& entry) { return entry.first; });
  if (place != row.end() && place->first == column)
    place->second += value;
  else
    row.emplace(place, column, value);
}

/// row - factor * pivot, without the pivot's column.
Row eliminated(const Row& row, double factor, const Row& pivot) {
  Row result;
  auto mine = row.begin() + 1, other = pivot.begin() + 1;
  while (mine != row.end() || other != pivot.end()) {
    if (other == pivot.end() || (mine != row.end() && mine->first < other->first)) {
      result.push_back(*mine++);
    } else {
      const bool both = mine != row.end() && mine->first == other->first;
      result.emplace_back(other->first, (both ? (mine++)->second : 0.0) - factor * other->second);
      ++other;
    }
  }
  return result;
}

}  // namespace

void SpikeSystem::factorise(std::span<const double> spikes) {
  const std::size_t m = spikes.size() / 2;
  lower_.assign(m, {});
  upper_.assign(m, {});
  pivots_.resize(m);
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t r = i / 2, end = i % 2;
    add(upper_[i], i, 1.0);
    for (const auto& [column, value] : {std::pair{(2 * r + m - 1) % m, spikes[4 * r + end]},
                                        std::pair{(2 * r + 2) % m, spikes[4 * r + 2 + end]}}) {
      if (value != 0.0) add(upper_[i], column, value);
    }
  }
  for (std::size_t k = 0; k < m; ++k) {
    // A column reaches two rows down, and around the corner to the last two, whatever rows have changed
    // places.
    std::array<std::size_t, 4> below{};
    std::size_t count = 0;
    for (const std::size_t i : {k + 1, k + 2}) {
      if (i < m) below[count++] = i;
    }
    for (std::size_t i = std::max(k + 3, m - 2); i < m; ++i) below[count++] = i;
    std::size_t best = k;
    for (std::size_t j = 0; j < count; ++j) {
      if (std::abs(at(upper_[below[j]], k)) > std::abs(at(upper_[best], k))) best = below[j];
    }
    pivots_[k] = best;
    std::swap(upper_[k], upper_[best]);
    std::swap(lower_[k], lower_[best]);
    if (at(upper_[k], k) == 0.0) add(upper_[k], k, 0.0);  // a vanishing pivot shows in the solution
    for (std::size_t j = 0; j < count; ++j) {
      Row& row = upper_[below[j]];
      if (row.empty() || row.front().first != k) continue;
      const double factor = row.front().second / upper_[k].front().second;
      lower_[below[j]].emplace_back(k, factor);
      row = eliminated(row, factor, upper_[k]);
    }
  }
}

void SpikeSystem::solve(std::span<double> z) const {
  for (std::size_t k = 0; k < pivots_.size(); ++k) std::swap(z[k], z[pivots_[k]]);
  for (std::size_t i = 0; i < z.size(); ++i) {
    for (const auto& [j, factor] : lower_[i]) z[i] -= factor * z[j];
  }
  for (std::size_t i = z.size(); i-- > 0;) {
    for (auto entry = upper_[i].begin() + 1; entry != upper_[i].end(); ++entry)
      z[i] -= entry->second * z[entry->first];
    z[i] /= upper_[i].front().second;
  }
}

}  // namespace cotangent::la
