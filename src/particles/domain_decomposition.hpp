// SPDX-License-Identifier: BSD-3-Clause
// Who keeps which particles: each rank a run of the cells along Morton's curve, such that all have about as
// much work; and whose particles each must see, those in the cells around its own. When particles have moved,
// they go to the rank that their cell belongs to and are sorted along the curve; where the load has tilted,
// the curve is cut anew. What a particle does depends on none of this.
// Reference: Warren, Salmon, A parallel hashed oct-tree N-body algorithm (SC 1993).
#pragma once

#include <span>
#include <vector>

#include "numerics/simd_compress.hpp"
#include "parallel/exchange.hpp"
#include "particles/grid.hpp"
#include "particles/particle_arrays.hpp"

namespace cotangent::particles {

/// Rows that follow one another.
struct RowRange {
  std::int32_t begin = 0, end = 0;
};

/// A cell that is occupied.
struct CellRows {
  Grid::Cell cell{};
  Grid::Key key = 0;
  RowRange rows;
};

class DomainDecomposition {
  /// Particles by their cells.
  using Order = std::vector<std::pair<Grid::Key, std::int32_t>>;
  /// A particle's cell, and what it costs.
  struct Load {
    Grid::Key key = 0;
    std::int64_t work = 0;
  };
  /// Two cells along each axis, a bit for each that is occupied.
  struct Block {
    Grid::Key key = 0;
    unsigned occupied = 0;
    std::array<RowRange, 8> rows{};
  };

 public:
  explicit DomainDecomposition(const Grid& grid) : grid_(grid) {}

  /// Brings all particles home, sorts them, and makes the plan by which ghosts come; their positions and
  /// names are there afterwards. `work`: what each own particle costs a rank, in any unit; empty: all alike.
  /// Collective.
  void exchange_particles(ParticleArrays& particles, std::span<const std::int32_t> work = {});

  const Grid& grid() const { return grid_; }
  /// Other cells, from the next exchange_particles() on.
  void change(const Grid& grid) {
    grid_ = grid;
    first_key_.clear();
    cells_.clear();
  }
  /// The occupied cells of the own particles, in the order of their rows.
  std::span<const CellRows> own_cells() const { return cells_; }
  /// Looks up cells, own or ghosts', and remembers where it found the last ones.
  class Finder {
   public:
    explicit Finder(const DomainDecomposition& decomposition) : decomposition_(decomposition) {
      known_.fill(~Grid::Key{0});
    }
    /// The occupied cells of the block that a cell lies in, and those around it; until the next call.
    std::span<const RowRange> around_block(const Grid::Cell& cell) {
      static constexpr Block empty{};
      std::size_t count = 0;
      std::array<Grid::Part, 27> parts;
      for (const auto& [key, cells] : decomposition_.grid_.around_block(cell, parts)) {
        const std::size_t place = key & 63;  // a block and all that touch it have places of their own
        if (known_[place] != key) {
          const Block* const found = decomposition_.find_block(key);
          known_[place] = key;
          block_[place] = found != nullptr ? found : &empty;
        }
        const Block& block = *block_[place];
        count += numerics::write_chosen<8>(block.occupied & cells, block.rows.data(), found_.data() + count);
      }
      return std::span(found_).first(count);
    }

   private:
    const DomainDecomposition& decomposition_;
    std::array<Grid::Key, 64> known_;
    std::array<const Block*, 64> block_{};
    std::array<RowRange, 8 * 27 + 8> found_;
  };
  parallel::HaloPlan& halo() { return halo_; }
  /// Whether other ranks see particles of a group.
  const std::vector<char>& on_border() const { return on_border_; }
  /// How often the curve has been cut anew.
  int cuts() const { return cuts_; }

 private:
  const Block* find_block(Grid::Key block) const {
    const std::size_t mask = table_.size() - 1;
    for (std::size_t slot = hash(block) & mask;; slot = (slot + 1) & mask) {
      const std::int32_t at = table_[slot];
      if (at < 0) return nullptr;
      if (blocks_[static_cast<std::size_t>(at)].key == block) return &blocks_[static_cast<std::size_t>(at)];
    }
  }
  static std::size_t hash(Grid::Key block) {
    return static_cast<std::size_t>((block * 0x9e3779b97f4a7c15u) >> 20);
  }
  void insert(std::int32_t block);
  int owner(Grid::Key key) const;
  void cut(std::vector<Load> loads, std::int64_t total);
  double heaviest(const std::vector<Load>& loads, std::int64_t total) const;
  /// Whether rank `here` owns all cells of a cell's block and all blocks that touch it.
  bool all_ours_around(const Grid::Cell& cell, int here) const;
  void list_cells(const ParticleArrays& particles, const Order& order);
  void plan_halo(ParticleArrays& particles);
  void remember(Grid::Key cell, RowRange rows);

  Grid grid_;
  std::vector<Grid::Key> first_key_;  ///< of each rank but the first
  std::vector<CellRows> cells_;       ///< own ones
  std::vector<Block> blocks_;         ///< those that hold a cell, own or ghosts'
  std::vector<std::int32_t> table_;   ///< blocks by their keys' hash, -1: empty
  parallel::HaloPlan halo_;
  std::vector<char> on_border_;
  int cuts_ = 0;
  double left_heaviest_ = 1.0;  ///< by the last cut
};

}  // namespace cotangent::particles
