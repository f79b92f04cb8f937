// SPDX-License-Identifier: BSD-3-Clause
// The LU of 3 x 3 blocks: on a grid, whose elimination fills, in any order, with unknowns held; its control
// is the LU of other unknowns held.
#include <cmath>
#include <numeric>
#include <utility>

#include "la/block_lu.hpp"
#include "mpi_test.hpp"

using cotangent::la::BlockLU;

namespace {

/// Nine points a vertex of a grid, periodic in one direction: 3 x 3 blocks without symmetry.
struct Grid {
  static constexpr int width = 7, height = 6, size = width * height;
  std::vector<int> begin{0}, column;
  std::vector<double> values;

  Grid() {
    for (int row = 0; row < size; ++row) {
      for (int other = 0; other < size; ++other) {
        const int across = (row - other + 2 * size) % width, up = row / width - other / width;
        if (std::abs(up) > 1 || (across > 1 && across < width - 1)) continue;
        column.push_back(other);
        for (int e = 0; e < 9; ++e)
          values.push_back((other == row && e % 4 == 0 ? 12.0 : 0.0) +
                           std::sin(1.0 + row * row + 7 * other + e));
      }
      begin.push_back(static_cast<int>(column.size()));
    }
  }

  /// The largest of b - A x where free, of x - b where not.
  double defect(const std::vector<double>& x, const std::vector<double>& b,
                const std::vector<char>& free) const {
    double worst = 0;
    for (std::size_t row = 0; row < size; ++row) {
      for (std::size_t i = 0; i < 3; ++i) {
        double sum = free[3 * row + i] ? 0 : x[3 * row + i];
        for (auto at = static_cast<std::size_t>(begin[row]); at < static_cast<std::size_t>(begin[row + 1]);
             ++at) {
          for (std::size_t j = 0; j < 3 && free[3 * row + i]; ++j)
            sum += values[9 * at + 3 * j + i] * x[3 * static_cast<std::size_t>(column[at]) + j];
        }
        worst = std::max(worst, std::abs(b[3 * row + i] - sum));
      }
    }
    return worst;
  }
};

}  // namespace

TEST_CASE("an LU of blocks solves with all its fill, in any order, whatever is held") {
  const Grid grid;
  std::vector<double> b(3 * Grid::size), x(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::cos(static_cast<double>(i));
  const std::vector<char> all(b.size(), 1);
  std::vector<char> some = all;
  for (std::size_t i = 0; i < some.size(); i += 4) some[i] = 0;
  for (const int stride : {1, 5, 11}) {
    std::vector<int> order(Grid::size);
    for (int k = 0; k < Grid::size; ++k) order[static_cast<std::size_t>(k)] = k * stride % Grid::size;
    BlockLU lu(grid.begin, grid.column, order);
    for (const auto& [made, asked] : {std::pair(all, all), std::pair(some, some), std::pair(some, all)}) {
      CHECK_ALL(lu.factorise(grid.values.data(), made));
      lu.solve(b.data(), x.data());
      const double defect = grid.defect(x, b, asked);
      CAPTURE(stride);
      if (made == asked)
        CHECK_ALL(defect < 1e-13);  // measured: 1.9e-15
      else
        CHECK_ALL(defect > 1e-2);  // the control; measured: 13
    }
  }
}

TEST_CASE("an LU of blocks tells of a singular one") {
  const std::vector<int> begin{0, 1}, column{0}, order{0};
  BlockLU lu(begin, column, order);
  const std::vector<char> free(3, 1);
  const std::vector<double> singular{1, 2, 3, 2, 4, 6, 0, 0, 1}, sound{1, 2, 3, 2, 4, 7, 0, 1, 1};
  CHECK_ALL(!lu.factorise(singular.data(), free));
  CHECK_ALL(lu.factorise(sound.data(), free));
}
