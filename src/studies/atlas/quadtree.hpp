// SPDX-License-Identifier: BSD-3-Clause
// A grid of points that are looked at only where it is worth it: first every 2^levels-th of each axis; then,
// of each cell whose corners differ, the points halfway, level by level, down to neighbours. What is between
// is interpolated from the corners of its cell, which agree. With one row it is a line of intervals.
// Reference: Finkel, Bentley, Quad trees, a data structure for retrieval on composite keys, Acta Informatica
// 4 (1974) 1.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace cotangent::studies {

class Quadtree {
 public:
  using Points = std::vector<std::int64_t>;  ///< their numbers x + y * width, rising

  /// Both sides have a multiple of 2^levels intervals; or the height is 1.
  Quadtree(std::int64_t width, std::int64_t height, int levels);

  int level() const { return level_; }
  int levels() const { return levels_; }
  /// The points that this level adds.
  const Points& points() const { return points_; }
  /// Halves the cells of this level whose corners differ. False where there is none, or no further level.
  bool refine(const std::function<bool(std::span<const std::int64_t>)>& differ);

  /// For each point that no level has, its cell's corners and their weights.
  void interpolate(const std::function<void(std::int64_t point, std::span<const std::int64_t> corners,
                                            std::span<const double> weights)>& enter) const;

 private:
  struct Cell {
    std::int64_t x, y, side;
  };
  std::array<std::int64_t, 4> corners(const Cell& cell) const;
  std::int64_t rise(const Cell& cell) const { return height_ > 1 ? cell.side : 0; }

  std::int64_t width_, height_;
  int levels_, level_ = 0;
  std::vector<Cell> cells_, left_;  ///< of this level; those that weren't halved
  std::vector<char> seen_;          ///< the points of this and earlier levels
  Points points_;
};

}  // namespace cotangent::studies
