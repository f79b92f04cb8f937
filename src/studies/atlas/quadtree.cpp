// SPDX-License-Identifier: BSD-3-Clause
#include "studies/atlas/quadtree.hpp"

#include <algorithm>

namespace cotangent::studies {

Quadtree::Quadtree(std::int64_t width, std::int64_t height, int levels)
    : width_(width), height_(height), levels_(levels), seen_(static_cast<std::size_t>(width * height), 0) {
  const std::int64_t side = std::int64_t{1} << levels;
  for (std::int64_t y = 0; y < height; y += side) {
    for (std::int64_t x = 0; x < width; x += side) {
      points_.push_back(x + y * width);
      if (x + side < width && (y + side < height || height == 1)) cells_.push_back({x, y, side});
    }
  }
  for (const std::int64_t point : points_) seen_[static_cast<std::size_t>(point)] = 1;
}

std::array<std::int64_t, 4> Quadtree::corners(const Cell& cell) const {
  const std::int64_t first = cell.x + cell.y * width_, up = rise(cell) * width_;
  return {first, first + cell.side, first + up, first + cell.side + up};
}

bool Quadtree::refine(const std::function<bool(std::span<const std::int64_t>)>& differ) {
  std::vector<Cell> smaller;
  points_.clear();
  for (const Cell& cell : cells_) {
    const auto all = corners(cell);
    if (level_ == levels_ || !differ(all)) {
      left_.push_back(cell);
      continue;
    }
    const std::int64_t half = cell.side / 2, up = height_ > 1 ? half : 0;
    for (std::int64_t y = cell.y; y <= cell.y + 2 * up; y += std::max<std::int64_t>(up, 1)) {
      for (std::int64_t x = cell.x; x <= cell.x + cell.side; x += half) {
        const std::int64_t point = x + y * width_;
        if (seen_[static_cast<std::size_t>(point)] == 0) points_.push_back(point);
        seen_[static_cast<std::size_t>(point)] = 1;
        if (x < cell.x + cell.side && (y < cell.y + 2 * up || up == 0)) smaller.push_back({x, y, half});
      }
    }
  }
  std::ranges::sort(points_);
  cells_ = std::move(smaller);
  if (level_ < levels_) ++level_;
  return !cells_.empty();
}

void Quadtree::interpolate(const std::function<void(std::int64_t, std::span<const std::int64_t>,
                                                    std::span<const double>)>& enter) const {
  std::vector<char> entered(seen_);
  for (const auto* cells : {&left_, &cells_}) {
    for (const Cell& cell : *cells) {
      const auto all = corners(cell);
      for (std::int64_t y = 0; y <= rise(cell); ++y) {
        for (std::int64_t x = 0; x <= cell.side; ++x) {
          const std::int64_t point = cell.x + x + (cell.y + y) * width_;
          if (entered[static_cast<std::size_t>(point)] != 0) continue;
          entered[static_cast<std::size_t>(point)] = 1;
          const double across = static_cast<double>(x) / static_cast<double>(cell.side),
                       up = static_cast<double>(y) / static_cast<double>(cell.side);
          const std::array<double, 4> weights{(1 - across) * (1 - up), across * (1 - up), (1 - across) * up,
                                              across * up};
          enter(point, all, weights);
        }
      }
    }
  }
}

}  // namespace cotangent::studies
