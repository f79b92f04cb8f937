// SPDX-License-Identifier: BSD-3-Clause
#include "rods/known_rods.hpp"

#include <tuple>
#include <utility>

#include "rods/refuse.hpp"

namespace cotangent::rods {

using detail::refuse;

KnownRods::KnownRods(parallel::Partition rods, parallel::Partition points, const std::vector<Rod>& own)
    : rod_runs_(std::move(rods)),
      point_runs_(std::move(points)),
      here_(parallel::rank()),
      first_rod_(rod_runs_.begin(here_)),
      own_count_(static_cast<int>(own.size())) {
  for (const Rod& rod : own) {
    point_.push_back(rod.first);
    if (!rod.holds()) point_.push_back(rod.second);
  }
  std::ranges::sort(point_);
  point_.erase(std::unique(point_.begin(), point_.end()), point_.end());
  point_.shrink_to_fit();
}

/// Whoever keeps a point tells those who know it of each other.
void KnownRods::find_sharers(std::vector<Asker> askers) {
  const std::int64_t first = point_runs_.begin(here_);
  std::vector<char> joined(static_cast<std::size_t>(point_runs_.size(here_)), 0);
  for (const Asker& asker : askers) joined[static_cast<std::size_t>(asker.point - first)] = 1;
  for (const std::int64_t point : point_) {
    if (!keeps(point)) continue;
    if (std::exchange(joined[static_cast<std::size_t>(point - first)], 1) != 0)
      askers.push_back({point, here_});
  }
  parallel::agree([&] {
    const auto lonely = std::ranges::find(joined, 0);
    if (lonely != joined.end()) refuse("point ", first + (lonely - joined.begin()), " has no rod");
  });
  std::ranges::sort(askers, {}, [](const Asker& asker) { return std::tuple(asker.point, asker.rank); });
  std::vector<std::vector<std::int64_t>> tell(static_cast<std::size_t>(point_runs_.ranks()));
  for (auto one = askers.begin(); one != askers.end();) {
    const auto end = std::ranges::upper_bound(one, askers.end(), one->point, {}, &Asker::point);
    for (auto to = one; to != end && end - one > 1; ++to) {
      auto& text = tell[static_cast<std::size_t>(to->rank)];
      text.insert(text.end(), {one->point, end - one});
      for (auto other = one; other != end; ++other) text.push_back(other->rank);
    }
    one = end;
  }
  const std::vector<std::int64_t> told = parallel::exchange(std::move(tell));
  for (auto word = told.begin(); word != told.end();) {
    const int point = place_of_point(*word++);
    const auto count = static_cast<std::size_t>(*word++);
    shared_.push_back({point, sharers_.size(), sharers_.size() + count});
    for (std::size_t k = 0; k < count; ++k) sharers_.push_back(static_cast<std::int32_t>(*word++));
  }
  for (int i = 0; i < point_count(); ++i) owned_.push_back(ranks_of(i).front() == here_);
}

std::vector<double> KnownRods::find_rods(const std::vector<Rod>& own,
                                         const std::function<bool(int point)>& moves) {
  const std::vector<NumberedRod> foreign = ask_for_rods(own, moves);
  for (const auto& [rod, number] : foreign) foreign_.push_back(number);
  own_begin_ = static_cast<int>(std::ranges::lower_bound(foreign_, first_rod_) - foreign_.begin());
  std::vector<double> length;
  ends_.reserve(foreign.size() + own.size());
  length.reserve(foreign.size() + own.size());
  const auto take = [&](const Rod& rod) {
    const auto place = [&](std::int64_t point) {
      const int at = place_of_point(point);
      return at < point_count() && point_[static_cast<std::size_t>(at)] == point ? at : point_count();
    };
    ends_.push_back({place(rod.first), place(rod.second)});
    length.push_back(rod.length);
  };
  const auto own_begin = foreign.begin() + own_begin_;
  for (auto next = foreign.begin(); next != own_begin; ++next) take(next->rod);
  std::ranges::for_each(own, take);
  for (auto next = own_begin; next != foreign.end(); ++next) take(next->rod);
  return length;
}

/// Other ranks' rods that end at moving points known here, in their order.
auto KnownRods::ask_for_rods(const std::vector<Rod>& own, const std::function<bool(int point)>& moves) const
    -> std::vector<NumberedRod> {
  std::vector<std::vector<NumberedRod>> tell(static_cast<std::size_t>(rod_runs_.ranks()));
  parallel::agree([&] {
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::int64_t number = first_rod_ + static_cast<std::int64_t>(k);
      int still = 0;
      for (const std::int64_t end : {own[k].first, own[k].second}) {
        if (end == nowhere) continue;
        const int i = place_of_point(end);
        if (!moves(i)) {
          if (own[k].holds()) refuse("rod ", number, " holds a point that is fixed");
          if (++still == 2) refuse("rod ", number, " joins two fixed points");
          continue;
        }
        for (const std::int32_t rank : ranks_of(i)) {
          auto& list = tell[static_cast<std::size_t>(rank)];
          if (rank != here_ && (list.empty() || list.back().number != number))
            list.push_back({own[k], number});
        }
      }
    }
  });
  return parallel::exchange(std::move(tell));
}

std::span<const std::int32_t> KnownRods::ranks_of(int i) const {
  const auto found = std::ranges::lower_bound(shared_, i, {}, &Shared::point);
  if (found == shared_.end() || found->point != i) return {&here_, 1};
  return std::span(sharers_).subspan(found->begin, found->end - found->begin);
}

std::vector<std::int64_t> KnownRods::reported() const {
  std::vector<std::int64_t> points;
  for (int i = 0; i < point_count(); ++i) {
    if (owns_point(i)) points.push_back(point(i));
  }
  return points;
}

std::vector<int> KnownRods::foreign() const {
  std::vector<int> list;
  for (int k = 0; k < known_count(); ++k) {
    if (k < own_begin_ || k >= own_begin_ + own_count_) list.push_back(k);
  }
  return list;
}

}  // namespace cotangent::rods
