// SPDX-License-Identifier: BSD-3-Clause
// The energy landscape of three magnetic balls against independent references.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "landscape_potentials.hpp"
#include "reference/balls_stationary_points.hpp"

using namespace landscape_tests;

namespace {

double angle_distance(Point a, Point b) {
  return std::hypot(std::remainder(a[0] - b[0], 2 * pi), std::remainder(a[1] - b[1], 2 * pi));
}

StationaryType type_of(const std::string& name) {
  return name == "min"   ? StationaryType::minimum
         : name == "max" ? StationaryType::maximum
                         : StationaryType::saddle;
}

/// Extrema and saddles.
std::array<int, 2> counts(const StationaryPoints& s) {
  return {s.count(StationaryType::minimum) + s.count(StationaryType::maximum),
          s.count(StationaryType::saddle)};
}

std::vector<Bifurcation> of_kind(const std::vector<Bifurcation>& all, BifurcationKind kind) {
  std::vector<Bifurcation> some;
  std::copy_if(all.begin(), all.end(), std::back_inserter(some),
               [&](const auto& b) { return b.kind == kind; });
  return some;
}

}  // namespace

TEST_CASE("every stationary point of the magnetic balls, to the last digits") {
  double worst_place = 0, worst_energy = 0, worst_eigenvalue = 0;
  for (double alpha : {10.0, 18.0, 20.0}) {
    const auto found = stationary_points(balls_at(alpha), apart, torus);
    REQUIRE(found.complete());
    std::size_t listed = 0;
    for (const auto& r : reference::balls_points) {
      if (r.alpha != alpha) continue;
      ++listed;
      const auto nearest =
          std::min_element(found.points.begin(), found.points.end(), [&](const auto& a, const auto& b) {
            return angle_distance(a.point, {r.t, r.s}) < angle_distance(b.point, {r.t, r.s});
          });
      CHECK(nearest->type == type_of(r.type));
      worst_place = std::max(worst_place, angle_distance(nearest->point, {r.t, r.s}));
      worst_energy = std::max(worst_energy, std::abs(nearest->energy - r.energy));
      worst_eigenvalue = std::max({worst_eigenvalue, std::abs(nearest->eigenvalues[0] - r.lower),
                                   std::abs(nearest->eigenvalues[1] - r.upper)});
    }
    CHECK(found.points.size() == listed);
  }
  CAPTURE(worst_place, worst_energy, worst_eigenvalue);
  CHECK(worst_place < 1e-14);       // measured: 3.8e-15
  CHECK(worst_energy < 1e-14);      // measured: 3.6e-15
  CHECK(worst_eigenvalue < 5e-13);  // measured: 7.1e-14, of 39
}

TEST_CASE("counts of extrema and saddles, and their index, from gravity alone to strong magnets") {
  struct Row {
    double alpha;
    std::array<int, 2> counts;
  };
  // by tests/reference/magnetic_chain.py
  for (const Row& row :
       {Row{0, {2, 0}}, Row{10, {3, 7}}, Row{17, {3, 7}}, Row{17.8, {5, 9}}, Row{17.9, {5, 9}},
        Row{18, {5, 9}}, Row{18.4, {5, 9}}, Row{18.5, {5, 9}}, Row{20, {4, 8}}, Row{50, {4, 8}}}) {
    std::int64_t evaluations = 0;
    const Landscape found = landscape(
        [&](double t, double s) {
          ++evaluations;
          return balls(t, s, row.alpha);
        },
        apart, torus);
    CAPTURE(row.alpha, evaluations);
    CHECK(counts(found.stationary) == row.counts);
    CHECK(found.stationary.complete());
    CHECK(evaluations < 75000);  // measured: 36034 to 48550
    // Morse on a region with boundary: the boundary points to which U falls outwards count with the interior
    // ones, and the sum is the Euler characteristic of the strip closed to a ring.
    int sum = found.stationary.index_sum();
    for (const auto& b : found.boundary) sum += b.outward_slope < 0 ? (b.minimum ? 1 : -1) : 0;
    CHECK(sum == 0);
  }
}

