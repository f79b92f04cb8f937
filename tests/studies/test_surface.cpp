// SPDX-License-Identifier: BSD-3-Clause
// Surfaces as particles start on them: one whole period of those that repeat.
#include <cmath>
#include <numbers>

#include "mpi_test.hpp"
#include "studies/program/surface.hpp"

using namespace cotangent;

namespace {

geometry::LevelPoint gyroid(const geometry::SpacePoint& q) {
  const auto [x, y, z] = q;
  return {std::sin(x) * std::cos(y) + std::sin(y) * std::cos(z) + std::sin(z) * std::cos(x),
          {std::cos(x) * std::cos(y) - std::sin(z) * std::sin(x),
           std::cos(y) * std::cos(z) - std::sin(x) * std::sin(y),
           std::cos(z) * std::cos(x) - std::sin(y) * std::sin(z)}};
}

}  // namespace

TEST_CASE("a periodic surface is there for one whole period") {
  const io::Deck deck = io::Deck::parse("study = \"particles\"\n[model]\nname = \"gyroid\"\n", "deck.toml");
  const double period = 2 * std::numbers::pi, one = 3.0916 * period * period;
  // Along z two periods: the cubes' side is that of the longest axis.
  for (const double periods : {1.0, 2.0}) {
    const auto surface = studies::surface_within(gyroid, {{0, 0, 0}}, {period, period, periods * period}, 60,
                                                 deck.table("model"));
    CHECK_ALL(std::abs(surface.area() / (periods * one) - 1) < 2e-3);
  }
}

TEST_CASE("a surface that goes on along an axis without a period is refused soon") {
  std::int64_t looks = 0;
  const geometry::LevelFunction watched = [&](const geometry::SpacePoint& q) {
    ++looks;
    return gyroid(q);
  };
  const io::Deck deck = io::Deck::parse("study = \"particles\"\n[model]\nname = \"gyroid\"\n", "deck.toml");
  const double period = 2 * std::numbers::pi;
  for (const particles::Periods& periods : {particles::Periods{period, 0, 0}, {period, period, 0}}) {
    const std::string said = test::text_thrown<Error>([&] {
      studies::surface_within(watched, {{0, 0, 0}}, periods, 60, deck.table("model"));
    });
    INFO(said);
    CHECK_ALL(said.find("the surface is unbounded") == 0);
  }
  CHECK_ALL(looks < 1'000'000);
}
