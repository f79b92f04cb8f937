// SPDX-License-Identifier: BSD-3-Clause
#include "particles/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/simd_compress.hpp"
#include "numerics/simd_transpose.hpp"
#include "particles/image.hpp"

namespace cotangent::particles {

namespace {

using Lanes = numerics::Lanes<pack>;

/// Each row's particle's name, and below it the row; room for some more.
std::vector<std::uint64_t> named(const ParticleArrays& particles) {
  std::vector<std::uint64_t> names(particles.id.size() + pack);
  for (std::size_t row = 0; row < particles.id.size(); ++row)
    names[row] = static_cast<std::uint64_t>(particles.id[row]) << 32 | row;
  return names;
}
std::int32_t row_of(std::uint64_t named) {
  return static_cast<std::int32_t>(named);
}

std::uint32_t offset(std::int32_t row) {
  return 4 * static_cast<std::uint32_t>(row);
}

/// What lies in a cell and around it.
struct Candidates {
  std::size_t count = 0;
  std::vector<std::uint64_t> name;
  std::array<numerics::AlignedVector<double>, 3> q;

  /// A register at a time, beyond the last one: `name` and `all` have room for it.
  void take(const std::vector<std::uint64_t>& all, RowRange rows) {
    const auto size = static_cast<std::size_t>(rows.end - rows.begin);
    if (count + size + pack > name.size()) name.resize(2 * (count + size + pack));
    const std::uint64_t* from = all.data() + rows.begin;
    for (std::size_t k = 0; k < size; k += pack)
      std::memcpy(name.data() + count + k, from + k, pack * sizeof *from);
    count += size;
  }
  /// Fills up a register, and finds all positions.
  void look_up(const ParticleArrays& particles) {
    const std::size_t size = (count + pack - 1) / pack * pack;
    std::fill(name.begin() + static_cast<std::ptrdiff_t>(count),
              name.begin() + static_cast<std::ptrdiff_t>(size),
              static_cast<std::uint64_t>(particles.far_row()));
    count = size;
    for (auto& x : q) x.resize(std::max(x.size(), count));
    for (std::size_t k = 0; k < count; k += pack) {
      std::array<std::uint32_t, pack> place;
      for (std::size_t lane = 0; lane < pack; ++lane) place[lane] = offset(row_of(name[k + lane]));
      const auto x = numerics::rows_of_four<pack>(particles.position.data(), place.data());
      for (std::size_t n = 0; n < 3; ++n) std::memcpy(q[n].data() + k, &x[n], sizeof(Lanes));
    }
  }
};

/// What listing neighbours costs, in steps.
constexpr double listing_steps = 15.0;

}  // namespace

/// With d the way of the fastest in a step, (1 + s / range)^2 + listing_steps 2.5 d / s is least.
double cheapest_skin(double range, double way, const Periods& periods) {
  double best = std::sqrt(1.25 * way * listing_steps * range);
  for (const double period : periods) {
    if (period > 0) best = std::min(best, 0.49 * period - range);
  }
  return std::clamp(best, 0.02 * range, range);
}

/// The lists of a group's particles, one after the other, until they are dealt out to packs.
struct NeighbourLists::Group {
  struct Lists {
    std::vector<std::int32_t> rows;
    std::vector<std::size_t> begin{0};

    std::size_t length(std::size_t i) const { return begin[i + 1] - begin[i]; }
    void close(std::size_t lists = 1) { begin.resize(begin.size() + lists, rows.size()); }
    void clear() {
      rows.clear();
      begin.assign(1, 0);
    }
    /// Those of a pack's particles, one of each in turn.
    void deal_out(std::span<const std::size_t, pack> particles, std::int32_t far_row,
                  NeighbourLists& to) const {
      std::size_t longest = 0;
      for (const std::size_t i : particles) longest = std::max(longest, length(i));
      const std::size_t at = to.neighbours_.size();
      to.neighbours_.resize(at + longest * pack, offset(far_row));
      for (std::size_t lane = 0; lane < pack; ++lane) {
        const std::size_t i = particles[lane];
        std::uint32_t* next = to.neighbours_.data() + at + lane;
        for (std::size_t k = begin[i]; k < begin[i + 1]; ++k, next += pack) *next = offset(rows[k]);
      }
      to.begin_.push_back(to.neighbours_.size());
    }
  };
  Lists felt, seen;

