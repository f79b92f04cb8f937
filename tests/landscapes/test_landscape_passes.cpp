// SPDX-License-Identifier: BSD-3-Clause
// Ways out of wells that a Hessian, a corner of the region or a level boundary hides.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/error.hpp"
#include "landscape_potentials.hpp"

using namespace landscape_tests;

namespace {

const Domain unit_disc = [](double x, double y) { return 1 - x * x - y * y; };

int astray_ends(const Landscape& found) {
  int count = 0;
  for (const Pass& pass : found.passes) {
    for (const End& end : pass.ends) count += end.kind == End::Kind::astray ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("a quartic top is a pass") {
  // U' = x (1 - x)^3 along y = 0: the way out of the well at 0 leads over x = 1 alone, where U = 1/20 and U''
  // = 0.
  const Potential quartic = [](double x_value, double y_value) {
    const Scalar x = first(x_value), y = second(y_value), xx = x * x;
    return (0.5 * xx - xx * x + 0.75 * (xx * xx) - 0.2 * (xx * xx * x) + 0.5 * (y * y)).jet();
  };
  const Window window{-0.5, 1.5, -1, 1};
  const Landscape found = landscape(quartic, everywhere, window);
  CHECK(found.stationary.complete());
  const int top = nearest(found, window, {1, 0}), well = nearest(found, window, {0, 0});
  REQUIRE(found.stationary.points[top].type == StationaryType::degenerate);
  CHECK(found.stationary.points[top].index == -1);
  REQUIRE(found.passes.size() == 1);
  CHECK(found.passes[0].number == top);
  CHECK(escape_energy(found, well) == within(0.05, 1e-15));
  CHECK(connectivity(found).lowest[0]);
}

TEST_CASE("where more valleys meet than two, or a descent stops at an inflection, ends are astray") {
  const Window window{-1.1, 1.0, -1.0, 1.2};
  const Landscape monkey = landscape(
      [](double x_value, double y_value) {
        const Scalar x = first(x_value), y = second(y_value);
        return (x * x * x - 3 * (x * y * y)).jet();
      },
      everywhere, window);
  REQUIRE(monkey.passes.size() == 1);
  CHECK(astray_ends(monkey) == 2);

  // U' = (x + 1/2) x^2 (1 - x): U falls from the saddle at 1 to the inflection at 0, and on to the well at
  // -1/2.
  const Potential stairs = [](double x_value, double y_value) {
    const Scalar x = first(x_value), y = second(y_value), cubed = x * x * x;
    return ((1.0 / 6) * cubed + 0.125 * (cubed * x) - 0.2 * (cubed * x * x) + 0.5 * (y * y)).jet();
  };
  const Window wide{-0.9, 1.4, -1, 1};
  const Landscape stopped = landscape(stairs, everywhere, wide);
  const int inflection = nearest(stopped, wide, {0, 0});
  REQUIRE(stopped.stationary.points[inflection].type == StationaryType::degenerate);
  CHECK(stopped.stationary.points[inflection].index == 0);
  CHECK(astray_ends(stopped) == 1);
}

TEST_CASE("a descent to a corner of the region has reached the boundary") {
  // Over the saddle (1/2, 0) at 1/24, then along the boundary to the corner (1, 0).
  const Potential well = [](double x_value, double y_value) {
    const Scalar x = first(x_value), y = second(y_value), xx = x * x;
    return (0.5 * xx - (2.0 / 3) * (xx * x) + 0.5 * (y * y)).jet();
  };
  const Domain diamond = [](double x, double y) { return 1 - std::abs(x) - std::abs(y); };
  for (const Window& window : {Window{-1.2, 1.2, -1.2, 1.2}, Window{-1.23, 1.2, -1.21, 1.19}}) {
    const Landscape found = landscape(well, diamond, window);
    CHECK(found.stationary.complete());
    CHECK(astray_ends(found) == 0);
    CHECK(escape_energy(found, nearest(found, window, {0, 0})) == within(1.0 / 24, 1e-15));
  }
}

TEST_CASE("a potential that isn't finite on the boundary is refused") {
  const Potential barrier = [](double x, double y) {
    const double r = 1 - x * x - y * y, rr = r * r;
    return Jet2{std::log(r) + 0.3 * x,
                {-2 * x / r + 0.3, -2 * y / r},
                {-2 / r - 4 * x * x / rr, -4 * x * y / rr, -2 / r - 4 * y * y / rr}};
  };
  const Window window{-1.2, 1.2, -1.2, 1.2};
  CHECK_THROWS_WITH(boundary_extrema(barrier, unit_disc, window),
                    ContainsSubstring("not finite on the boundary of the admissible region, at ("));
  const Domain smaller = [](double x, double y) { return 0.9 - x * x - y * y; };
  CHECK(boundary_extrema(barrier, smaller, window).size() == 2);
}

TEST_CASE("a boundary along which U is level is touched at one place") {
  const auto bowl = [](double tilt) {
    return [tilt](double x_value, double y_value) {
      const Scalar x = first(x_value), y = second(y_value);
      return (x * x + y * y + tilt * x).jet();
    };
  };
  const Window window{-1.2, 1.2, -1.2, 1.2};
  const Landscape level = landscape(bowl(0), unit_disc, window);
  REQUIRE(level.boundary.size() == 1);
  CHECK(level.boundary[0].minimum);
  REQUIRE(level.passes.size() == 1);
  CHECK(escape_energy(level, 0) == within(1.0, 1e-14));
  // Tilted by what is seen above round-off it has two extrema, as by much.
  for (double tilt : {1e-6, 1e-2}) {
    const Landscape tilted = landscape(bowl(tilt), unit_disc, window);
    CAPTURE(tilt);
    CHECK(tilted.boundary.size() == 2);
    CHECK(escape_energy(tilted, 0) == within(1 - tilt, 1e-14));
  }
}

TEST_CASE("a finer first grid finds no less") {
  // A minimum and a saddle 2e-4 apart, where the search comes late.
  const Potential pair = [](double x_value, double y_value) {
    const Scalar x = first(x_value) - constant(1.2), y = second(y_value);
    return ((1.0 / 3) * (x * x * x) - 1e-8 * x + 0.5 * (y * y)).jet();
  };
  for (int cells : {64, 700}) {
    const auto found =
        stationary_points(pair, everywhere, {-1.5, 1.5, -1.4, 1.5}, {.cells = cells, .depth = 24});
    CAPTURE(cells);
    CHECK(found.complete());
    CHECK(found.undecided == 0);
    CHECK(found.points.size() == 2);
  }
}
