// SPDX-License-Identifier: BSD-3-Clause
// Sums that samples ask for: the same bits whether they are made at once or with those of many samples.
#include <cmath>
#include <numeric>

#include "mpi_test.hpp"
#include "parallel/mpi.hpp"
#include "run/sample_sums.hpp"

using namespace cotangent;

TEST_CASE("samples learn of their sums in order, to the same bits as at once") {
  // With few rows sums wait for those of other samples where there are other ranks; with many they never do.
  const std::int64_t own = GENERATE(3, 20000), samples = 700;
  const std::int64_t rows = parallel::sum(own);
  std::vector<double> numbers(static_cast<std::size_t>(own + parallel::rank()));
  const auto columns_at = [&](std::int64_t sample) {
    for (std::size_t i = 0; i < numbers.size(); ++i)
      numbers[i] =
          std::sin(static_cast<double>(1 + sample + parallel::rank()) * (1.0 + static_cast<double>(i)));
    const auto plain = parallel::Numbers::each(numbers.size(), [&](std::size_t i) { return numbers[i]; });
    const auto cubes =
        parallel::Numbers::each(numbers.size(), [&](std::size_t i) { return std::pow(numbers[i], 3); });
    return std::vector{plain, cubes};
  };
  const std::int64_t count = own > 100 ? 3 : samples;
  run::SampleSums sums;
  std::vector<double> made, expected;
  std::int64_t waited = 0;
  for (std::int64_t sample = 0; sample < count; ++sample) {
    const auto columns = columns_at(sample);
    const double number = static_cast<double>(sample * (parallel::rank() + 1));
    sums.add(rows, columns, std::span(&number, 1),
             [&made](std::span<const double> sum, std::span<const double> largest) {
               made.insert(made.end(), {sum[0], sum[1], largest[0]});
             });
    const auto at_once = parallel::reproducible_sums(columns);
    expected.insert(expected.end(), at_once.begin(), at_once.end());
    expected.push_back(static_cast<double>(sample * parallel::size()));
    waited = std::max(waited, std::ssize(expected) - std::ssize(made));
  }
  CHECK_ALL((waited > 0) == (own < 100 && parallel::size() > 1));
  sums.make_waiting();
  CHECK_ALL(made == expected);
  sums.make_waiting();  // of nothing
  CHECK_ALL(made.size() == 3 * static_cast<std::size_t>(count));
}
