#include "particles/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "particles/image.hpp"

namespace cotangent::particles {

namespace {

using Lanes = numerics::Lanes<pack>;

/// What lies in a cell and around it.
struct Candidates {
  std::vector<std::int32_t> row;
  std::array<numerics::AlignedVector<double>, 3> q;

  void take(std::int32_t begin, std::int32_t end) {
    for (std::int32_t i = begin; i < end; ++i) row.push_back(i);
  }
  void look_up(const Cloud& cloud) {
    row.resize((row.size() + pack - 1) / pack * pack, cloud.far_row());
    for (auto& x : q) x.resize(std::max(x.size(), row.size()));
    for (std::size_t k = 0; k < row.size(); k += pack) {
      const auto x = numerics::rows_of_four<pack>(cloud.position.data(), row.data() + k);
      for (std::size_t n = 0; n < 3; ++n) std::memcpy(q[n].data() + k, &x[n], sizeof(Lanes));
    }
  }
};

void sort(std::uint64_t* x, std::size_t count) {
  if (count > 48) {
    std::sort(x, x + count);
    return;
  }
  for (std::size_t k = 1; k < count; ++k) {
    const std::uint64_t value = x[k];
    std::size_t at = k;
    for (; at > 0 && x[at - 1] > value; --at) x[at] = x[at - 1];
    x[at] = value;
  }
}

/// What listing neighbours costs, in steps.
constexpr double listing_steps = 10.0;

}  // namespace

Exclusions::Exclusions(std::int64_t count, std::span<const std::array<std::int64_t, 2>> pairs)
    : begin_(static_cast<std::size_t>(count) + 1, 0) {
  for (const auto& pair : pairs) {
    for (const std::int64_t id : pair) ++begin_[static_cast<std::size_t>(id) + 1];
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  others_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const auto& [a, b] : pairs) {
    others_[next[static_cast<std::size_t>(a)]++] = b;
    others_[next[static_cast<std::size_t>(b)]++] = a;
  }
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i)
    std::sort(others_.begin() + static_cast<std::ptrdiff_t>(begin_[i]),
              others_.begin() + static_cast<std::ptrdiff_t>(begin_[i + 1]));
}

/// With d the way of the fastest in a step, (1 + s / range)^2 + listing_steps 2.5 d / s is least.
double cheapest_skin(double range, double way, const Periods& periods) {
  double best = std::sqrt(1.25 * way * listing_steps * range);
  for (const double period : periods) {
    if (period > 0) best = std::min(best, 0.49 * period - range);
  }
  return std::clamp(best, 0.02 * range, range);
}

void NeighbourLists::build(const Cloud& cloud, const Territory& territory, double range,
                           const Exclusions* excluded) {
  const Grid& grid = territory.grid();
  const Image image(grid.periods());
  const Lanes limit(range * range);
  begin_.assign(1, 0);
  rows_.clear();
  rows_.reserve(static_cast<std::size_t>(cloud.own) * 8);
  Territory::Finder find(territory);
  Candidates around;
  std::vector<Grid::Key> seen;       // round a short period a cell has the same neighbour on both sides
  std::vector<std::uint64_t> found;  // a particle's neighbours: names, and below them the rows
  std::vector<std::uint64_t> kept;   // those of a pack's particles, one after the other
  std::array<std::size_t, pack> count{};
  const auto close_pack = [&] {
    const std::size_t longest = *std::ranges::max_element(count), at = rows_.size();
    rows_.resize(at + longest * pack, cloud.far_row());
    const std::uint64_t* next = kept.data();
    for (std::size_t lane = 0; lane < pack; ++lane) {
      std::int32_t* row = rows_.data() + at + lane;
      for (std::size_t k = 0; k < count[lane]; ++k) row[k * pack] = static_cast<std::int32_t>(*next++);
    }
    begin_.push_back(rows_.size());
    kept.clear();
    count.fill(0);
  };
  for (const CellRows& cell : territory.own_cells()) {
    around.row.clear();
    seen.clear();
    for (const Grid::Key key : grid.keys_around(cell.cell)) {
      if (grid.periodic()) {
        if (std::ranges::count(seen, key) > 0) continue;
        seen.push_back(key);
      }
      if (const CellRows* rows = find(key)) around.take(rows->begin, rows->end);
    }
    around.look_up(cloud);
    found.resize(around.row.size());
    for (std::int32_t i = cell.begin; i < cell.end; ++i) {
      const double* q = cloud.position.data() + 4 * static_cast<std::ptrdiff_t>(i);
      std::size_t here = 0;
      for (std::size_t k = 0; k < around.row.size(); k += pack) {
        std::array<Lanes, 3> r;
        for (std::size_t n = 0; n < 3; ++n) {
          Lanes x;
          std::memcpy(&x, around.q[n].data() + k, sizeof(Lanes));
          r[n] = Lanes(q[n]) - x;
        }
        numerics::for_lanes(image.squared_distance(r) <= limit, [&](int lane) {
          const std::int32_t row = around.row[k + static_cast<std::size_t>(lane)];
          found[here] = static_cast<std::uint64_t>(cloud.id[static_cast<std::size_t>(row)]) << 32 |
                        static_cast<std::uint32_t>(row);
          here += row != i;
        });
      }
      sort(found.data(), here);
      if (excluded != nullptr) {
        const auto others = excluded->of(cloud.id[static_cast<std::size_t>(i)]);
        const auto felt = std::remove_if(
            found.begin(), found.begin() + static_cast<std::ptrdiff_t>(here), [&](std::uint64_t other) {
              return std::ranges::binary_search(others, static_cast<std::int64_t>(other >> 32));
            });
        here = static_cast<std::size_t>(felt - found.begin());
      }
      kept.insert(kept.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(here));
      count[static_cast<std::size_t>(i % pack)] = here;
      if (i % pack == pack - 1) close_pack();
    }
  }
  while (std::ssize(begin_) <= cloud.padded / pack) close_pack();
}

}  // namespace cotangent::particles
