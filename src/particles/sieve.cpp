// SPDX-License-Identifier: BSD-3-Clause
#include "particles/sieve.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numerics/order.hpp"
#include "parallel/records.hpp"

namespace cotangent::particles {

Sieve::Sieve(double distance, const Periods& periods, const geometry::Triangulation& surface)
    : squared_(distance * distance), image_(periods), periods_(periods) {
  constexpr double most_cells = 1 << 20;
  const auto box = geometry::SpaceBox::around(surface.vertices);
  for (std::size_t n = 0; n < 3; ++n) {
    const double length = periods[n] > 0 ? periods[n] : box.high[n] - box.low[n];
    low_[n] = periods[n] > 0 ? 0.0 : box.low[n];
    const double cells = std::clamp(std::floor(length / distance * (1 - 1e-9)), 1.0, most_cells);
    count_[n] = static_cast<std::int32_t>(cells);
    per_length_[n] = length > 0 ? cells / length : 0.0;
  }
  slab_axis_ = static_cast<std::size_t>(std::ranges::max_element(count_) - count_.begin());
  std::vector<double> area(static_cast<std::size_t>(count_[slab_axis_]), 0.0);
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    const SpacePoint& corner = surface.vertices[static_cast<std::size_t>(surface.triangles[t][0])];
    const SpacePoint twice = surface.doubled_area(t);
    area[static_cast<std::size_t>(cell(corner)[slab_axis_])] += std::hypot(twice[0], twice[1], twice[2]);
  }
  const double ranks = parallel::size(), all = std::accumulate(area.begin(), area.end(), 0.0);
  double before = 0;
  for (const double here : area) {
    owner_.push_back(std::min(parallel::size() - 1, static_cast<int>(ranks * (before + 0.5 * here) / all)));
    before += here;
  }
}

/// What lies beyond the surface's box is counted to the outermost cells.
Sieve::Cell Sieve::cell(const SpacePoint& q) const {
  Cell cell;
  for (std::size_t n = 0; n < 3; ++n) {
    const double inside = periods_[n] > 0 ? q[n] - periods_[n] * std::floor(q[n] / periods_[n]) : q[n];
    const double place = (inside - low_[n]) * per_length_[n];
    cell[n] = static_cast<std::int32_t>(std::clamp(place, 0.0, static_cast<double>(count_[n] - 1)));
  }
  return cell;
}

/// Cells from -1 to the count, the slab's axis first: cells beside each other along the last one follow each
/// other.
std::uint64_t Sieve::key(const Cell& cell) const {
  std::uint64_t key = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t n = (slab_axis_ + k) % 3;
    key = key * static_cast<std::uint64_t>(count_[n] + 2) + static_cast<std::uint64_t>(cell[n] + 1);
  }
  return key;
}

bool Sieve::near(const SpacePoint& q, const SpacePoint& other) const {
  std::array<double, 3> r{q[0] - other[0], q[1] - other[1], q[2] - other[2]};
  return image_.squared_distance(r) < squared_;
}

/// Visits each point with each run of others in the cells around its own. Both go by their keys: so do nine
/// places among the others, one for each row of three cells, which pass over the keys alone.
template <class Visit>
void Sieve::each_around(const std::vector<Point>& points, const std::vector<Point>& others,
                        const Visit& visit) const {
  const auto row = static_cast<std::uint64_t>(count_[(slab_axis_ + 2) % 3] + 2);
  const auto layer = row * static_cast<std::uint64_t>(count_[(slab_axis_ + 1) % 3] + 2);
  std::vector<std::uint64_t> keys;
  keys.reserve(others.size());
  for (const Point& other : others) keys.push_back(other.key);
  std::array<std::size_t, 9> first{}, last{};
  for (std::size_t k = 0; k < points.size() && !keys.empty();) {
    const std::uint64_t here = points[k].key;
    for (std::size_t r = 0; r < 9; ++r) {
      const std::uint64_t middle = here + layer * (r / 3) + row * (r % 3) - layer - row;
      while (first[r] < keys.size() && keys[first[r]] + 1 < middle) ++first[r];
      last[r] = std::max(first[r], last[r]);
      while (last[r] < keys.size() && keys[last[r]] <= middle + 1) ++last[r];
    }
    for (; k < points.size() && points[k].key == here; ++k) {
      for (std::size_t r = 0; r < 9; ++r) {
        if (first[r] < last[r]) visit(k, first[r], last[r]);
      }
    }
  }
}

/// Visits the ranks that must see a point of a cell, with the cell as they see it: round the periods too.
template <class Visit>
void Sieve::each_copy(const Cell& cell, const Visit& visit) const {
  std::array<int, 3> from{}, to{};
  for (std::size_t n = 0; n < 3; ++n) {
    from[n] = periods_[n] > 0 && cell[n] == count_[n] - 1 ? -1 : 0;
    to[n] = periods_[n] > 0 && cell[n] == 0 ? 1 : 0;
  }
  const int here = parallel::rank();
  for (int x = from[0]; x <= to[0]; ++x) {
    for (int y = from[1]; y <= to[1]; ++y) {
      for (int z = from[2]; z <= to[2]; ++z) {
        const Cell seen{cell[0] + x * count_[0], cell[1] + y * count_[1], cell[2] + z * count_[2]};
        int told = seen == cell ? here : -1;  // ranks come in order
        for (std::int32_t c = seen[slab_axis_] - 1; c <= seen[slab_axis_] + 1; ++c) {
          if (c < 0 || c >= count_[slab_axis_]) continue;
          const int rank = owner_[static_cast<std::size_t>(c)];
          if (rank == told || (seen == cell && rank == here)) continue;
          visit(rank, seen);
          told = rank;
        }
      }
    }
  }
}

