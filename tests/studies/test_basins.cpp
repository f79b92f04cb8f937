// SPDX-License-Identifier: BSD-3-Clause
// Uncertainty exponents of basins whose boundaries have known dimensions, shared out over the ranks.
#include <array>
#include <cmath>
#include <limits>

#include "mpi_test.hpp"
#include "parallel/mpi.hpp"
#include "run/state.hpp"
#include "studies/ensemble/basins.hpp"

using namespace cotangent;
using studies::StartGrid;

namespace {

constexpr double never_flew = std::numeric_limits<double>::quiet_NaN();

/// Of answers to the places of all starts, each rank counting boxes of an even share of them, in pieces.
template <class Answer>
studies::Uncertainty uncertainty_of(const StartGrid& grid, std::int64_t piece, Answer answer) {
  const auto answers = [&](std::int64_t first, std::int64_t count) {
    std::vector<double> row;
    for (std::int64_t id = first; id < first + count; ++id) row.push_back(answer(id));
    return row;
  };
  const std::size_t numbers = static_cast<std::size_t>(grid.repeated) * grid.widths().size();
  studies::BoxCounts counts{std::vector<std::int64_t>(numbers), std::vector<std::int64_t>(numbers)};
  const auto share = run::Share::even(grid.points() * grid.repeated);
  for (std::int64_t done = 0; done < share.count; done += piece)
    studies::count_boxes(grid, share.first + done, std::min(piece, share.count - done), answers, counts);
  return studies::uncertainty(grid, {parallel::sum(counts.known), parallel::sum(counts.mixed)});
}

/// The place of a start along an axis of a grid of `side` to a power, 0 the last.
double place(std::int64_t id, std::int64_t side, int axis) {
  for (; axis > 0; --axis) id /= side;
  return static_cast<double>(id % side) / static_cast<double>(side - 1);
}

/// Whether a place is in one of Cantor's thirds that are left out at depths of 1, 3, 5 and so on; the
/// boundary is Cantor's set.
double cantor(double x) {
  for (int depth = 0; depth < 30; ++depth) {
    x *= 3;
    if (x > 1 && x < 2) return depth % 2;
    x -= x >= 2 ? 2 : 0;
  }
  return 0;
}

}  // namespace

TEST_CASE("the exponent is 1 where the boundary is smooth, and less by what its dimension is more") {
  constexpr std::int64_t side = 513;
  const StartGrid plane{{side, side}};
  const auto circle = uncertainty_of(plane, 5000, [&](std::int64_t id) {
    return std::hypot(place(id, side, 0) - 0.481, place(id, side, 1) - 0.517) < 0.4 ? 0.0 : 1.0;
  });
  CHECK_ALL(std::abs(circle.exponent[0] - 1) < 0.02);  // 0.998
  // Cantor's set times a line, aslant so that boxes meet it in all ways: of the dimension 1 + ln 2 / ln 3.
  const auto dust = uncertainty_of(plane, 5000, [&](std::int64_t id) {
    return cantor((place(id, side, 0) + 0.371 * place(id, side, 1)) / 1.371);
  });
  CHECK_ALL(std::abs(dust.exponent[0] - (1 - std::log(2.0) / std::log(3.0))) < 0.02);  // 0.3699 of 0.3691
}

TEST_CASE("boxes are cubes in three dimensions, and known whose corners all flew") {
  constexpr std::int64_t side = 33;
  const StartGrid space{{side, side, side}, 2};  // the second time nothing differs
  CHECK_ALL(space.widths() == std::vector<std::int64_t>{1, 2, 4, 8});
  const auto half = uncertainty_of(space, 777, [&](std::int64_t id) {
    if (id >= space.points()) return 2.0;
    return place(id, side, 1) > 0.51 ? 1.0 : 0.0;  // between the rows 16 and 17 of 32
  });
  bool right = half.share.size() == 8;
  for (std::size_t w = 0; w < 4; ++w)
    right = right && half.share[w] == std::pow(2.0, w) / 32 && half.share[4 + w] == 0;
  CHECK_ALL(right);
  CHECK_ALL(std::abs(half.exponent[0] - 1) < 1e-14);
  CHECK_ALL(std::isnan(half.exponent[1]));
  // Where the starts of one side never flew no box is left that has both.
  const auto alone = uncertainty_of(
      space, 1000, [&](std::int64_t id) { return place(id, side, 1) > 0.51 ? never_flew : 0.0; });
  CHECK_ALL(alone.share[0] == 0);
  CHECK_ALL(alone.share[3] == 0);
  const auto nowhere = uncertainty_of(space, 1000, [](std::int64_t) { return never_flew; });
  CHECK_ALL(std::isnan(nowhere.share[0]) && std::isnan(nowhere.exponent[0]));
}

TEST_CASE("axes may have different numbers of starts") {
  const StartGrid grid{{9, 17, 12}, 2};
  const auto answer = [](std::int64_t id) {
    const auto bits = static_cast<std::uint64_t>((id + 1) * (id + 7)) * 0x9e3779b97f4a7c15ULL;
    return bits >> 58 == 0 ? never_flew : bits >> 60 == 1 ? 1.0 : 0.0;
  };
  std::vector<double> shares;
  for (std::int64_t time = 0; time < grid.repeated; ++time) {
    for (const std::int64_t e : grid.widths()) {
      double known = 0, mixed = 0;
      for (std::int64_t i = 0; i + e < 9; i += e)
        for (std::int64_t j = 0; j + e < 17; j += e)
          for (std::int64_t k = 0; k + e < 12; k += e) {
            double sum = 0;
            for (const std::int64_t a : {i, i + e})
              for (const std::int64_t b : {j, j + e})
                for (const std::int64_t c : {k, k + e}) sum += answer(((time * 9 + a) * 17 + b) * 12 + c);
            known += std::isfinite(sum) ? 1 : 0;
            mixed += sum > 0 && sum < 8 ? 1 : 0;
          }
      shares.push_back(mixed / known);
    }
  }
  CHECK_ALL(uncertainty_of(grid, 50, answer).share == shares);
  CHECK_ALL(uncertainty_of(grid, 5000, answer).share == shares);
  CHECK_ALL(0.1 < shares[0] && shares[0] < 0.9);
}

TEST_CASE("widths leave two boxes along each axis") {
  CHECK_ALL(StartGrid{{8, 100}}.widths() == std::vector<std::int64_t>{1, 2});
  CHECK_ALL(StartGrid{{9, 100}}.widths() == std::vector<std::int64_t>{1, 2, 4});
  CHECK_ALL(StartGrid{{1000, 1000}}.widths() == std::vector<std::int64_t>{1, 2, 4, 8});
}
