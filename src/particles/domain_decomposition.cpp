// SPDX-License-Identifier: BSD-3-Clause
#include "particles/domain_decomposition.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <ranges>
#include <utility>

#include "parallel/mpi.hpp"

namespace cotangent::particles {

namespace {

/// Cut anew where a rank has come to have so many times what the last cut left it.
constexpr double tilt = 1.05;

}  // namespace

int DomainDecomposition::owner(Grid::Key key) const {
  return static_cast<int>(std::ranges::upper_bound(first_key_, key) - first_key_.begin());
}

/// Keys at which the curve is cut, by bisection over all 63 bits at once for all ranks.
void DomainDecomposition::cut(std::vector<Load> loads, std::int64_t total) {
  std::ranges::sort(loads, {}, &Load::key);
  std::int64_t sum = 0;
  for (Load& load : loads) load.work = std::exchange(sum, sum + load.work);  // of those before it
  loads.push_back({~Grid::Key{0}, sum});
  const auto pieces = static_cast<std::size_t>(parallel::size());
  std::vector<Grid::Key> low(pieces - 1, 0), high(pieces - 1, Grid::Key{1} << 63);
  for (int bit = 0; bit < 64; ++bit) {
    std::vector<std::int64_t> below;
    std::vector<Grid::Key> middle;
    for (std::size_t k = 0; k + 1 < pieces; ++k) {
      middle.push_back(low[k] + (high[k] - low[k]) / 2);
      below.push_back(std::ranges::lower_bound(loads, middle[k], {}, &Load::key)->work);
    }
    below = parallel::sum(std::move(below));
    for (std::size_t k = 0; k + 1 < pieces; ++k) {
      const bool enough = below[k] * std::ssize(low) + below[k] >= total * static_cast<std::int64_t>(k + 1);
      (enough ? high : low)[k] = middle[k];
    }
  }
  first_key_ = high;
  ++cuts_;
}

/// The most that any rank would have, everything where it belongs, in mean loads.
double DomainDecomposition::heaviest(const std::vector<Load>& loads, std::int64_t total) const {
  std::vector<std::int64_t> kept(first_key_.size() + 1, 0);
  for (const Load& load : loads) kept[static_cast<std::size_t>(owner(load.key))] += load.work;
  const auto most = static_cast<double>(std::ranges::max(parallel::sum(std::move(kept))));
  return most * parallel::size() / static_cast<double>(total);
}

/// Those that are in the cell in which they were last time are in order already: only the others are sorted.
void DomainDecomposition::exchange_particles(ParticleArrays& particles, std::span<const std::int32_t> work) {
  const int ranks = parallel::size(), here = parallel::rank();
  std::vector<Load> loads;
  loads.reserve(static_cast<std::size_t>(particles.own));
  std::int64_t mine = 0;
  for (int row = 0; row < particles.own; ++row) {
    loads.push_back({grid_.key(particles.position.data() + 4 * std::ptrdiff_t{row}),
                     work.empty() ? 1 : work[static_cast<std::size_t>(row)]});
    mine += loads.back().work;
  }
  if (ranks > 1) {
    const std::int64_t total = parallel::sum(mine);
    if (first_key_.empty() || heaviest(loads, total) > tilt * left_heaviest_) {
      cut(loads, total);
      left_heaviest_ = heaviest(loads, total);
    }
  }
  Order stayed, moved;
  std::vector<std::vector<Particle>> leave(static_cast<std::size_t>(ranks));
  stayed.reserve(loads.size());
  auto before = cells_.cbegin();
  for (std::int32_t row = 0; row < particles.own; ++row) {
    const Grid::Key key = loads[static_cast<std::size_t>(row)].key;
    while (before != cells_.cend() && row >= before->rows.end) ++before;
    if (const int to = owner(key); to != here) {
      leave[static_cast<std::size_t>(to)].push_back(particles.particle(row));
    } else {
      (before != cells_.cend() && before->key == key ? stayed : moved).emplace_back(key, row);
    }
  }
  const auto come = parallel::exchange(std::move(leave));
  for (std::size_t k = 0; k < come.size(); ++k)
    moved.emplace_back(grid_.key(come[k].q.data()), particles.own + static_cast<std::int32_t>(k));
  std::ranges::sort(moved);
  Order order;
  order.reserve(stayed.size() + moved.size());
  std::ranges::merge(stayed, moved, std::back_inserter(order));
  std::vector<std::int32_t> rows(order.size());
  std::ranges::copy(order | std::views::values, rows.begin());
  particles.arrange(rows, come);
  list_cells(particles, order);
  plan_halo(particles);
}

void DomainDecomposition::insert(std::int32_t block) {
  std::size_t slot = hash(blocks_[static_cast<std::size_t>(block)].key) & (table_.size() - 1);
  while (table_[slot] >= 0) slot = (slot + 1) & (table_.size() - 1);
  table_[slot] = block;
}

/// Cells come along the curve, those of a block one after the other, unless they are ghosts.
void DomainDecomposition::remember(Grid::Key cell, RowRange rows) {
  const Grid::Key key = Grid::block(cell);
  auto* block =
      !blocks_.empty() && blocks_.back().key == key ? &blocks_.back() : const_cast<Block*>(find_block(key));
  if (block == nullptr) {
    if (2 * (blocks_.size() + 1) > table_.size()) {
      table_.assign(2 * table_.size(), -1);
      for (std::size_t b = 0; b < blocks_.size(); ++b) insert(static_cast<std::int32_t>(b));
    }
    blocks_.push_back({key, 0, {}});
    insert(static_cast<std::int32_t>(blocks_.size()) - 1);
    block = &blocks_.back();
  }
  block->rows[cell & 7] = rows;
  block->occupied |= 1u << (cell & 7);
}

void DomainDecomposition::list_cells(const ParticleArrays& particles, const Order& order) {
  cells_.clear();
  blocks_.clear();
  table_.assign(std::bit_ceil(static_cast<std::size_t>(particles.own) / 2 + 16), -1);
  for (std::size_t i = 0; i < order.size();) {
    const Grid::Key key = order[i].first;
    std::size_t end = i + 1;
    while (end < order.size() && order[end].first == key) ++end;
    const RowRange rows{static_cast<std::int32_t>(i), static_cast<std::int32_t>(end)};
    cells_.push_back({grid_.cell(particles.position.data() + 4 * i), key, rows});
    remember(key, rows);
    i = end;
  }
}

bool DomainDecomposition::all_ours_around(const Grid::Cell& cell, int here) const {
  const auto rank = static_cast<std::size_t>(here);
  const Grid::Key first = rank > 0 ? first_key_[rank - 1] : 0;
  const Grid::Key end = rank < first_key_.size() ? first_key_[rank] : ~Grid::Key{0};
  std::array<Grid::Part, 27> parts;
  return std::ranges::all_of(grid_.around_block(cell, parts), [&](const Grid::Part& part) {
    return Grid::first_of(part.block) >= first && Grid::first_of(part.block + 1) <= end;
  });
}

/// Each rank that owns a cell around one of ours is sent what ours holds; so everyone is sent what is around
/// what he holds.
void DomainDecomposition::plan_halo(ParticleArrays& particles) {
  on_border_.assign(static_cast<std::size_t>((particles.padded + group - 1) / group), 0);
  const int ranks = parallel::size(), here = parallel::rank();
  particles.expect_ghosts(0);
  if (ranks == 1) return;
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(ranks));
  std::vector<int> seen;
  Grid::Key looked_at = ~Grid::Key{0};
  bool inside = false;
  for (const CellRows& cell : own_cells()) {
    if (Grid::block(cell.key) != looked_at) {
      looked_at = Grid::block(cell.key);
      inside = all_ours_around(cell.cell, here);
    }
    if (inside) continue;
    seen.clear();
    for (const Grid::Key key : grid_.keys_around(cell.cell)) {
      const int rank = owner(key);
      if (rank == here || std::ranges::count(seen, rank) > 0) continue;
      seen.push_back(rank);
      for (std::int32_t row = cell.rows.begin; row < cell.rows.end; ++row) {
        rows[static_cast<std::size_t>(rank)].push_back(row);
        on_border_[static_cast<std::size_t>(row / group)] = 1;
      }
    }
  }
  halo_ = parallel::HaloPlan(rows, 4);
  particles.expect_ghosts(halo_.incoming());
  double* ghosts = particles.position.data() + 4 * std::ptrdiff_t{particles.padded};
  halo_.start(particles.position.data(), ghosts);
  halo_.finish();
  std::vector<std::vector<std::int64_t>> names(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (const std::int32_t row : rows[r]) names[r].push_back(particles.id[static_cast<std::size_t>(row)]);
  }
  const auto foreign = parallel::exchange(std::move(names));
  particles.id.resize(static_cast<std::size_t>(particles.padded));
  particles.id.insert(particles.id.end(), foreign.begin(), foreign.end());
  for (int i = 0; i < particles.ghosts;) {
    const Grid::Key key = grid_.key(ghosts + 4 * std::ptrdiff_t{i});
    int end = i + 1;
    while (end < particles.ghosts && grid_.key(ghosts + 4 * std::ptrdiff_t{end}) == key) ++end;
    remember(key, {particles.padded + i, particles.padded + end});
    i = end;
  }
}

}  // namespace cotangent::particles
