// SPDX-License-Identifier: BSD-3-Clause
// Things numbered from 0, of which each rank keeps consecutive ones: which rank keeps which, by formula; and
// questions about them to the rank that keeps them.
#pragma once

#include <cstdint>
#include <utility>

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
