// SPDX-License-Identifier: BSD-3-Clause
// Things numbered from 0, of which each rank keeps consecutive ones: which rank keeps which, by formula, or
// cut between what should stay whole; and questions about them to the rank that keeps them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::parallel {

/// `count` things in consecutive runs of nearly equal length, one run a rank.
struct Runs {
  std::int64_t count = 0;
  int ranks = 1;

  /// Where a rank's run begins; that of the rank after the last is their number.
  std::int64_t begin(int rank) const { return count * rank / ranks; }
  std::int64_t size(int rank) const { return begin(rank + 1) - begin(rank); }
  int rank_of(std::int64_t number) const { return static_cast<int>(((number + 1) * ranks - 1) / count); }
};

/// Things in consecutive runs of any length, one run a rank.
class Partition {
 public:
  Partition() = default;
  /// Where each rank's run begins, and last how many things there are.
  explicit Partition(std::vector<std::int64_t> begins) : begins_(std::move(begins)) {}

  std::int64_t count() const { return begins_.back(); }
  int ranks() const { return static_cast<int>(begins_.size()) - 1; }
  /// Where a rank's run begins; that of the rank after the last is their number.
  std::int64_t begin(int rank) const { return begins_[static_cast<std::size_t>(rank)]; }
  std::int64_t size(int rank) const { return begin(rank + 1) - begin(rank); }
  int rank_of(std::int64_t number) const {
    return static_cast<int>(std::ranges::upper_bound(begins_, number) - begins_.begin()) - 1;
  }

 private:
  std::vector<std::int64_t> begins_{0};
};

/// Runs of nearly equal length.
inline Partition even_partition(std::int64_t count, int ranks) {
  const Runs even{count, ranks};
  std::vector<std::int64_t> begins;
  for (int rank = 0; rank <= ranks; ++rank) begins.push_back(even.begin(rank));
  return Partition(std::move(begins));
}

/// Runs of nearly equal length that leave whole what is no longer than half of one: a cut that would fall
/// into such a whole comes before it. So each rank has two of them at least, where there are no others.
/// `around(number)`: the first of the whole that a thing is part of, and the one after its last.
template <class Around>
Partition cut_between(std::int64_t count, int ranks, const Around& around) {
  const Runs even{count, ranks};
  std::vector<std::int64_t> begins;
  for (int rank = 0; rank < ranks; ++rank) {
    begins.push_back(even.begin(rank));
    if (begins.back() == 0) continue;
    const auto [first, end] = around(begins.back());
    if (2 * (end - first) * ranks <= count) begins.back() = first;
  }
  begins.push_back(count);
  return Partition(std::move(begins));
}

/// Asks rank `whom[k]` about number `about[k]`; the answers, what `answer(number, asker)` gives there, in the
/// order of the questions. Collective.
template <class Find>
auto ask(const std::vector<int>& whom, const std::vector<std::int64_t>& about, const Find& answer) {
  using Answer = decltype(answer(std::int64_t{}, 0));
  static_assert(sizeof(Answer) % 8 == 0);  // as exchange() counts
  const auto ranks = static_cast<std::size_t>(size());
  std::vector<std::vector<std::int64_t>> questions(ranks);
  for (std::size_t k = 0; k < about.size(); ++k)
    questions[static_cast<std::size_t>(whom[k])].push_back(about[k]);
  std::vector<std::size_t> next(ranks, 0);
  for (std::size_t r = 1; r < ranks; ++r) next[r] = next[r - 1] + questions[r - 1].size();
  std::vector<std::int64_t> from_each;
  const auto asked = exchange(std::move(questions), &from_each);
  std::vector<std::vector<Answer>> answers(ranks);
  auto question = asked.begin();
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::int64_t k = 0; k < from_each[r]; ++k)
      answers[r].push_back(answer(*question++, static_cast<int>(r)));
  }
  const std::vector<Answer> all = exchange(std::move(answers));
  std::vector<Answer> result;
  result.reserve(about.size());
  for (const int rank : whom) result.push_back(all[next[static_cast<std::size_t>(rank)]++]);
  return result;
}

}  // namespace cotangent::parallel
