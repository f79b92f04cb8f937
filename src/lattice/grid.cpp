// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/grid.hpp"

#include <algorithm>

namespace cotangent::lattice {

bool Grid::held(std::int64_t site) const {
  const std::int64_t x = site % length, y = site / length;
  return (along == Boundary::fixed && (x == 0 || x == length - 1)) ||
         (!chain() && across == Boundary::fixed && (y == 0 || y == rows - 1));
}

std::int64_t Grid::reach(std::span<const Offset> sites) const {
  std::int64_t reach = 0;
  for (const Offset& a : sites) {
    for (const Offset& b : sites) {
      const auto [x, y] = distance(a, b);
      const bool wraps = !chain() && along == Boundary::periodic && x != 0;
      const std::int64_t column = wraps ? std::max(x, length - x) : x;
      reach = std::max(reach, column + (chain() ? 0 : length * y));
    }
  }
  return reach;
}

bool Grid::copy(std::span<const Offset> offsets, std::int64_t place, std::int64_t* sites) const {
  const std::int64_t x = place % length, y = place / length;
  for (std::size_t k = 0; k < offsets.size(); ++k) {
    std::int64_t column = x + offsets[k].x, row = y + offsets[k].y;
    if (rows == 1 && offsets[k].y != 0) return false;
    if (along == Boundary::periodic) column = (column % length + length) % length;
    if (across == Boundary::periodic) row = (row % rows + rows) % rows;
    if (column < 0 || column >= length || row < 0 || row >= rows) return false;
    sites[k] = row * length + column;
  }
  return true;
}

Range Range::of_rank(std::int64_t sites, int rank, int ranks) {
  const std::int64_t each = sites / ranks, more = sites % ranks;
  return {rank * each + std::min<std::int64_t>(rank, more), each + (rank < more ? 1 : 0)};
}

int Range::rank_of(std::int64_t site, std::int64_t sites, int ranks) {
  const std::int64_t each = sites / ranks, more = sites % ranks, longer = more * (each + 1);
  return static_cast<int>(site < longer ? site / (each + 1) : more + (site - longer) / each);
}

Placement::Placement(const Grid& grid, std::span<const Offset> offsets, const Range& range)
    : grid_(grid), range_(range), offsets_(offsets.begin(), offsets.end()), single_(offsets.size()) {
  for (const Offset& offset : offsets) {
    shift_.push_back(offset.x + (grid.chain() ? 0 : offset.y * grid.length));
    least_ = std::min(least_, shift_.back());
    greatest_ = std::max(greatest_, shift_.back());
    least_row_ = std::min<std::int64_t>(least_row_, offset.y);
    greatest_row_ = std::max<std::int64_t>(greatest_row_, offset.y);
    least_column_ = std::min<std::int64_t>(least_column_, offset.x);
    greatest_column_ = std::max<std::int64_t>(greatest_column_, offset.x);
    if (grid.chain() && offset.y != 0) empty_ = true;
  }
}

bool Placement::covers(std::int64_t low, std::int64_t high) const {
  if (empty_) return false;
  if (grid_.chain() && grid_.closed()) return true;
  if (!grid_.chain()) return shift_.size() == 1;
  const std::int64_t begin = -range_.first, end = grid_.length - range_.first;
  return low >= begin + greatest_ - least_ && high <= end - (greatest_ - least_);
}

}  // namespace cotangent::lattice