TEST_CASE("origin and hanging chain in closed form") {
  for (double alpha : {0.0, 10.0, 18.0, 18.5, 50.0}) {
    const Landscape found = landscape(balls_at(alpha), apart, torus);
    const auto& origin = found.stationary.points[nearest(found, torus, {0, 0})];
    const auto& hanging = found.stationary.points[nearest(found, torus, {pi, -pi})];
    CHECK(origin.energy == Approx(3 - 17 * alpha / 24).epsilon(1e-15));
    CHECK(hanging.energy == Approx(-3 - 17 * alpha / 24).epsilon(1e-15));
    CHECK(hanging.type == StationaryType::minimum);
    const double a = 3 * alpha / 8 - 6, b = -alpha / 48 - 2, c = 3 * alpha / 8 - 1;
    CHECK(origin.eigenvalues[0] * origin.eigenvalues[1] == Approx(a * c - b * b).epsilon(1e-13));
    CHECK(origin.eigenvalues[0] + origin.eigenvalues[1] == Approx(a + c).epsilon(1e-14));
  }
}

TEST_CASE("wells, barrier and escape of the upright chain") {
  struct Row {
    double alpha, well, pass;
    Point well_at, pass_at;
  };
  // by tests/reference/magnetic_chain.py; positions to nine decimals.
  for (const Row& row :
       {Row{17.8,
            -9.632090737159633,
            -9.620938397663226,
            {.619222145, .212872958},
            {1.011855327, .306494505}},
        Row{17.9,
            -9.696626749764863,
            -9.676859509410758,
            {.555902161, .196495628},
            {1.033341988, .315934175}},
        Row{18, -9.762270016847027, -9.732432443376046, {.496491182, .179809196}, {1.048701955, .324202777}},
        Row{18.4,
            -10.03419453697553,
            -9.952688270954423,
            {.238141402, .093175387},
            {1.081988646, .351149772}},
        Row{18.5,
            -10.1042608095395,
            -10.00743315161407,
            {.135088300, .053712317},
            {1.086601479, .356920567}}}) {
    const Landscape found = landscape(balls_at(row.alpha), apart, torus);
    const double origin = 3 - 17 * row.alpha / 24;
    CAPTURE(row.alpha);
    const int plus = nearest(found, torus, row.well_at),
              minus = nearest(found, torus, {-row.well_at[0], -row.well_at[1]});
    REQUIRE(plus != minus);
    CHECK(found.stationary.points[plus].type == StationaryType::minimum);
    CHECK(angle_distance(found.stationary.points[plus].point, row.well_at) < 1e-9);
    CHECK(found.stationary.points[plus].energy == Approx(row.well).epsilon(2e-15));
    CHECK(escape_energy(found, plus) == Approx(row.pass).epsilon(2e-15));
    CHECK(escape_energy(found, minus) == Approx(row.pass).epsilon(2e-15));
    CHECK(barrier(found, plus, minus) == Approx(origin).epsilon(1e-15));
    // The pass is the saddle that is listed, and one of its sides is this well, the other the boundary.
    const auto pass = std::find_if(found.passes.begin(), found.passes.end(), [&](const Pass& p) {
      return angle_distance(p.point, row.pass_at) < 1e-9;
    });
    REQUIRE(pass != found.passes.end());
    CHECK(std::count(pass->ends.begin(), pass->ends.end(), End{End::Kind::stationary, plus}) == 1);
    CHECK(std::count_if(pass->ends.begin(), pass->ends.end(),
                        [](const End& e) { return e.kind == End::Kind::boundary; }) == 1);
    // A double well from which the chain cannot collide exists only where the origin lies below the pass.
    CHECK((origin < row.pass) == (row.alpha > 17.884699697003781));
  }
}

TEST_CASE("a flood from the well reaches the boundary above the pass alone") {
  // The same question without any saddle: connected grid points of r13 > 1 with U < E, for alpha = 18.
  constexpr int n = 1000;
  constexpr double side = 3.2, step = side / n;
  const auto reaches = [&](double energy) {
    std::vector<char> seen(n * n, 0);
    std::vector<int> front{static_cast<int>((0.4965 + side / 2) / step) * n +
                           static_cast<int>((0.1798 + side / 2) / step)};
    while (!front.empty()) {
      const int at = front.back();
      front.pop_back();
      const double t = (at / n) * step - side / 2, s = (at % n) * step - side / 2;
      if (seen[at] || balls(t, s, 18).value >= energy) continue;
      if (apart(t, s) <= 0) return true;
      seen[at] = 1;
      const int i = at / n, j = at % n;
      if (i > 0) front.push_back(at - n);
      if (i < n - 1) front.push_back(at + n);
      if (j > 0) front.push_back(at - 1);
      if (j < n - 1) front.push_back(at + 1);
    }
    return false;
  };
  CHECK(reaches(-9.7324));
  CHECK(!reaches(-9.7325));
}

