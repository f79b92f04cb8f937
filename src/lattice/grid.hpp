// SPDX-License-Identifier: BSD-3-Clause
// Sites in rows: a chain, or a grid of `length` sites along x and `rows` along y, numbered row after row, and
// the part of them that a rank owns: a contiguous range, with as many sites on either side as it must know of
// (ghosts, numbered on to the left and right; where the grid closes on itself, they wrap). Where the
// outermost dimension ends, nothing is placed beyond.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lattice/term.hpp"

namespace cotangent::lattice {

enum class Boundary { periodic, free, fixed };

/// All sites. A fixed end is a site that is held where it is; a free one has no neighbour.
struct Grid {
  std::int64_t length = 1, rows = 1;  ///< a chain has one row
  Boundary along = Boundary::periodic, across = Boundary::periodic;

  std::int64_t sites() const { return length * rows; }
  bool chain() const { return rows == 1; }
  /// Whether the numbering closes on itself from the last site to the first.
  bool closed() const { return (chain() ? along : across) == Boundary::periodic; }
  bool held(std::int64_t site) const;
  /// How far any two of a copy's sites are apart in the numbering, at most; wrapping along rows included.
  std::int64_t reach(std::span<const Offset> sites) const;
  /// Writes the sites of the copy at `place`, one for each offset; false where it would stick out of the
  /// grid.
  bool copy(std::span<const Offset> offsets, std::int64_t place, std::int64_t* sites) const;
};

/// The range of one rank, in numbers relative to its first site.
struct Range {
  std::int64_t first = 0, own = 0;

  /// The even distribution over all ranks, as PETSc's.
  static Range of_rank(std::int64_t sites, int rank, int ranks);
  /// The rank whose range holds a site.
  static int rank_of(std::int64_t site, std::int64_t sites, int ranks);
  bool holds(std::int64_t site) const { return site >= first && site < first + own; }
};

/// How the copies of a term lie along a range of sites: contiguous runs of places, at which the k-th site of
/// a copy is at place + shift[k], and single copies at the ends of rows that close on themselves.
class Placement {
 public:
  Placement(const Grid& grid, std::span<const Offset> offsets, const Range& range);

  /// Whether every site from low to high (relative to the range) has a copy at each of its places.
  bool covers(std::int64_t low, std::int64_t high) const;
  bool empty() const { return empty_; }
  std::int64_t shift(int k) const { return shift_[static_cast<std::size_t>(k)]; }
  int sites() const { return static_cast<int>(shift_.size()); }
  /// Least and greatest shift.
  std::int64_t least() const { return least_; }
  std::int64_t greatest() const { return greatest_; }

  /// Calls run(place, count) for runs of places within [low, high), and single(place, sites) for others, also
  /// those `beyond` sites further out, for they may reach back.
  template <class Run, class Single>
  void for_places(std::int64_t low, std::int64_t high, std::int64_t beyond, const Run& run,
                  const Single& single) const {
    if (empty_) return;
    if (grid_.chain()) {
      std::int64_t begin = low, end = high;
      if (!grid_.closed()) {
        begin = std::max(begin, -range_.first - least_);
        end = std::min(end, grid_.length - range_.first - greatest_);
      }
      if (begin < end) run(begin, end - begin);
      return;
    }
    const std::int64_t n = grid_.length;
    const std::int64_t from = floor(low - beyond + range_.first, n);
    for (std::int64_t row = from; row * n - range_.first < high + beyond; ++row) {
      if (!grid_.closed() && (row + least_row_ < 0 || row + greatest_row_ >= grid_.rows)) continue;
      const std::int64_t start = row * n - range_.first;
      const std::int64_t begin = std::max(low, start - least_column_),
                         end = std::min(high, start + n - greatest_column_);
      if (begin < end) run(begin, end - begin);
      if (grid_.along != Boundary::periodic) continue;
      for (std::int64_t column = 0; column < n; ++column) {
        if (column == -least_column_) column = std::max(column, n - greatest_column_);
        if (column >= n) break;
        const std::int64_t place = start + column;
        if (place < low - beyond || place >= high + beyond) continue;
        for (std::size_t k = 0; k < offsets_.size(); ++k)
          single_[k] = start + offsets_[k].y * n + (column + offsets_[k].x + n) % n;
        single(place, single_.data());
      }
    }
  }

 private:
  static std::int64_t floor(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

  Grid grid_;
  Range range_;
  std::vector<Offset> offsets_;
  std::vector<std::int64_t> shift_;
  std::int64_t least_ = 0, greatest_ = 0, least_row_ = 0, greatest_row_ = 0, least_column_ = 0,
               greatest_column_ = 0;
  bool empty_ = false;
  mutable std::vector<std::int64_t> single_;
};

}  // namespace cotangent::lattice
