// SPDX-License-Identifier: BSD-3-Clause
// Sums whose bits know nothing of ranks.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "mpi_test.hpp"
#include "parallel/mpi.hpp"
#include "parallel/reproducible_sums.hpp"

using namespace cotangent;

TEST_CASE("sums in turn have the bits of one loop over all rows, and not of another order") {
  std::mt19937_64 draw(3);
  std::vector<double> all(3 * 1009);
  for (double& x : all) x = static_cast<double>(draw()) * 0x1p-60 - 7;
  const auto rows = static_cast<std::int64_t>(all.size()) / 3, ranks = std::int64_t{parallel::size()};
  const std::int64_t begin = rows * parallel::rank() / ranks, end = rows * (parallel::rank() + 1) / ranks;
  const auto sums =
      parallel::sums_in_turn(std::span(all).subspan(static_cast<std::size_t>(3 * begin),
                                                    static_cast<std::size_t>(3 * (end - begin))),
                             3);
  std::vector<double> expected(3, 0.0), backwards(3, 0.0);
  for (std::size_t k = 0; k < all.size(); ++k) {
    expected[k % 3] += all[k];
    backwards[k % 3] += all[all.size() - 3 - k / 3 * 3 + k % 3];
  }
  CHECK_ALL(sums == expected);
  CHECK_ALL(sums != backwards);
  CHECK_ALL(parallel::sums_in_turn({}, 2) == std::vector<double>(2, 0.0));
}

TEST_CASE("reproducible sums don't depend on how the numbers are spread") {
  std::mt19937_64 draw(7);
  std::vector<double> all(10007);
  for (double& x : all)
    x = std::ldexp(static_cast<double>(draw() >> 11) * 0x1p-53 - 0.5, static_cast<int>(draw() % 80) - 40);
  long double exact = 0;
  for (const double x : all) exact += x;
  const auto sum_of = [&](auto keep) {
    std::vector<double> mine;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (keep(k) % static_cast<std::size_t>(parallel::size()) == static_cast<std::size_t>(parallel::rank()))
        mine.push_back(all[k]);
    }
    if (parallel::rank() % 2 == 0) std::reverse(mine.begin(), mine.end());
    const std::array<std::span<const double>, 1> columns{mine};
    const std::array asked{parallel::Numbers::each(mine.size(), [&](std::size_t i) { return mine[i]; })};
    const double sum = parallel::reproducible_sums(columns)[0];
    CHECK_ALL(sum == parallel::reproducible_sums(asked)[0]);
    return sum;
  };
  const double dealt = sum_of([](std::size_t k) { return k; });
  const double blocks = sum_of([](std::size_t k) { return k / 100; });
  const double lump = sum_of([](std::size_t) { return std::size_t{0}; });
  CHECK_ALL(dealt == blocks);
  CHECK_ALL(dealt == lump);
  CHECK_ALL(std::abs(static_cast<double>(dealt - exact)) <= 1e-15 * std::abs(static_cast<double>(exact)));
  // The control: plain sums in another order differ.
  double forwards = 0, backwards = 0;
  for (const double x : all) forwards += x;
  for (std::size_t k = all.size(); k-- > 0;) backwards += all[k];
  CHECK_ALL(forwards != backwards);
  const std::vector<double> bad{1.0, std::nan("")};
  const std::array<std::span<const double>, 2> columns{std::span<const double>(bad),
                                                       std::span<const double>()};
  const auto sums = parallel::reproducible_sums(columns);
  CHECK_ALL(std::isnan(sums[0]));
  CHECK_ALL(sums[1] == 0);
}
