// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <set>

#include "catch.hpp"
#include "particles/grid.hpp"

using namespace cotangent::particles;

namespace {

/// Whether the parts hold all cells around each cell of c's block, and each block once.
bool surrounds(const Grid& grid, const Grid::Cell& c) {
  std::array<Grid::Part, 27> room;
  const auto parts = grid.around_block(c, room);
  std::set<Grid::Key> blocks, cells;
  for (const auto& part : parts) {
    blocks.insert(part.block);
    for (unsigned bit = 0; bit < 8; ++bit) {
      if (part.cells >> bit & 1) cells.insert(Grid::first_of(part.block) + bit);
    }
  }
  if (blocks.size() != parts.size()) return false;
  for (int k = 0; k < 8; ++k) {
    const Grid::Cell inside{(c[0] & ~1) + k % 2, (c[1] & ~1) + k / 2 % 2, (c[2] & ~1) + k / 4};
    for (const Grid::Key key : grid.keys_around(inside)) {
      if (!cells.contains(key)) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("a block's surroundings hold those of its cells") {
  std::mt19937 random(3);
  // Periods of one cell, of two, three, seven; and none.
  for (const double x : {0.0, 1.5, 2.5, 3.5, 7.5}) {
    for (const double y : {0.0, 2.5, 7.5}) {
      for (const double z : {0.0, 1.5}) {
        const Grid grid(1.0, {x, y, z});
        std::uniform_real_distribution<double> place(-20.0, 20.0);
        for (int trial = 0; trial < 50; ++trial) {
          const std::array<double, 3> q{place(random), place(random), place(random)};
          INFO("periods " << x << " " << y << " " << z << ", at " << q[0] << " " << q[1] << " " << q[2]);
          REQUIRE(surrounds(grid, grid.cell(q.data())));
        }
      }
    }
  }
}

TEST_CASE("what is within the range lies in the cells around") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> place(-20.0, 20.0), near(-1.0, 1.0);
  const std::array<double, 3> periods{7.5, 3.5, 0.0};
  const Grid grid(1.0, periods);
  int far = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::array<double, 3> q{place(random), place(random), place(random)};
    std::array<double, 3> other = q;
    for (std::size_t n = 0; n < 3; ++n) other[n] += near(random) + 2 * periods[n];
    const auto around = grid.keys_around(grid.cell(q.data()));
    CHECK(std::ranges::count(around, grid.key(other.data())) > 0);
    other[2] += 5.0;  // out of reach
    far += std::ranges::count(around, grid.key(other.data())) == 0;
  }
  CHECK(far == 2000);
}

TEST_CASE("a period holds no more cells than keys tell apart") {
  for (const double period : {1e7, 1e10}) {
    const Grid grid(1.0, {period, 0.0, 0.0});
    std::set<Grid::Key> keys;
    for (const double part : {0.1, 0.3, 0.5, 0.7, 0.9}) {
      const double q[] = {part * period, 0.0, 0.0};
      keys.insert(grid.keys_around(grid.cell(q))[13]);
    }
    CHECK(keys.size() == 5);
    // Those on both sides of the period's end are neighbours.
    const double first[] = {0.2, 0.0, 0.0}, last[] = {period - 0.2, 0.0, 0.0};
    const auto around = grid.keys_around(grid.cell(first));
    CHECK(std::ranges::count(around, grid.keys_around(grid.cell(last))[13]) > 0);
  }
}
