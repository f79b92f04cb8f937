// SPDX-License-Identifier: BSD-3-Clause
// Records and rows that ranks hand each other.
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include "mpi_test.hpp"
#include "numerics/random.hpp"
#include "parallel/exchange.hpp"

using namespace cotangent;

TEST_CASE("records reach the rank that they are for, in the order of the senders") {
  struct Record {
    std::int64_t from, to, number;
  };
  const auto ranks = static_cast<std::size_t>(parallel::size());
  const std::int64_t here = parallel::rank();
  std::vector<std::vector<Record>> to(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::int64_t k = 0; k < here + static_cast<std::int64_t>(r); ++k)
      to[r].push_back({here, static_cast<std::int64_t>(r), k});
  }
  std::vector<std::int64_t> from;
  const auto came = parallel::exchange(std::move(to), &from);
  bool right = true;
  std::size_t at = 0;
  for (std::int64_t r = 0; r < parallel::size(); ++r) {
    right = right && from[static_cast<std::size_t>(r)] == here + r;
    for (std::int64_t k = 0; k < here + r; ++k, ++at)
      right = right && at < came.size() && came[at].from == r && came[at].to == here && came[at].number == k;
  }
  CHECK_ALL(right);
  CHECK_ALL(at == came.size());
}

TEST_CASE(
    "exchanges one after another don't mix, whoever comes first, and whether few or none have something to "
    "send") {
  struct Record {
    std::int64_t round, from;
  };
  const auto ranks = static_cast<std::size_t>(parallel::size());
  const auto here = static_cast<std::uint64_t>(parallel::rank());
  const auto count = [](std::uint64_t round, std::uint64_t from, std::uint64_t to) {  // of records
    const double drawn = numerics::uniform(from, to, round);
    return drawn < 0.2 ? static_cast<std::size_t>(25 * drawn) : 0;
  };
  bool right = true;
  std::size_t all = 0;
  for (std::uint64_t round = 0; round < 400; ++round) {
    std::vector<std::vector<Record>> to(ranks);
    for (std::size_t r = 0; r < ranks; ++r)
      to[r].resize(count(round, here, r),
                   {static_cast<std::int64_t>(round), static_cast<std::int64_t>(here)});
    if (numerics::uniform(here, 99, round) < 0.02) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const auto came = parallel::exchange(std::move(to));
    std::size_t at = 0;
    for (std::uint64_t r = 0; r < ranks; ++r) {
      for (std::uint64_t k = 0; k < count(round, r, here); ++k, ++at)
        right = right && at < came.size() && came[at].round == static_cast<std::int64_t>(round) &&
                came[at].from == static_cast<std::int64_t>(r);
    }
    right = right && at == came.size();
    all += at;
  }
  CHECK_ALL(right);
  CHECK_ALL(all > 100);
}

TEST_CASE("a plan carries rows as often as it is asked") {
  const int ranks = parallel::size(), here = parallel::rank();
  std::vector<std::vector<std::int32_t>> rows(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    if (r != here) rows[static_cast<std::size_t>(r)] = {r, r + 1};  // two rows for each of the others
  }
  parallel::HaloPlan plan(rows, 3);
  CHECK_ALL(plan.incoming() == 2 * (ranks - 1));
  for (int round = 0; round < 3; ++round) {
    std::vector<double> own(3 * static_cast<std::size_t>(ranks + 2)),
        came(static_cast<std::size_t>(6 * (ranks - 1)) + 1);
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = 1000 * here + static_cast<double>(k) + 0.1 * round;
    plan.start(own.data(), came.data());
    plan.finish();
    bool right = true;
    std::size_t at = 0;
    for (int r = 0; r < ranks; ++r) {
      if (r == here) continue;
      for (std::size_t k = 0; k < 6; ++k)
        right = right && came[at++] == 1000 * r +
                                           static_cast<double>(3 * static_cast<std::size_t>(here) + k) +
                                           0.1 * round;
    }
    CHECK_ALL(right);
  }
}