TEST_CASE("escape where the origin is no well, or the only one") {
  // The energies: by tests/reference/magnetic_chain.py.
  const Landscape ten = landscape(balls_at(10), apart, torus);
  CHECK(escape_energy(ten, nearest(ten, torus, {pi, -pi})) == Approx(-6.236603749870985).epsilon(2e-15));
  const auto origin = std::find_if(ten.passes.begin(), ten.passes.end(), [](const Pass& p) {
    return angle_distance(p.point, {0, 0}) < 1e-9;
  });
  REQUIRE(origin != ten.passes.end());
  for (const End& end : origin->ends)
    CHECK(end.kind == End::Kind::boundary);  // U falls from it to r13 = 1, both ways
  CHECK(nearest(ten, torus, {1.8311348, -.1635662}) >= 0);

  struct Row {
    double alpha, pass, hanging;
  };
  for (const Row& row : {Row{20, -10.82328678185743, -11.6447627}, Row{50, -27.2416299038874, -28.1040101}}) {
    const Landscape found = landscape(balls_at(row.alpha), apart, torus);
    const int upright = nearest(found, torus, {0, 0}), hanging = nearest(found, torus, {pi, -pi});
    CHECK(found.stationary.points[upright].type == StationaryType::minimum);
    CHECK(escape_energy(found, upright) == Approx(row.pass).epsilon(2e-15));
    CHECK(escape_energy(found, hanging) == within(row.hanging, 1e-7));
    CHECK(barrier(found, upright, hanging) > row.pass);
    CHECK(barrier(found, upright, hanging) == barrier(found, hanging, upright));
  }
}

TEST_CASE("the lowest energy on the boundary is not the pass") {
  struct Row {
    double alpha, energy;
  };
  // by tests/reference/magnetic_chain.py
  for (const Row& row : {Row{0, -1.7320508}, Row{10, -6.475}, Row{17, -10.7573529}, Row{17.8, -11.2514045},
                         Row{17.9, -11.3131983}, Row{18, -11.375}, Row{18.4, -11.6222826},
                         Row{18.5, -11.6841216}, Row{20, -12.6125}, Row{50, -31.295}}) {
    const auto boundary = boundary_extrema(balls_at(row.alpha), apart, torus);
    CAPTURE(row.alpha);
    REQUIRE(!boundary.empty());
    CHECK(boundary.front().minimum);
    CHECK(boundary.front().energy == within(row.energy, 5.1e-8));  // printed to seven decimals
  }
  for (const auto& r : reference::balls_boundary) {
    const auto boundary = boundary_extrema(balls_at(r.alpha), apart, torus);
    CHECK(boundary.front().energy == within(r.energy, 1e-14));
    const bool listed = std::any_of(boundary.begin(), boundary.end(), [&](const auto& b) {
      return b.minimum && angle_distance(b.point, {r.t, r.s}) < 1e-9;
    });
    CHECK(listed);
  }
  // Gravity alone: the hanging well leans against the boundary, and touches it there first.
  const Landscape gravity = landscape(balls_at(0), apart, torus);
  CHECK(gravity.boundary.front().outward_slope > 0);
  CHECK(escape_energy(gravity, nearest(gravity, torus, {pi, -pi})) == Approx(-std::sqrt(3.0)).epsilon(1e-14));
}

