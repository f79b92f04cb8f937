// SPDX-License-Identifier: BSD-3-Clause
// A long list of records that is spread over the ranks in order: rank 0 has the first, rank 1 those that
// follow. No rank ever holds them all. They can be shared evenly, asked for by number, sorted, and dealt
// out by rank 0 as it reads them from a file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <vector>

#include "core/release.hpp"
#include "parallel/exchange.hpp"
#include "parallel/mpi.hpp"
#include "parallel/runs.hpp"

namespace cotangent::parallel {

/// One list for each rank.
template <class Record>
using ForRanks = std::vector<std::vector<Record>>;
template <class Record>
ForRanks<Record> for_ranks() {
  return ForRanks<Record>(static_cast<std::size_t>(size()));
}

/// The records of all ranks, rank after rank, on each. Collective.
template <class Record>
std::vector<Record> everywhere(const std::vector<Record>& records) {
  return exchange(ForRanks<Record>(static_cast<std::size_t>(size()), records));
}

/// The first of n things that belongs to `rank` where all have equal parts in order; n for rank size().
inline std::int64_t share_begin(std::int64_t n, int rank = parallel::rank()) {
  return Runs{n, size()}.begin(rank);
}
/// The rank to whose part thing i of n belongs.
inline int share_owner(std::int64_t n, std::int64_t i) {
  return Runs{n, size()}.rank_of(i);
}

/// Given that this rank has `here` records: the number of the first record of each rank, and last the
/// number of all records. Collective.
inline std::vector<std::int64_t> offsets(std::int64_t here) {
  std::vector<std::int64_t> begins{0};
  for (const std::int64_t count : gather_everywhere(here)) begins.push_back(begins.back() + count);
  return begins;
}
/// The rank that has record i, by these offsets.
inline int owner(const std::vector<std::int64_t>& begins, std::int64_t i) {
  return static_cast<int>(std::ranges::upper_bound(begins, i) - begins.begin()) - 1;
}

/// The same records in the same order, in equal parts. Collective.
template <class Record>
std::vector<Record> evened(std::vector<Record>&& records) {
  const auto begins = offsets(std::ssize(records));
  auto to = for_ranks<Record>();
  std::int64_t i = begins[static_cast<std::size_t>(rank())];
  for (const Record& record : records)
    to[static_cast<std::size_t>(share_owner(begins.back(), i++))].push_back(record);
  release(records);
  return exchange(std::move(to));
}

/// Sends questions[r] to rank r, which calls answer(question) for each; returns the answers in the order of
/// the questions, those of rank 0 first. Collective.
template <class Question, class Answer>
auto asked(ForRanks<Question>&& questions, Answer answer) {
  std::vector<std::int64_t> from;
  const auto came = exchange(std::move(questions), &from);
  auto back = for_ranks<decltype(answer(came.front()))>();
  auto next = came.begin();
  for (std::size_t r = 0; r < from.size(); ++r) {
    for (std::int64_t k = 0; k < from[r]; ++k) back[r].push_back(answer(*next++));
  }
  return exchange(std::move(back));
}

/// All ranks' records in order, in parts that lie rank after rank and are of like size. Sorts by regular
/// samples (Shi, Schaeffer 1992: on up to 64 ranks no part is twice as long as the mean where no two are
/// equal; on more, each gives 64 samples, so that all of them don't grow as the square of the ranks).
/// Collective.
template <class Record, class Less>
std::vector<Record> sorted(std::vector<Record>&& records, Less less) {
  std::ranges::sort(records, less);
  const auto ranks = static_cast<std::size_t>(size());
  if (ranks == 1) return std::move(records);
  std::vector<Record> sample;
  const auto samples = std::min<std::size_t>(ranks, 64);
  for (std::size_t k = 0; k < samples && !records.empty(); ++k)
    sample.push_back(records[k * records.size() / samples]);
  auto splitters = exchange(ForRanks<Record>(ranks, sample));
  std::ranges::sort(splitters, less);
  auto to = for_ranks<Record>();
  auto from = records.begin();
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto end =
        r + 1 == ranks || splitters.empty()
            ? records.end()
            : std::lower_bound(from, records.end(), splitters[(r + 1) * splitters.size() / ranks], less);
    to[r].assign(from, end);
    from = end;
  }
  release(records);
  auto mine = exchange(std::move(to));
  std::ranges::sort(mine, less);
  return mine;
}

/// Rank 0 makes records one after another, each for a rank: `make(give)` calls give(rank, record). They are
/// handed on in pieces, so that rank 0 never holds many, and come to `take` in their order; what either
/// throws is thrown on every rank. Collective.
template <class Record, class Make, class Take>
void deal(Make make, Take take) {
  constexpr std::size_t piece = 1 << 15;
  auto to = for_ranks<Record>();
  std::size_t held = 0;
  std::exception_ptr failure;
  const auto attempt = [&](const auto& function) {
    try {
      if (!failure) function();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  const auto hand_on = [&](bool more) {
    auto now = std::exchange(to, for_ranks<Record>());
    held = 0;
    const auto came = exchange(std::move(now));
    attempt([&] {
      for (const Record& record : came) take(record);
    });
    return broadcast(std::int64_t{more}) != 0;
  };
  if (rank() == 0) {
    attempt([&] {
      make([&](int rank, const Record& record) {
        to[static_cast<std::size_t>(rank)].push_back(record);
        if (++held == piece) hand_on(true);
      });
    });
    hand_on(false);
  } else {
    while (hand_on(true)) {
    }
  }
  agree([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace cotangent::parallel
