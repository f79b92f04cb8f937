#include "particles/neighbours.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "particles/image.hpp"

namespace cotangent::particles {

namespace {

using Lanes = numerics::Lanes<pack>;

/// What lies in a cell and around it.
struct Candidates {
  std::array<std::vector<double>, 3> q;
  std::vector<std::int32_t> row;

  void clear() {
    for (auto& x : q) x.clear();
    row.clear();
  }
  void take(const Cloud& cloud, std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i) {
      for (std::size_t n = 0; n < 3; ++n) q[n].push_back(cloud.position[4 * static_cast<std::size_t>(i) + n]);
      row.push_back(i);
    }
  }
  void pad(std::int32_t far_row) {
    while (row.size() % pack != 0) {
      for (auto& x : q) x.push_back(far_away);
      row.push_back(far_row);
    }
  }
};

}  // namespace

void NeighbourLists::build(const Cloud& cloud, const Territory& territory, double range) {
  begin_.assign(1, 0);
  rows_.clear();
  const Image image(territory.grid().periods());
  Candidates around;
  std::vector<std::pair<std::int64_t, std::int32_t>> found;
  std::array<std::vector<std::int32_t>, pack> lists;
  const auto close_pack = [&] {
    std::size_t longest = 0;
    for (const auto& list : lists) longest = std::max(longest, list.size());
    const std::size_t at = rows_.size();
    rows_.resize(at + longest * pack, cloud.far_row());
    for (std::size_t lane = 0; lane < pack; ++lane) {
      for (std::size_t k = 0; k < lists[lane].size(); ++k) rows_[at + k * pack + lane] = lists[lane][k];
      lists[lane].clear();
    }
    begin_.push_back(rows_.size());
  };
  for (const CellRows& cell : territory.own_cells()) {
    around.clear();
    std::vector<Grid::Key> seen;  // round a short period a cell has the same neighbour on both sides
    for (int shift = 0; shift < 27; ++shift) {
      const Grid::Key key = Grid::key(
          territory.grid().neighbour(cell.cell, shift % 3 - 1, shift / 3 % 3 - 1, shift / 9 - 1));
      if (territory.grid().periodic()) {
        if (std::ranges::count(seen, key) > 0) continue;
        seen.push_back(key);
      }
      if (const CellRows* rows = territory.find(key)) around.take(cloud, rows->begin, rows->end);
    }
    around.pad(cloud.far_row());
    for (std::int32_t i = cell.begin; i < cell.end; ++i) {
      found.clear();
      const double* q = cloud.position.data() + 4 * static_cast<std::ptrdiff_t>(i);
      for (std::size_t k = 0; k < around.row.size(); k += pack) {
        std::array<Lanes, 3> r;
        for (std::size_t n = 0; n < 3; ++n) {
          Lanes x;
          std::memcpy(&x, around.q[n].data() + k, sizeof(Lanes));
          r[n] = Lanes(q[n]) - x;
        }
        const Lanes squared = image.squared_distance(r);
        for (unsigned near = numerics::bits(squared <= Lanes(range * range)); near != 0; near &= near - 1) {
          const std::int32_t row = around.row[k + static_cast<std::size_t>(std::countr_zero(near))];
          if (row != i) found.emplace_back(cloud.id[static_cast<std::size_t>(row)], row);
        }
      }
      std::ranges::sort(found);
      auto& list = lists[static_cast<std::size_t>(i % pack)];
      for (const auto& [id, row] : found) list.push_back(row);
      if (i % pack == pack - 1) close_pack();
    }
  }
  if (cloud.own % pack != 0) close_pack();
}

}  // namespace cotangent::particles
