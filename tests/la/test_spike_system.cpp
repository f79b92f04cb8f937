// SPDX-License-Identifier: BSD-3-Clause
// The reduced system of the Spike algorithm against a dense elimination with more digits, and against itself
// for many blocks, which a dense matrix couldn't hold.
#include <algorithm>
#include <cmath>
#include <random>

#include "la/spike_system.hpp"
#include "mpi_test.hpp"

using namespace cotangent::la;

namespace {

/// Spikes that decay or, where they are large, make the elimination exchange rows; none leave an open chain.
std::vector<double> spikes(std::size_t blocks, double size, bool cyclic) {
  std::mt19937_64 random{blocks};
  std::uniform_real_distribution<double> uniform(-size, size);
  std::vector<double> result(4 * blocks);
  for (double& x : result) x = uniform(random);
  if (!cyclic) result[0] = result[1] = result[4 * blocks - 2] = result[4 * blocks - 1] = 0.0;
  return result;
}

/// What the rows make of x, row by row as the system is stated.
std::vector<double> product(const std::vector<double>& spikes, const std::vector<double>& x) {
  const std::size_t m = x.size();
  std::vector<double> y = x;
  for (std::size_t i = 0; i < m; ++i) {
    const std::size_t r = i / 2, end = i % 2;
    y[i] += spikes[4 * r + end] * x[(2 * r + m - 1) % m] + spikes[4 * r + 2 + end] * x[(2 * r + 2) % m];
  }
  return y;
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> x(count);
  for (std::size_t i = 0; i < count; ++i) x[i] = std::cos(0.3 * static_cast<double>(i * i % 1000));
  return x;
}

/// By Gauss and Jordan with partial pivoting.
std::vector<double> dense_solution(const std::vector<double>& spikes, const std::vector<double>& y) {
  const std::size_t m = y.size();
  std::vector<std::vector<long double>> rows(m, std::vector<long double>(m + 1, 0.0L));
  for (std::size_t j = 0; j < m; ++j) {
    std::vector<double> unit(m, 0.0);
    unit[j] = 1;
    const auto column = product(spikes, unit);
    for (std::size_t i = 0; i < m; ++i) rows[i][j] = column[i];
    rows[j][m] = y[j];
  }
  for (std::size_t k = 0; k < m; ++k) {
    std::size_t best = k;
    for (std::size_t i = k; i < m; ++i) best = std::abs(rows[i][k]) > std::abs(rows[best][k]) ? i : best;
    std::swap(rows[k], rows[best]);
    for (std::size_t i = 0; i < m; ++i) {
      const long double factor = i == k ? 0.0L : rows[i][k] / rows[k][k];
      for (std::size_t j = k; j <= m; ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
  std::vector<double> x(m);
  for (std::size_t i = 0; i < m; ++i) x[i] = static_cast<double>(rows[i][m] / rows[i][i]);
  return x;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

}  // namespace

TEST_CASE("the ends of blocks are solved for as by a dense elimination", "[one-rank]") {
  for (const std::size_t blocks : {1, 2, 3, 4, 5, 17, 60}) {
    for (const double size : {0.3, 0.9, 5.0}) {
      for (const bool cyclic : {false, true}) {
        INFO(blocks << " blocks, spikes up to " << size << ", cyclic " << cyclic);
        const auto all = spikes(blocks, size, cyclic);
        const auto y = numbers(2 * blocks);
        const auto expected = dense_solution(all, y);
        SpikeSystem system;
        system.factorise(all);
        auto x = y;
        system.solve(x);
        CHECK(largest_difference(x, expected) <
              1e-13 * (1 + std::abs(*std::ranges::max_element(expected, {},
                                                              [](double a) { return std::abs(a); }))));
      }
    }
  }
}

TEST_CASE("a hundred thousand blocks take what they need, not its square", "[one-rank]") {
  for (const bool cyclic : {false, true}) {
    const auto all = spikes(100000, 0.7, cyclic);
    SpikeSystem system;
    system.factorise(all);
    const auto y = numbers(all.size() / 2);
    auto x = y;
    system.solve(x);
    CHECK(largest_difference(product(all, x), y) < 1e-12);
    CHECK(largest_difference(x, y) > 0.1);
  }
}