/// The points that lie in this rank's slab and are near none that is kept, by their keys.
std::vector<Sieve::Point> Sieve::brought_home(const std::vector<NumberedPoint>& later) const {
  auto to = parallel::for_ranks<NumberedPoint>();
  for (const auto& point : later) to[static_cast<std::size_t>(owner(cell(point.q)))].push_back(point);
  std::vector<Point> points;
  const auto came = parallel::exchange(std::move(to));
  points.reserve(came.size());
  for (const auto& [number, q] : came) points.push_back({key(cell(q)), number, q});
  numerics::sort_by_number(points, [](const Point& point) { return point.key; });
  std::vector<char> free(points.size(), 1);
  each_around(points, kept_, [&](std::size_t k, std::size_t first, std::size_t last) {
    for (std::size_t other = first; other < last && free[k]; ++other)
      free[k] = !near(points[k].q, kept_[other].q);
  });
  std::size_t left = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (free[k]) points[left++] = points[k];
  }
  points.resize(left);
  return points;
}

void Sieve::keep(std::vector<Point> points) {
  const auto by_key = [](const Point& point) { return point.key; };
  numerics::sort_by_number(points, by_key);
  const auto before = static_cast<std::ptrdiff_t>(kept_.size());
  kept_.insert(kept_.end(), points.begin(), points.end());
  std::ranges::inplace_merge(kept_, kept_.begin() + before, {}, by_key);
}

std::int64_t Sieve::take(const std::vector<NumberedPoint>& later) {
  auto points = brought_home(later);
  const std::size_t own = points.size();

  // Copies go where they are seen; what is settled about them is told in the order in which they went.
  auto copies = parallel::for_ranks<Point>();
  auto copied = parallel::for_ranks<std::size_t>();
  for (std::size_t i = 0; i < own; ++i) {
    each_copy(cell(points[i].q), [&](int rank, const Cell& seen) {
      copies[static_cast<std::size_t>(rank)].push_back({key(seen), points[i].number, points[i].q, false});
      copied[static_cast<std::size_t>(rank)].push_back(i);
    });
  }
  const auto came = parallel::exchange(std::move(copies));

  // Which points come before each and are near it: first own ones, then copies, each by their keys.
  std::vector<std::size_t> names(came.size());
  std::iota(names.begin(), names.end(), own);
  numerics::sort_by_number(names, [&](std::size_t name) { return came[name - own].key; });
  std::vector<Point> sorted_copies;
  for (const std::size_t name : names) sorted_copies.push_back(came[name - own]);
  struct Before {
    std::uint32_t point, near;
  };
  std::vector<Before> before;
  const auto look = [&](const std::vector<Point>& others, const auto& name) {
    each_around(points, others, [&](std::size_t k, std::size_t first, std::size_t last) {
      for (std::size_t other = first; other < last; ++other) {
        if (others[other].number < points[k].number && near(points[k].q, others[other].q))
          before.push_back({static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(name(other))});
      }
    });
  };
  look(points, [](std::size_t other) { return other; });
  look(sorted_copies, [&](std::size_t other) { return names[other]; });
  if (!sorted_copies.empty()) numerics::sort_by_number(before, [](const Before& pair) { return pair.point; });

  std::vector<Fate> state(own + came.size(), Fate::open);
  for (bool open_anywhere = true; open_anywhere;) {
    bool open = false;
    for (bool changed = true; changed;) {
      changed = open = false;
      auto next = before.cbegin();
      for (std::size_t i = 0; i < own; ++i) {
        bool waits = false, dropped = false;
        for (; next != before.cend() && next->point == i; ++next) {
          waits = waits || state[next->near] == Fate::open;
          dropped = dropped || state[next->near] == Fate::kept;
        }
        if (state[i] != Fate::open) continue;
        if (dropped || !waits) state[i] = dropped ? Fate::dropped : Fate::kept;
        (state[i] == Fate::open ? open : changed) = true;
      }
    }
    open_anywhere = parallel::any(open);
    auto told = parallel::for_ranks<std::int64_t>();
    for (std::size_t rank = 0; rank < copied.size(); ++rank) {
      for (const std::size_t i : copied[rank]) told[rank].push_back(static_cast<std::int64_t>(state[i]));
    }
    std::ranges::transform(parallel::exchange(std::move(told)),
                           state.begin() + static_cast<std::ptrdiff_t>(own),
                           [](std::int64_t settled) { return static_cast<Fate>(settled); });
  }

  std::vector<Point> fresh;
  for (std::size_t i = 0; i < state.size(); ++i) {
    if (state[i] == Fate::kept) fresh.push_back(i < own ? points[i] : came[i - own]);
  }
  keep(std::move(fresh));
  return parallel::sum(static_cast<std::int64_t>(std::ranges::count(kept_, true, &Point::own)));
}

std::vector<NumberedPoint> Sieve::kept() const {
  std::vector<NumberedPoint> own;
  for (const Point& point : kept_) {
    if (point.own) own.push_back({point.number, point.q});
  }
  return own;
}

}  // namespace cotangent::particles
