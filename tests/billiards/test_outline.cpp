// SPDX-License-Identifier: BSD-3-Clause
// Outlines: lengths and areas that are known, and the arc length of places.
#include <cmath>
#include <numbers>

#include "billiards/outline.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/rectangle.hpp"
#include "catch.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

TEST_CASE("Lengths, areas and places", "[unit]") {
  constexpr double pi = std::numbers::pi;
  Domain<2> domain;
  domain.add<Rectangle>("box", {1.0, 1.0});
  domain.add<Circle>("hole", {0.5});
  domain.enclose("hole");
  const Outline disc(domain, {-1.2, -1.3}, {1.2, 1.3}, 300);
  CHECK(std::abs(disc.length() - pi) < 3e-5 * pi);  // measured: 2e-5
  CHECK(std::abs(disc.area() - pi / 4) < 1e-4);
  // Counter-clockwise, a quarter of the way from one place to the next.
  double last = disc.arc({0.5, 0.0});
  for (const double angle : {0.5 * pi, pi, 1.5 * pi}) {
    const double arc = disc.arc({0.5 * std::cos(angle), 0.5 * std::sin(angle)});
    const double moved = arc - last + (arc < last ? disc.length() : 0.0);
    CHECK(std::abs(moved - pi / 4) < 1e-4);
    last = arc;
  }
  domain.enclose("box and not hole");
  const Outline ring(domain, {-1.2, -1.3}, {1.2, 1.3}, 300);
  CHECK(std::abs(ring.length() - 8 - pi) < 0.02);  // corners are cut within a square
  CHECK(std::abs(ring.area() - 4 + pi / 4) < 2e-3);
  CHECK(ring.points().back().loop == 1);
}
