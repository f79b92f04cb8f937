// SPDX-License-Identifier: BSD-3-Clause
// Islands of Henon's quadratic map x' = x cos a - (y - x^2) sin a, y' = x sin a + (y - x^2) cos a: at
// cos a = 0.24 a chain of 5 goes around the fixed point. Reference: Henon, Q. Appl. Math. 27 (1969) 291.
#include <cmath>

#include "catch.hpp"
#include "chaos/birkhoff.hpp"
#include "chaos/islands.hpp"

using namespace cotangent::chaos;

namespace {

using Points = std::vector<std::array<double, 2>>;

Points orbit(double cosine, double x, double y, int count) {
  const double sine = std::sqrt(1 - cosine * cosine);
  Points points;
  for (int k = 0; k < count; ++k) {
    points.push_back({x, y});
    const double w = y - x * x, next = x * cosine - w * sine;
    y = x * sine + w * cosine;
    x = next;
  }
  return points;
}
double rotation(const Points& points) {
  return std::abs(weighted_average(turns(points, {0, 0})));
}

}  // namespace

TEST_CASE("islands are those of chains whose rotation number is known") {
  int chains = 0, found = 0, curves = 0;
  for (const double cosine : {0.24, 0.4, 0.22}) {
    for (int k = 0; k < 200; ++k) {
      const double x = 0.9 * std::sin(1.0 + 2.4 * k), y = 0.9 * std::cos(2.0 + 1.7 * k);
      const Points points = orbit(cosine, x, y, 8000);
      if (!(std::abs(points.back()[0]) < 2)) continue;
      const std::span all(points);
      const Points early(points.begin(), points.begin() + 4000), late(points.begin() + 4000, points.end());
      const double turn = rotation(points);
      if (!(std::abs(rotation(early) - rotation(late)) < 1e-8)) continue;  // not on a curve
      int n = 1;
      while (n < 20 && std::abs(n * turn - std::round(n * turn)) > 1e-7) ++n;
      const int told = islands(all.first(400));
      if (n == 20) {
        ++curves;
        CHECK((told == 1 || told >= 20));
      } else {
        ++chains;
        found += told == n;
        CHECK((told == n || told == 1 || told % n == 0));  // or of islands around islands
      }
    }
  }
  CHECK(curves > 50);
  CHECK(chains > 20);
  CHECK(found >= 0.9 * chains);
}

TEST_CASE("an island is one whatever the units, and a near resonance of one curve is none") {
  Points points = orbit(0.24, 0.55, -0.1, 200);  // within an island of five
  CHECK(islands(points) == 5);
  for (auto& z : points) z = {1e-6 * z[0] + 3, 1e4 * z[1]};
  CHECK(islands(points) == 5);
  for (const double off : {0.0, 1e-5, 1e-4, 1e-3, 5e-3, 2e-2}) {  // turns of 1/5 and a little more
    Points circle;
    for (int k = 0; k < 200; ++k) {
      const double angle = 2 * std::acos(-1.0) * (0.2 + off) * k;
      circle.push_back({std::cos(angle), std::sin(angle)});
    }
    CHECK(islands(circle) == 1);
  }
  CHECK(islands({}) == 1);
  CHECK(islands(std::vector<std::array<double, 2>>(100, {0.5, 0.5})) == 1);
}
