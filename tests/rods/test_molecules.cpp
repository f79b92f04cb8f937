// SPDX-License-Identifier: BSD-3-Clause
// Molecules that all ranks scatter together: those that are found one after the other, to the bit, by a share
// of the trials on each rank.
#include <map>

#include "dense_rattle.hpp"
#include "mechanics/surface.hpp"
#include "mechanics/surfaces/torus.hpp"
#include "parallel/records.hpp"
#include "rods/molecule_sieve.hpp"
#include "rods/molecules.hpp"
#include "sections/surface_of.hpp"

using namespace cotangent;
using namespace cotangent::rods;

namespace {

/// What the words say: each trial in turn, kept where it is far enough from all that were.
template <int D>
std::vector<std::array<double, D>> one_after_the_other(std::int64_t count, double apart,
                                                       const Periods& periods, const MoleculeTrial<D>& trial,
                                                       std::uint64_t& tried) {
  std::vector<std::array<double, D>> all;
  particles::SpacedPoints kept(apart, periods);
  const auto in_space = [](const std::array<double, D>& q) {
    particles::SpacePoint x{};
    std::ranges::copy(q, x.begin());
    return x;
  };
  for (tried = 0; count > 0; ++tried) {
    const auto points = trial(tried);
    if (!points || !std::ranges::all_of(*points, [&](const auto& q) { return kept.free(in_space(q)); }))
      continue;
    for (const auto& q : *points) kept.add(in_space(q));
    all.insert(all.end(), points->begin(), points->end());
    --count;
  }
  return all;
}

template <int D>
void check_scatter(std::int64_t count, double apart, const Periods& periods, const MoleculeTrial<D>& trial,
                   double crowded) {
  std::uint64_t tried = 0;
  const auto expected = one_after_the_other<D>(count, apart, periods, trial, tried);
  CHECK_ALL(static_cast<double>(tried) > crowded * static_cast<double>(count));
  std::int64_t own_trials = 0, taken = 0;
  bool same = true;
  const auto runs = parallel::even_partition(std::ssize(expected), parallel::size());
  scatter<D>(
      count, apart, periods,
      [&](std::uint64_t draw) {
        ++own_trials;
        return trial(draw);
      },
      runs,
      [&](std::int64_t point, const std::array<double, D>& q) {
        same =
            same && runs.rank_of(point) == parallel::rank() && q == expected[static_cast<std::size_t>(point)];
        ++taken;
      });
  CHECK_ALL(same);
  CHECK_ALL(taken == runs.size(parallel::rank()));
  const auto trials = parallel::sum(own_trials);
  INFO(tried << " trials one after the other, " << trials << " of all ranks, " << own_trials << " here");
  CHECK_ALL(trials < 2 * static_cast<std::int64_t>(tried));
  CHECK_ALL(own_trials * parallel::size() < trials + trials / 10 + 100);
}

}  // namespace

TEST_CASE("molecules scattered by all ranks are those found one after the other") {
  const auto chain = rod_chain<2>(3, 1.0, 1.0, 0.0, 0.4, false);
  check_scatter<2>(300, 1.0, {}, in_box<2>(chain, {60.0, 70.0}, 3), 1.5);
  check_scatter<2>(300, 1.0, {60.0, 70.0, 0.0}, in_box<2>(chain, {60.0, 70.0}, 3), 1.5);
  const auto dumbbell = rod_chain<3>(1, 1.0, 1.0, 0.0, 0.4, false);
  check_scatter<3>(400, 1.0, {14.0, 0.0, 15.0}, in_box<3>(dumbbell, {14.0, 16.0, 15.0}, 3), 1.5);
  check_scatter<3>(1, 1.0, {}, in_box<3>(dumbbell, {14.0, 16.0, 15.0}, 3), 0.5);

  constexpr std::array radii{5.0, 2.0};
  static const sections::SurfaceOf<mechanics::ParticleOn<mechanics::Torus>> torus;
  const HoldingSurface<3> surface{[&](const std::array<double, 3>& q) {
                                    const auto [value, gradient] = torus.level(q, radii);
                                    return HoldingSurface<3>::Level{value, gradient};
                                  },
                                  {}};
  const geometry::LevelFunction g = [&](const geometry::SpacePoint& q) { return torus.level(q, radii); };
  const geometry::SpacePoint first{7.0, 0.0, 0.0};
  const auto triangles = geometry::triangulate(g, std::span(&first, 1), 0.2);
  const SurfacePoints points(g, *triangles);
  const auto four = rod_chain<3>(4, 1.0, 1.0, 0.0, 0.0, false);
  check_scatter<3>(24, 1.0, {}, along_surface(four, surface, points, 1), 1.5);
}

TEST_CASE("what a sieve keeps of molecules depends on their order and not on who brings them") {
  const auto trial = in_box<2>(rod_chain<2>(2, 1.0, 1.0, 0.0, 0.4, false), {25.0, 25.0}, 5);
  const auto sifted = [&](int rank_of_all, std::uint64_t batch) {
    MoleculeSieve sieve(1.0, {});
    std::vector<char> kept;
    for (std::uint64_t first = 0; first < 120; first += batch) {
      std::vector<particles::NumberedPoint> points;
      std::vector<std::uint64_t> misfits;
      for (std::uint64_t draw = first; draw < first + batch; ++draw) {
        const int rank = rank_of_all < 0 ? static_cast<int>(draw) % parallel::size() : rank_of_all;
        if (rank != parallel::rank()) continue;
        if (draw % 9 == 4) misfits.push_back(draw);
        const auto molecule = trial(draw);
        for (std::size_t i = 0; i < molecule->size() && draw % 9 != 4; ++i)
          points.push_back({draw, {(*molecule)[i][0], (*molecule)[i][1], 0.0}});
      }
      const auto fate = sieve.take(first, first + batch, points, misfits);
      kept.insert(kept.end(), fate.begin(), fate.end());
    }
    return kept;
  };
  const auto one_by_one = sifted(0, 1);
  const auto count = std::ranges::count(one_by_one, 1);
  CHECK_ALL(count > 30);
  CHECK_ALL(count < 90);
  CHECK_ALL(sifted(-1, 120) == one_by_one);
  CHECK_ALL(sifted(parallel::size() - 1, 24) == one_by_one);
}
