// SPDX-License-Identifier: BSD-3-Clause
// Records in order across the ranks: shares, sorting, questions and answers, and what rank 0 deals out.
#include <random>

#include "core/error.hpp"
#include "mpi_test.hpp"
#include "parallel/records.hpp"

using namespace cotangent;

namespace {

/// Records of all ranks in their order, on every rank.
template <class Record>
std::vector<Record> all_of(const std::vector<Record>& records) {
  return parallel::exchange(parallel::ForRanks<Record>(static_cast<std::size_t>(parallel::size()), records));
}

}  // namespace

TEST_CASE("shares are equal to one, follow one another, and know their owners") {
  for (const std::int64_t n : {0, 1, 2, 7, 1000}) {
    CHECK_ALL(parallel::share_begin(n, 0) == 0);
    CHECK_ALL(parallel::share_begin(n, parallel::size()) == n);
    bool right = true;
    for (int r = 0; r < parallel::size(); ++r) {
      const std::int64_t begin = parallel::share_begin(n, r), end = parallel::share_begin(n, r + 1);
      right = right && end - begin >= n / parallel::size() && end - begin <= n / parallel::size() + 1;
      for (std::int64_t i = begin; i < end; ++i) right = right && parallel::share_owner(n, i) == r;
    }
    CHECK_ALL(right);
  }
}

TEST_CASE("records are sorted across ranks, and shared evenly in their order") {
  // Very unequal parts, one of them empty; then equal records everywhere.
  for (const std::int64_t range : {1000000, 1}) {
    std::mt19937_64 random(static_cast<std::uint64_t>(parallel::rank()));
    std::vector<std::int64_t> mine(parallel::rank() == 1 ? 0 : 2000 / (1 + parallel::rank()));
    for (auto& x : mine) x = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(range));
    auto expected = all_of(mine);
    CHECK_ALL(parallel::size() == 1 || range == 1 || !std::ranges::is_sorted(expected));  // the control
    std::ranges::sort(expected);
    auto sorted = parallel::sorted(std::move(mine), std::less<>());
    const auto n = std::ssize(expected);
    if (range > 1) CHECK_ALL(std::ssize(sorted) <= 2 * n / parallel::size() + 1);
    CHECK_ALL(all_of(sorted) == expected);
    const auto begins = parallel::offsets(std::ssize(sorted));
    CHECK_ALL(begins.back() == n);
    const auto even = parallel::evened(std::move(sorted));
    CHECK_ALL(std::ssize(even) == parallel::share_begin(n, parallel::rank() + 1) - parallel::share_begin(n));
    CHECK_ALL(all_of(even) == expected);
  }
}

TEST_CASE("questions are answered in their order by those who are asked") {
  auto questions = parallel::for_ranks<std::int64_t>();
  for (std::size_t r = 0; r < questions.size(); ++r) {
    for (std::size_t k = 0; k < r + 2; ++k) questions[r].push_back(static_cast<std::int64_t>(10 * r + k));
  }
  const auto answers = parallel::asked(std::move(questions), [](std::int64_t question) {
    return std::array<std::int64_t, 2>{question * question, parallel::rank()};
  });
  bool right = true;
  std::size_t at = 0;
  for (std::int64_t r = 0; r < parallel::size(); ++r) {
    for (std::int64_t k = 0; k < r + 2; ++k, ++at)
      right = right && answers[at] == std::array<std::int64_t, 2>{(10 * r + k) * (10 * r + k), r};
  }
  CHECK_ALL(right);
  CHECK_ALL(at == answers.size());
}

TEST_CASE("what rank 0 deals out comes in order, whatever fails in the middle fails on every rank") {
  const std::int64_t n = 100000;  // several pieces
  const auto dealt = [&](std::int64_t bad_made, std::int64_t bad_taken) {
    std::vector<std::int64_t> came;
    parallel::deal<std::int64_t>(
        [&](const auto& give) {
          for (std::int64_t i = 0; i < n; ++i) {
            if (i == bad_made) throw FileError("made badly");
            give(static_cast<int>(i % parallel::size()), i);
          }
        },
        [&](std::int64_t i) {
          if (i == bad_taken) throw Error("taken badly");
          came.push_back(i);
        });
    return came;
  };
  const auto came = dealt(-1, -1);
  bool right = true;
  for (std::size_t k = 0; k < came.size(); ++k)
    right = right && came[k] == static_cast<std::int64_t>(k) * parallel::size() + parallel::rank();
  CHECK_ALL(right);
  CHECK_ALL(parallel::sum(std::ssize(came)) == n);
  CHECK_ALL(test::text_thrown<FileError>([&] { dealt(n / 2, -1); }) == "made badly");
  CHECK_ALL(test::text_thrown<Error>([&] { dealt(-1, n / 2 + 1); }) == "taken badly");
}
