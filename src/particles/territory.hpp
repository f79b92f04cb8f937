// Who keeps which particles: each rank a run of the cells along Morton's curve, such that all keep about as
// many; and whose particles each must see, those in the cells around its own. When particles have moved, they
// go to the rank that their cell belongs to and are sorted along the curve; where the load has tilted, the
// curve is cut anew. What a particle does depends on none of this.
// Reference: Warren, Salmon, A parallel hashed oct-tree N-body algorithm (SC 1993).
#pragma once

#include <span>
#include <vector>

#include "parallel/exchange.hpp"
#include "particles/cloud.hpp"
#include "particles/grid.hpp"

namespace cotangent::particles {

/// Rows of one cell.
struct CellRows {
  Grid::Cell cell{};
  Grid::Key key = 0;
  std::int32_t begin = 0, end = 0;
};

class Territory {
 public:
  explicit Territory(const Grid& grid) : grid_(grid) {}

  /// Brings all particles home, sorts them, and makes the plan by which ghosts come; their positions and
  /// names are there afterwards. Collective.
  void settle(Cloud& cloud);

  const Grid& grid() const { return grid_; }
  /// Other cells, from the next settle() on.
  void change(const Grid& grid) {
    grid_ = grid;
    first_key_.clear();
  }
  /// The occupied cells of the own particles, in the order of their rows.
  std::span<const CellRows> own_cells() const { return {cells_.data(), own_cells_}; }
  /// The rows in a cell, own or ghosts; nothing where it is empty or far from here.
  const CellRows* find(Grid::Key key) const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = hash(key) & mask;; slot = (slot + 1) & mask) {
      const std::int32_t at = table_[slot];
      if (at < 0) return nullptr;
      const CellRows& cell = cells_[static_cast<std::size_t>(at)];
      if (cell.key == key) return &cell;
    }
  }
  parallel::HaloPlan& halo() { return halo_; }
  /// Whether other ranks see particles of a pack.
  const std::vector<char>& on_border() const { return on_border_; }
  /// How often the curve has been cut anew.
  int cuts() const { return cuts_; }

 private:
  /// Neighbours in space stay neighbours in memory: blocks of 16^3 cells are scattered, not the cells in them.
  static std::size_t hash(Grid::Key key) {
    return static_cast<std::size_t>(key + (((key >> 12) * 0x9e3779b97f4a7c15u) >> 20));
  }
  int owner(Grid::Key key) const;
  void cut(std::vector<Grid::Key> keys, std::int64_t total);
  std::vector<Particle> brought_home(const Cloud& cloud);
  void list_cells(const Cloud& cloud);
  void plan_halo(Cloud& cloud);
  void remember(CellRows cell);

  Grid grid_;
  std::vector<Grid::Key> first_key_;  ///< of each rank but the first
  std::vector<CellRows> cells_;       ///< own, then ghosts'
  std::size_t own_cells_ = 0;
  std::vector<std::int32_t> table_;  ///< cells by their keys' hash, -1: empty
  parallel::HaloPlan halo_;
  std::vector<char> on_border_;
  int cuts_ = 0;
};

}  // namespace cotangent::particles