  std::size_t size() const { return felt.begin.size() - 1; }
  /// Closes so many particles' lists.
  void close(std::size_t particles = 1) {
    felt.close(particles);
    seen.close(particles);
  }
  /// Particles by the length of their lists, longest first.
  std::vector<std::size_t> by_length() const {
    std::size_t longest = 0;
    for (std::size_t i = 0; i < size(); ++i) longest = std::max(longest, felt.length(i));
    std::vector<std::size_t> next(longest + 2, 0), order(size());
    for (std::size_t i = 0; i < size(); ++i) ++next[longest - felt.length(i) + 1];
    for (std::size_t k = 1; k < next.size(); ++k) next[k] += next[k - 1];
    for (std::size_t i = 0; i < size(); ++i) order[next[longest - felt.length(i)]++] = i;
    return order;
  }
  /// To the lists, from particle `first` on, and is empty again.
  void deal_out(NeighbourLists& lists, std::int32_t first, std::int32_t far_row) {
    const auto order = by_length();
    for (std::size_t p = 0; p < order.size(); p += pack) {
      const std::span<const std::size_t, pack> particles(order.data() + p, pack);
      for (const std::size_t i : particles)
        lists.particles_.push_back(offset(first + static_cast<std::int32_t>(i)));
      felt.deal_out(particles, far_row, lists);
      seen.deal_out(particles, far_row, lists);
    }
    felt.clear();
    seen.clear();
  }
};

void NeighbourLists::build(const ParticleArrays& particles, const DomainDecomposition& decomposition,
                           double range, std::span<const std::span<const std::int64_t>> unfelt,
                           double correlation_cutoff) {
  const Grid& grid = decomposition.grid();
  const Image image(grid.periods());
  const Lanes limit(range * range), far_limit(correlation_cutoff * correlation_cutoff);
  const bool sees = correlation_cutoff > range;
  begin_.assign(1, 0);
  particles_.clear();
  neighbours_.clear();
  neighbours_.reserve(static_cast<std::size_t>(particles.own) * 8);
  DomainDecomposition::Finder find(decomposition);
  const std::vector<std::uint64_t> names = named(particles);
  Candidates around;
  std::vector<std::uint64_t> found, sorted, seen;
  Group members;
  // Cells of one block come one after the other and look at the same candidates.
  const auto cells = decomposition.own_cells();
  for (auto cell = cells.begin(); cell != cells.end();) {
    const Grid::Key block = Grid::block(cell->key);
    around.count = 0;
    for (const RowRange rows : find.around_block(cell->cell)) around.take(names, rows);
    around.look_up(particles);
    found.resize(around.count + 8);
    sorted.resize(found.size());
    seen.resize(found.size());
    std::int32_t i = cell->rows.begin;
    while (cell != cells.end() && Grid::block(cell->key) == block) ++cell;
    for (const std::int32_t end = (cell - 1)->rows.end; i < end; ++i) {
      const double* q = particles.position.data() + 4 * static_cast<std::ptrdiff_t>(i);
      std::size_t here = 0, beyond = 0;
      for (std::size_t k = 0; k < around.count; k += pack) {
        std::array<Lanes, 3> r;
        for (std::size_t n = 0; n < 3; ++n) {
          Lanes x;
          std::memcpy(&x, around.q[n].data() + k, sizeof(Lanes));
          r[n] = Lanes(q[n]) - x;
        }
        const Lanes squared = image.squared_distance(r);
        const auto near = squared <= limit;
        here += numerics::write_chosen(near, around.name.data() + k, found.data() + here);
        if (sees)
          beyond += numerics::write_chosen((squared <= far_limit) & !near, around.name.data() + k,
                                           seen.data() + beyond);
      }
      numerics::sort_by_rank(found.data(), here, sorted.data());
      const auto left_out =
          unfelt.empty() ? std::span<const std::int64_t>() : unfelt[static_cast<std::size_t>(i)];
      const auto put = [&](std::vector<std::uint64_t>& names, std::size_t count,
                           std::vector<std::int32_t>& rows) {
        auto end = names.begin() + static_cast<std::ptrdiff_t>(count);
        if (!left_out.empty())
          end = std::remove_if(names.begin(), end, [&](std::uint64_t name) {
            return std::ranges::binary_search(left_out, static_cast<std::int64_t>(name >> 32));
          });
        const std::size_t before = rows.size();
        rows.resize(before + count);
        auto to = rows.begin() + static_cast<std::ptrdiff_t>(before);
        for (auto name = names.begin(); name != end; ++name) {
          *to = row_of(*name);
          to += *to != i;
        }
        rows.erase(to, rows.end());
      };
      put(sorted, here, members.felt.rows);
      put(seen, beyond, members.seen.rows);
      members.close();
      if (members.size() == group) members.deal_out(*this, i + 1 - group, particles.far_row());
    }
  }
  const std::int32_t rest = particles.own / group * group;
  members.close(static_cast<std::size_t>(particles.padded - rest) - members.size());
  members.deal_out(*this, rest, particles.far_row());
}

std::vector<std::int32_t> NeighbourLists::lengths(int rows) const {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows), 0);
  for (int p = 0; p < static_cast<int>(particles_.size()) / pack; ++p) {
    for (const std::uint32_t place : particles(p)) {
      if (place / 4 < lengths.size())
        lengths[place / 4] = static_cast<std::int32_t>(neighbours(p).size() / pack);
    }
  }
  return lengths;
}

std::vector<int> NeighbourLists::of(int row) const {
  std::vector<int> rows;
  const auto at = static_cast<std::size_t>(std::ranges::find(particles_, offset(row)) - particles_.begin());
  const auto all = neighbours(static_cast<int>(at / pack));
  for (std::size_t k = at % pack; k < all.size(); k += pack) rows.push_back(static_cast<int>(all[k] / 4));
  return rows;
}

}  // namespace cotangent::particles
