// SPDX-License-Identifier: BSD-3-Clause
// Outlines: lengths and areas that are known, and the arc length of places.
#include <cmath>
#include <numbers>

#include "billiards/outline.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/half_plane.hpp"
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

TEST_CASE("Many obstacles are as many loops", "[unit]") {
  Domain<2> domain;
  std::string inside = "room";
  constexpr int side = 8;
  domain.add<Rectangle>("room", {side, side});
  for (int k = 0; k < side * side; ++k) {
    const std::string name = "disc" + std::to_string(k);
    Place<2> place{{2.0 * (k % side) + 1 - side, 2.0 * (k / side) + 1 - side}};
    domain.add<Circle>(name, {0.5}, place);
    inside += " and not " + name;
  }
  domain.enclose(inside);
  const Outline outline(domain, {-9.0, -9.0}, {9.0, 9.0}, 360);
  CHECK(outline.points().back().loop == side * side);
  CHECK(std::abs(outline.length() / (8 * side + side * side * std::numbers::pi) - 1) < 2e-3);
}

TEST_CASE("Beyond the outline's box no place has an arc length", "[unit]") {
  Domain<2> domain;
  domain.add<HalfPlane>("floor", {0.0, 1.0});
  domain.enclose_all();
  const Outline floor(domain, {-3.0, -1.0}, {3.0, 2.0}, 120);
  CHECK(std::abs(floor.length() - 6) < 1e-12);
  CHECK(std::abs(floor.arc({2.9, 0.0}) - floor.arc({-2.9, 0.0}) - 5.8) < 1e-12);
  for (const Vector<2>& x : {Vector<2>{3.1, 0.0}, {-100.0, 0.0}, {1e300, 0.0}, {0.0, -1.1}, {NAN, 0.0}})
    CHECK(std::isnan(floor.arc(x)));
}

TEST_CASE("Smooth walls' lengths are good to 1e-5; each corner is cut by up to .6 of a square", "[unit]") {
  constexpr double side = 2.9 / 200;
  const auto missing = [](const auto& domain, double length) {
    double worst = 0;
    for (int k = 0; k < 40; ++k) {
      const double low = -1.3 - 0.013 * k, high = low + 200 * side;
      const Outline outline(domain, {low, low}, {high, high}, 200);
      worst = std::max(worst, std::abs(length - outline.length()));
    }
    return worst;
  };
  Domain<2> box, disc;
  box.add<Rectangle>("box", {1.0, 1.0});
  box.enclose_all();
  disc.add<Circle>("disc", {1.0});
  disc.enclose_all();
  CHECK(missing(box, 8.0) < 4 * 0.6 * side);
  CHECK(missing(box, 8.0) > side);
  CHECK(missing(disc, 2 * std::numbers::pi) < 2e-5 * 2 * std::numbers::pi);
}
