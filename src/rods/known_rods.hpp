// SPDX-License-Identifier: BSD-3-Clause
// Who keeps and knows which rods and points of a system. A rank keeps a contiguous run of the rods, and knows
// all points that these join and the other ranks' rods that end at them. Points are kept in runs, too, but
// reported by the first of the ranks that know them.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <type_traits>
#include <vector>

#include "parallel/runs.hpp"
#include "rods/rods.hpp"

namespace cotangent::rods {

class KnownRods {
 public:
  /// Who keeps which rods and which points, of all ranks.
  const parallel::Partition& rod_runs() const { return rod_runs_; }
  const parallel::Partition& point_runs() const { return point_runs_; }
  /// Rods of this rank, first to last in the order of all.
  std::int64_t first_rod() const { return first_rod_; }
  int own_count() const { return own_count_; }
  /// Rods that are known here, own and foreign, in the order of all; the own ones begin at own_begin().
  int known_count() const { return static_cast<int>(ends_.size()); }
  int own_begin() const { return own_begin_; }
  /// The number of a known rod among all.
  std::int64_t rod(int known) const {
    const int own = known - own_begin_;
    if (own >= 0 && own < own_count_) return first_rod_ + own;
    return foreign_[static_cast<std::size_t>(own < 0 ? known : known - own_count_)];
  }
  /// The known place of a rod, which must be known.
  int place(std::int64_t rod) const {
    const std::int64_t own = rod - first_rod_;
    if (own >= 0 && own < own_count_) return own_begin_ + static_cast<int>(own);
    const auto at = static_cast<int>(std::ranges::lower_bound(foreign_, rod) - foreign_.begin());
    return own < 0 ? at : at + own_count_;
  }
  /// The known places of other ranks' rods.
  std::vector<int> foreign() const;

  /// Points known here, their place among all, and whether this rank is the one that reports them.
  int point_count() const { return static_cast<int>(point_.size()); }
  std::int64_t point(int i) const { return point_[static_cast<std::size_t>(i)]; }
  bool owns_point(int i) const { return owned_[static_cast<std::size_t>(i)] != 0; }
  /// How many points this rank reports, and their numbers.
  int reported_count() const { return static_cast<int>(std::ranges::count(owned_, 1)); }
  std::vector<std::int64_t> reported() const;
  /// The place of a point, which must be known.
  int place_of_point(std::int64_t point) const {
    return static_cast<int>(std::ranges::lower_bound(point_, point) - point_.begin());
  }
  /// The ranks that know a point, in order: the first reports it.
  std::span<const std::int32_t> ranks_of(int i) const;
  /// The ends of a known rod; -1 for nowhere, and of a foreign one for a point that isn't known here.
  int first_end(int known) const { return known_end(ends(known)[0]); }
  int second_end(int known) const { return known_end(ends(known)[1]); }

 protected:
  /// With this rank's rods. Their points are known, and nothing else yet.
  KnownRods(parallel::Partition rods, parallel::Partition points, const std::vector<Rod>& own);

  /// Has each known point described, in order, by `take(tell(point))`, whatever it is that tell() says of it
  /// on the rank that keeps it; and learns who else knows it. Throws Error where a point has no rod.
  /// Collective.
  template <class Tell, class Take>
  void find_points(const Tell& tell, const Take& take) {
    std::vector<int> whom;
    std::vector<std::int64_t> about;
    for (const std::int64_t point : point_) {
      if (keeps(point)) continue;
      whom.push_back(point_runs_.rank_of(point));
      about.push_back(point);
    }
    std::vector<Asker> askers;
    const auto told = parallel::ask(whom, about, [&](std::int64_t point, int asker) {
      askers.push_back({point, asker});
      return tell(point);
    });
    auto next = told.begin();
    for (const std::int64_t point : point_) take(keeps(point) ? tell(point) : *next++);
    find_sharers(std::move(askers));
  }
  /// Learns of the other ranks' rods that end at known points that move; the lengths of all known rods.
  /// Throws Error where a rod can move nothing. Collective.
  std::vector<double> find_rods(const std::vector<Rod>& own, const std::function<bool(int point)>& moves);

  /// Places of a known rod's ends: the number of points where that is none of them.
  const std::array<int, 2>& ends(int known) const { return ends_[static_cast<std::size_t>(known)]; }

 private:
  /// A point, and a rank that wants to know of it.
  struct Asker {
    std::int64_t point;
    std::int32_t rank;
  };
  /// A point that several ranks know, and where those begin.
  struct Shared {
    int point;
    std::size_t begin, end;
  };
  struct NumberedRod {
    Rod rod;
    std::int64_t number;
  };
  bool keeps(std::int64_t point) const {
    return point >= point_runs_.begin(here_) && point < point_runs_.begin(here_ + 1);
  }
  void find_sharers(std::vector<Asker> askers);
  std::vector<NumberedRod> ask_for_rods(const std::vector<Rod>& own,
                                        const std::function<bool(int point)>& moves) const;
  int known_end(int end) const { return end == point_count() ? -1 : end; }

  parallel::Partition rod_runs_, point_runs_;
  std::int32_t here_;
  std::int64_t first_rod_;
  int own_count_, own_begin_ = 0;
  std::vector<std::int64_t> foreign_, point_;
  std::vector<Shared> shared_;  // in the order of the points
  std::vector<std::int32_t> sharers_;
  std::vector<std::array<int, 2>> ends_;
  std::vector<char> owned_;
};

}  // namespace cotangent::rods
