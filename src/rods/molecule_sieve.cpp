// SPDX-License-Identifier: BSD-3-Clause
#include "rods/molecule_sieve.hpp"

#include <algorithm>
#include <unordered_map>

#include "parallel/records.hpp"

namespace cotangent::rods {

using particles::Grid;

/// Blocks of 16 cells along each axis, dealt out by multiplicative hashing.
int MoleculeSieve::home(Grid::Key key) const {
  const std::uint64_t mixed = (key >> 12) * 0x9e3779b97f4a7c15u;
  return static_cast<int>((mixed >> 32) % static_cast<std::uint64_t>(parallel::size()));
}

bool MoleculeSieve::lives_here(const NumberedPoint& point) const {
  return parallel::size() == 1 || home(grid_.key(point.q.data())) == parallel::rank();
}

/// What lies in this rank's blocks, and in cells around them.
std::vector<NumberedPoint> MoleculeSieve::brought_home(const std::vector<NumberedPoint>& points) const {
  if (parallel::size() == 1) return points;
  auto to = parallel::for_ranks<NumberedPoint>();
  std::vector<int> homes;
  for (const NumberedPoint& point : points) {
    homes.clear();
    for (const Grid::Key key : grid_.keys_around(grid_.cell(point.q.data()))) {
      const int rank = home(key);
      if (std::ranges::find(homes, rank) == homes.end()) homes.push_back(rank);
    }
    for (const int rank : homes) to[static_cast<std::size_t>(rank)].push_back(point);
  }
  return parallel::exchange(std::move(to));
}

/// Those whose later point lives here.
auto MoleculeSieve::pairs(const std::vector<NumberedPoint>& points) const -> std::vector<Pair> {
  std::unordered_map<Grid::Key, std::vector<NumberedPoint>> cells;
  for (const NumberedPoint& point : points) cells[grid_.key(point.q.data())].push_back(point);
  std::vector<Pair> found;
  for (const NumberedPoint& point : points) {
    if (!lives_here(point)) continue;
    for (const Grid::Key key : grid_.keys_around(grid_.cell(point.q.data()))) {
      const auto there = cells.find(key);
      if (there == cells.end()) continue;
      for (const auto& [number, q] : there->second) {
        if (number >= point.number) continue;
        std::array r{point.q[0] - q[0], point.q[1] - q[1], point.q[2] - q[2]};
        if (image_.squared_distance(r) < squared_) found.push_back({point.number, number});
      }
    }
  }
  return found;
}

std::vector<char> MoleculeSieve::take(std::uint64_t first, std::uint64_t last,
                                      const std::vector<NumberedPoint>& points,
                                      std::vector<std::uint64_t> misfits) {
  std::vector<NumberedPoint> here = brought_home(points);
  for (const NumberedPoint& point : here) {
    const bool known = !misfits.empty() && misfits.back() == point.number;
    if (!known && lives_here(point) && !kept_.free(point.q)) misfits.push_back(point.number);
  }
  std::vector<char> kept(last - first, 1);
  for (const std::uint64_t draw : parallel::everywhere(misfits)) kept[draw - first] = 0;
  std::erase_if(here, [&](const NumberedPoint& point) { return kept[point.number - first] == 0; });

  // Whatever comes before the later of a pair is settled when its turn comes.
  auto near = parallel::everywhere(pairs(here));
  std::ranges::sort(near, {}, &Pair::later);
  for (const auto& [later, earlier] : near) {
    if (kept[earlier - first] != 0) kept[later - first] = 0;
  }
  for (const NumberedPoint& point : here) {
    if (kept[point.number - first] != 0) kept_.add(point.q);
  }
  return kept;
}

}  // namespace cotangent::rods