// The references: by tests/reference/magnetic_chain.py. Measured: within 3e-15 of them.
TEST_CASE("parameter values at which the balls' landscape changes") {
  const auto changes = bifurcations(balls, apart, torus, {17.4, 18.7, 13});
  const auto folds = of_kind(changes, BifurcationKind::fold);
  REQUIRE(folds.size() == 2);  // mirror images
  for (const auto& f : folds) {
    CHECK(f.parameter == within(17.586776625116972, 1e-13));
    CHECK(std::abs(f.point[0]) == within(.857216, 5e-7));
    CHECK(std::abs(f.point[1]) == within(.265073, 5e-7));
    CHECK(f.energy == within(-9.499392, 5e-7));
  }
  const auto level = of_kind(changes, BifurcationKind::energy_coincidence);
  REQUIRE(level.size() == 2);
  for (const auto& c : level) {
    CHECK(c.parameter == within(17.884699697003781, 1e-13));
    CHECK(angle_distance(c.partner, {0, 0}) < 1e-12);
    CHECK(c.energy == within(3 - 17 * c.parameter / 24, 1e-13));
  }
  const auto pitchforks = of_kind(changes, BifurcationKind::pitchfork);
  REQUIRE(pitchforks.size() == 1);
  CHECK(pitchforks[0].parameter == within((3120 + 48 * std::sqrt(3579.0)) / 323, 1e-13));
  CHECK(angle_distance(pitchforks[0].point, {0, 0}) < 1e-12);
  CHECK(changes.size() == 5);

  // Weak magnets: from 2 extrema and no saddle to 3 and 7, by a pitchfork and three pairs of saddles that
  // come in through r13 = 1.
  const auto weak = bifurcations(balls, apart, torus, {0, 10, 20});
  const auto first_pitchfork = of_kind(weak, BifurcationKind::pitchfork);
  REQUIRE(first_pitchfork.size() == 1);
  CHECK(first_pitchfork[0].parameter == within(0.7690782843961718, 1e-13));
  const auto entering = of_kind(weak, BifurcationKind::boundary_crossing);
  CHECK(entering.size() == 6);
  for (const auto& e : entering) {
    const Jet2 there = balls(e.point[0], e.point[1], e.parameter);
    CHECK(std::abs(apart(e.point[0], e.point[1])) < 1e-12);
    CHECK(std::hypot(there.gradient[0], there.gradient[1]) < 1e-12);
  }
  CHECK(of_kind(weak, BifurcationKind::fold).empty());
  CHECK(of_kind(weak, BifurcationKind::unresolved).empty());
}

TEST_CASE("two points a hair apart are told from none") {
  const double fold = 17.586776625116972;  // by tests/reference/magnetic_chain.py
  for (double beyond : {1e-4, 1e-8, 1e-11}) {
    const auto before = stationary_points(balls_at(fold - beyond), apart, torus);
    const auto after = stationary_points(balls_at(fold + beyond), apart, torus);
    CAPTURE(beyond);
    CHECK(counts(before) == std::array{3, 7});
    CHECK(counts(after) == std::array{5, 9});
    CHECK(before.complete());
    CHECK(after.complete());
  }
  // At 18.5498 - 1e-7 the wells are 2e-4 from the origin and 1e-15 below it.
  const double pitchfork = (3120 + 48 * std::sqrt(3579.0)) / 323;
  CHECK(counts(stationary_points(balls_at(pitchfork - 1e-7), apart, torus)) == std::array{5, 9});
  CHECK(counts(stationary_points(balls_at(pitchfork + 1e-7), apart, torus)) == std::array{4, 8});

  // Controls. Without refinement the search knows that it isn't done; Newton from the same coarse cells loses
  // points.
  const auto coarse = stationary_points(balls_at(fold + 1e-4), apart, torus, {.cells = 8, .depth = 0});
  CHECK(!coarse.complete());
  CHECK(coarse.points.size() < 14);  // measured: 12
}

TEST_CASE("the result doesn't depend on the grid") {
  const auto fine = stationary_points(balls_at(18.5), apart, torus);
  for (int cells : {6, 16, 37, 48, 150}) {  // at 6 and 48 the boundary runs through the corners of cells
    const auto found = stationary_points(balls_at(18.5), apart, torus, {.cells = cells, .depth = 24});
    CAPTURE(cells);
    REQUIRE(found.points.size() == fine.points.size());
    CHECK(found.complete());
    for (const auto& p : fine.points) {
      CHECK(std::any_of(found.points.begin(), found.points.end(),
                        [&](const auto& q) { return angle_distance(p.point, q.point) < 1e-13; }));
    }
  }
}
