// SPDX-License-Identifier: BSD-3-Clause
// Energy landscapes whose answer is known in closed form: Hénon-Heiles, the six-hump camel, degenerate
// points, and the normal form of each bifurcation.
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "core/error.hpp"
#include "landscape_potentials.hpp"

using namespace landscape_tests;

TEST_CASE("Hénon-Heiles: one well, three passes at 1/6 out of the window") {
  const Window window{-1.5, 1.5, -1.5, 1.5};
  const Landscape found = landscape(henon_heiles, everywhere, window);
  REQUIRE(found.stationary.complete());
  REQUIRE(found.stationary.points.size() == 4);
  CHECK(found.stationary.boundary_index == -2);
  CHECK(found.stationary.points[0].type == StationaryType::minimum);
  REQUIRE(found.passes.size() == 3);
  for (const auto& pass : found.passes) {
    CHECK(pass.energy == Approx(1.0 / 6).epsilon(1e-15));
    CHECK(std::count(pass.ends.begin(), pass.ends.end(), End{End::Kind::stationary, 0}) == 1);
    CHECK(std::count_if(pass.ends.begin(), pass.ends.end(),
                        [](const End& e) { return e.kind == End::Kind::window_edge; }) == 1);
  }
  CHECK(escape_energy(found, 0) == Approx(1.0 / 6).epsilon(1e-15));
  CHECK(found.boundary.empty());

  // Inside a disc of radius 3/4 the saddles are cut off and the well touches the rim where U = r^2/2 - r^3/3.
  const Domain disc = [](double x, double y) { return 0.75 * 0.75 - x * x - y * y; };
  const Landscape cut = landscape(henon_heiles, disc, window);
  CHECK(cut.stationary.complete());
  CHECK(cut.stationary.points.size() == 1);
  CHECK(escape_energy(cut, 0) == Approx(0.75 * 0.75 / 2 - std::pow(0.75, 3) / 3).epsilon(1e-13));
}

TEST_CASE("the six-hump camel: fifteen points, every well reached from every other") {
  const Potential camel = [](double x_value, double y_value) {
    const Scalar x = first(x_value), y = second(y_value), xx = x * x, yy = y * y;
    return ((constant(4) - 2.1 * xx + (1.0 / 3) * (xx * xx)) * xx + x * y + (4.0 * yy - constant(4)) * yy)
        .jet();
  };
  const Window window{-2.5, 2.5, -1.5, 1.5};
  const Landscape found = landscape(camel, everywhere, window);
  CHECK(found.stationary.complete());
  CHECK(found.stationary.count(StationaryType::minimum) == 6);
  CHECK(found.stationary.count(StationaryType::maximum) == 2);
  CHECK(found.stationary.count(StationaryType::saddle) == 7);
  CHECK(found.stationary.points[0].energy == Approx(-1.0316284534898774).epsilon(1e-14));
  CHECK(std::abs(found.stationary.points[0].point[0]) == Approx(0.08984201310031806).epsilon(1e-13));
  CHECK(barrier(found, 0, 1) == 0.0);  // over the origin
  for (int i = 0; i < 15; ++i) {
    if (found.stationary.points[i].type == StationaryType::minimum) {
      CHECK(std::isfinite(barrier(found, 0, i)));
      CHECK(std::isinf(escape_energy(found, i)));  // U rises out of the window: no pass leads there
    }
  }
  for (const auto& pass : found.passes) {
    for (const End& end : pass.ends) {
      REQUIRE(end.kind == End::Kind::stationary);
      CHECK(found.stationary.points[end.number].energy < pass.energy);
    }
  }
}

TEST_CASE(
    "a descent that symmetry keeps on a ridge ends at the lower saddle, and both wells behind it are "
    "joined") {
  // U = (x^2 - 1)^2 + (1/2 - x^2) y^2 + y^4: along y = 0 a ridge falls from the saddle at 0 to saddles at x =
  // +-1.
  const Potential ridge = [](double x_value, double y_value) {
    const Scalar x = first(x_value), y = second(y_value), xx = x * x, yy = y * y;
    const Scalar well = xx - constant(1);
    return (well * well + (constant(0.5) - xx) * yy + yy * yy).jet();
  };
  const Window window{-2, 2, -2, 2};
  const Landscape found = landscape(ridge, everywhere, window);
  CHECK(found.stationary.complete());
  REQUIRE(found.stationary.count(StationaryType::minimum) == 4);
  const int east = nearest(found, window, {1, 0}), west = nearest(found, window, {-1, 0});
  const auto top =
      std::find_if(found.passes.begin(), found.passes.end(), [](const Pass& p) { return p.energy > 0.5; });
  REQUIRE(top != found.passes.end());
  CHECK(std::is_permutation(
      top->ends.begin(), top->ends.end(),
      std::array{End{End::Kind::stationary, east}, End{End::Kind::stationary, west}}.begin()));
  std::vector<int> wells;
  for (const Point place : {Point{1, 1}, Point{1, -1}, Point{-1, 1}})
    wells.push_back(nearest(found, window, place));
  CHECK(barrier(found, wells[0], wells[1]) == within(0.0, 1e-14));
  CHECK(barrier(found, wells[0], wells[2]) == Approx(1.0).epsilon(1e-15));
  CHECK(std::isinf(escape_energy(found, wells[0])));
}

TEST_CASE("lowest passes: symmetric ones alike, higher ones not") {
  // A ring of two wells 0 and 1 with passes 2, 3 at one height between them, 4 higher, and 5 from 1 out.
  Landscape ring;
  ring.stationary.points.resize(6);
  const auto pass = [&](int number, double energy, End a, End b) {
    ring.passes.push_back({Pass::Kind::saddle, number, {0, 0}, energy, {a, b}});
  };
  const End zero{End::Kind::stationary, 0}, one{End::Kind::stationary, 1}, out{End::Kind::window_edge, -1};
  pass(2, 1.0, zero, one);
  pass(3, 1.0 + 1e-13, one, zero);
  pass(4, 1.5, zero, one);
  pass(5, 2.0, one, out);
  CHECK(connectivity(ring).lowest == std::vector<bool>{true, true, false, true});
  ring.passes.back().ends[1].kind = End::Kind::astray;
  CHECK(connectivity(ring).lowest == std::vector<bool>{true, true, false, false});
}

TEST_CASE("degenerate points are named so, and bear their index") {
  const Window window{-1.1, 1.0, -1.0, 1.2};
  const auto monkey = stationary_points(
      [](double x_value, double y_value) {
        const Scalar x = first(x_value), y = second(y_value);
        return (x * x * x - 3 * (x * y * y)).jet();
      },
      everywhere, window);
  REQUIRE(monkey.points.size() == 1);
  CHECK(monkey.points[0].type == StationaryType::degenerate);
  CHECK(monkey.points[0].index == -2);
  CHECK(monkey.complete());

  const auto flat = stationary_points(
      [](double x_value, double y_value) {
        const Scalar x = first(x_value), y = second(y_value);
        return (x * x * x * x + y * y).jet();
      },
      everywhere, window);
  REQUIRE(flat.points.size() == 1);
  CHECK(flat.points[0].type == StationaryType::degenerate);
  CHECK(flat.points[0].index == 1);

  // A whole line of them can't be listed, and the result says so.
  const auto valley = stationary_points(
      [](double x, double) {
        return Jet2{x * x, {2 * x, 0}, {2, 0, 0}};
      },
      everywhere, window);
  CHECK(!valley.complete());
}

namespace {

/// U = form(x, p) + y^2.
PotentialFamily along_x(Scalar (*form)(Scalar x, double p)) {
  return [form](double x_value, double y_value, double p) {
    const Scalar x = first(x_value), y = second(y_value);
    return (form(x, p) + y * y).jet();
  };
}

/// Step by step, each on its own, as ranks share them out.
std::vector<Bifurcation> changes_by_step(const PotentialFamily& family, const Domain& domain,
                                         const Window& window, ParameterRange range) {
  std::vector<Bifurcation> all;
  for (int step = 0; step < range.steps; ++step) {
    const auto bound = [&](int k) {
      return k == range.steps ? range.last : range.first + (range.last - range.first) * k / range.steps;
    };
    for (const auto& change : bifurcations(family, domain, window, {bound(step), bound(step + 1), 1}, {},
                                           ParameterBounds{range.first, range.last})) {
      const auto same = [&](const Bifurcation& b) {
        return b.kind == change.kind && std::abs(b.parameter - change.parameter) < 1e-7 &&
               std::abs(b.point[0] - change.point[0]) < 1e-5;
      };
      if (std::none_of(all.begin(), all.end(), same)) all.push_back(change);
    }
  }
  return all;
}

}  // namespace

TEST_CASE("normal forms: each bifurcation by its name, also where it falls on a sample of the range") {
  const Window window{-1.5, 1.5, -1, 1};
  const auto family = along_x;
  const auto fold = family([](Scalar x, double p) { return (1.0 / 3) * (x * x * x) - p * x; });
  const auto transcritical =
      family([](Scalar x, double p) { return (1.0 / 3) * (x * x * x) - 0.5 * p * (x * x); });
  const auto pitchfork =
      family([](Scalar x, double p) { return 0.25 * (x * x * x * x) - 0.5 * p * (x * x); });
  const auto moving = family([](Scalar x, double p) { return 0.5 * (x * x) - p * x; });
  const Domain left_of_half = [](double x, double) { return 0.5 - x; };
  struct Row {
    PotentialFamily family;
    Domain domain;
    BifurcationKind kind;
    double parameter, x;
  };
  for (const Row& row : {Row{fold, everywhere, BifurcationKind::fold, 0, 0},
                         Row{transcritical, everywhere, BifurcationKind::transcritical, 0, 0},
                         Row{pitchfork, everywhere, BifurcationKind::pitchfork, 0, 0},
                         Row{moving, left_of_half, BifurcationKind::boundary_crossing, 0.5, 0.5}}) {
    for (ParameterRange range : {ParameterRange{-1, 1, 4}, ParameterRange{-0.9, 1, 7}}) {
      for (const auto& changes : {bifurcations(row.family, row.domain, window, range),
                                  changes_by_step(row.family, row.domain, window, range)}) {
        CAPTURE(int(row.kind), range.steps);
        REQUIRE(changes.size() == 1);
        CHECK(changes[0].kind == row.kind);
        CHECK(changes[0].parameter == within(row.parameter, 1e-11));
        CHECK(changes[0].point[0] == within(row.x, 1e-7));
      }
    }
  }
}

TEST_CASE("a stationary point that leaves the window crosses its boundary") {
  const auto moving = along_x([](Scalar x, double p) { return 0.5 * (x * x) - p * x; });
  const Window window{-1, 1, -1, 1};
  for (int steps : {1, 2, 3}) {  // with two it leaves on a sample of the range
    const ParameterRange range{0, 2, steps};
    for (const auto& changes : {bifurcations(moving, everywhere, window, range),
                                changes_by_step(moving, everywhere, window, range)}) {
      CAPTURE(steps);
      REQUIRE(changes.size() == 1);
      CHECK(changes[0].kind == BifurcationKind::boundary_crossing);
      CHECK(changes[0].parameter == within(1, 1e-11));
      CHECK(changes[0].point[0] == within(1, 1e-11));
    }
  }
  // Round a circle none leaves.
  const auto turning = [](double x, double y, double p) {
    return (cos(first(x) - constant(p)) + cos(second(y))).jet();
  };
  CHECK(bifurcations(turning, everywhere, torus, {0, 7, 5}).empty());
}

TEST_CASE("no parameter is asked for beyond its range") {
  const auto asked_within = [](double low, double high, PotentialFamily family) {
    return [=](double x, double y, double p) {
      if (!(p >= low && p <= high)) return Jet2{NAN, {NAN, NAN}, {NAN, NAN, NAN}};
      return family(x, y, p);
    };
  };
  const Window window{-1.5, 1.5, -1, 1};
  const auto stiffening =
      along_x([](Scalar x, double p) { return (0.5 + 0.5 * std::sqrt(p)) * (x * x) - 0.1 * p * x; });
  CHECK(bifurcations(stiffening, everywhere, window, {0, 1, 2}).empty());

  // A branch point near an end of the range, or at it.
  const auto pitchfork =
      along_x([](Scalar x, double p) { return 0.25 * (x * x * x * x) - 0.5 * p * (x * x); });
  for (const auto& range : {ParameterRange{-1, 0, 2}, ParameterRange{-1, 3e-4, 2}, ParameterRange{0, 1, 2},
                            ParameterRange{-3e-4, 1, 2}}) {
    const auto changes =
        bifurcations(asked_within(range.first, range.last, pitchfork), everywhere, window, range);
    CAPTURE(range.first, range.last);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].kind == BifurcationKind::pitchfork);
    CHECK(changes[0].parameter == within(0, 1e-10));
  }
}

TEST_CASE("what cannot be searched is refused") {
  const Potential pole = [](double x, double y) {
    const double r = std::hypot(x, y);
    return Jet2{-1 / r, {x / (r * r * r), y / (r * r * r)}, {0, 0, 0}};
  };
  CHECK_THROWS_AS(stationary_points(pole, everywhere, {-1, 1, -1, 1}), cotangent::Error);
  CHECK_THROWS_WITH(stationary_points(pole, everywhere, {-1, 1, -1, 1}), ContainsSubstring("(0, 0)"));
  CHECK_THROWS_AS(stationary_points(henon_heiles, everywhere, {1, -1, -1, 1}), cotangent::Error);
  CHECK_THROWS_AS(stationary_points(henon_heiles, everywhere, {-1, 1, -1, 1}, {.cells = 0, .depth = 3}),
                  cotangent::Error);
  CHECK_THROWS_AS(bifurcations(balls, apart, torus, {18, 17, 4}), cotangent::Error);
}

TEST_CASE("units of length and of energy change no finding") {
  for (const double s : {1e-8, 1.0, 1e5}) {
    for (const double e : {1e-13, 1.0, 1e9}) {
      CAPTURE(s, e);
      const Window window{-2 * s, 2.1 * s, -1.9 * s, 2 * s};
      const auto scaled = [=](Scalar u) { return (e * u).jet(); };
      const auto x_of = [=](double x) { return (1 / s) * first(x); };
      const auto y_of = [=](double y) { return (1 / s) * second(y); };
      const Landscape wells = landscape(
          [=](double x_value, double y_value) {
            const Scalar x = x_of(x_value), y = y_of(y_value), well = x * x - constant(1);
            return scaled(well * well + 2 * (y * y));
          },
          everywhere, window);
      CHECK(wells.stationary.complete());
      CHECK(wells.stationary.count(StationaryType::minimum) == 2);
      CHECK(wells.stationary.count(StationaryType::saddle) == 1);
      REQUIRE(wells.passes.size() == 1);
      CHECK(connectivity(wells).lowest[0]);
      CHECK(wells.passes[0].energy == within(e, 1e-14 * e));

      // Two ways out of one well: the higher one leads nowhere that the lower one doesn't.
      const Landscape sides = landscape(
          [=](double x_value, double y_value) {
            const Scalar x = x_of(x_value), y = y_of(y_value), xx = x * x;
            return scaled(0.5 * xx - 0.1 * (xx * x) - 0.25 * (xx * xx) + 0.5 * (y * y));
          },
          everywhere, window);
      REQUIRE(sides.passes.size() == 2);
      CHECK(connectivity(sides).lowest == std::vector<bool>{true, false});

      const auto crossing = [=](double x_value, double y_value, double p) {
        const Scalar x = x_of(x_value), y = y_of(y_value);
        return scaled((1.0 / 3) * (x * x * x) - 0.5 * p * (x * x) + y * y);
      };
      const auto exchange = bifurcations(crossing, everywhere, window, {-1, 1.1, 3});
      REQUIRE(exchange.size() == 1);
      CHECK(exchange[0].kind == BifurcationKind::transcritical);
      CHECK(exchange[0].parameter == within(0, 1e-11));

      // Saddles at x = +-1 whose energies cross as p tilts the potential the other way.
      const auto tilting = [=](double x_value, double y_value, double p) {
        const Scalar x = x_of(x_value), y = y_of(y_value), xx = x * x;
        return scaled(0.5 * xx - 0.25 * (xx * xx) + 0.1 * p * x + 0.5 * (y * y));
      };
      const auto level = bifurcations(tilting, everywhere, window, {-1, 0.9, 1});
      REQUIRE(level.size() == 1);
      CHECK(level[0].kind == BifurcationKind::energy_coincidence);
      CHECK(level[0].parameter == within(0, 1e-11));
    }
  }
}

namespace {

/// The same landscape of coordinates x / unit_x and y / unit_y.
Jet2 stretched(Jet2 jet, double unit_x, double unit_y) {
  jet.gradient = {jet.gradient[0] / unit_x, jet.gradient[1] / unit_y};
  jet.hessian = {jet.hessian[0] / unit_x / unit_x, jet.hessian[1] / unit_x / unit_y,
                 jet.hessian[2] / unit_y / unit_y};
  return jet;
}

}  // namespace

TEST_CASE("axes may be as unlike as they are: a stretched landscape has the same points and passes") {
  const Domain disc = [](double x, double y) { return 1.6 - (x - 0.1) * (x - 0.1) - y * y; };
  const Landscape round = landscape(henon_heiles, disc, {-1.5, 1.5, -1.5, 1.5});
  REQUIRE(round.stationary.complete());
  REQUIRE(round.boundary.size() == 6);
  for (const auto& [unit_x, unit_y] : {std::pair{1e-6, 1e6}, {1e6, 1e-6}, {1.0, 100.0}, {0x1p-30, 0x1p20}}) {
    CAPTURE(unit_x, unit_y);
    int calls = 0;
    const Landscape found = landscape(
        [&, ux = unit_x, uy = unit_y](double x, double y) {
          ++calls;
          return stretched(henon_heiles(x / ux, y / uy), ux, uy);
        },
        [&, ux = unit_x, uy = unit_y](double x, double y) { return disc(x / ux, y / uy); },
        {-1.5 * unit_x, 1.5 * unit_x, -1.5 * unit_y, 1.5 * unit_y});
    CHECK(calls < 30000);  // measured: 26390
    CHECK(found.stationary.complete());
    REQUIRE(found.stationary.points.size() == 4);
    for (const Point at :
         {Point{0, 0}, Point{0, 1}, Point{std::sqrt(0.75), -0.5}, Point{-std::sqrt(0.75), -0.5}}) {
      const auto here =
          std::ranges::find_if(found.stationary.points, [&, ux = unit_x, uy = unit_y](const auto& p) {
            return std::hypot(p.point[0] / ux - at[0], p.point[1] / uy - at[1]) < 1e-14;
          });
      REQUIRE(here != found.stationary.points.end());
      CHECK(here->type == (at == Point{0, 0} ? StationaryType::minimum : StationaryType::saddle));
      const auto [xx, xy, yy] = stretched(henon_heiles(at[0], at[1]), unit_x, unit_y).hessian;
      CHECK(here->eigenvalues[0] * here->eigenvalues[1] == Approx(xx * yy - xy * xy).epsilon(1e-12));
    }
    REQUIRE(found.boundary.size() == round.boundary.size());
    for (std::size_t k = 0; k < round.boundary.size(); ++k) {
      const auto& [a, b] = std::pair{found.boundary[k], round.boundary[k]};
      CHECK(std::hypot(a.point[0] / unit_x - b.point[0], a.point[1] / unit_y - b.point[1]) < 1e-9);
      CHECK(a.minimum == b.minimum);
      CHECK((a.outward_slope < 0) == (b.outward_slope < 0));
    }
    REQUIRE(found.passes.size() == round.passes.size());
    for (std::size_t k = 0; k < round.passes.size(); ++k)
      CHECK(found.passes[k].energy == Approx(round.passes[k].energy).epsilon(1e-12));
  }
}

TEST_CASE("and the same changes with a parameter") {
  const double unit_x = 1e-6, unit_y = 1e6;  // U = X^4/4 - a X^2/2 + (Y - 1/2)^2/2: a fork at a = 0
  const auto found = bifurcations(
      [&](double x_value, double y_value, double a) {
        const Scalar x = first(x_value / unit_x), y = second(y_value / unit_y) - constant(0.5);
        return stretched((0.25 * (x * x * x * x) - (0.5 * a) * (x * x) + 0.5 * (y * y)).jet(), unit_x,
                         unit_y);
      },
      everywhere, {-2 * unit_x, 2 * unit_x, -2 * unit_y, 2 * unit_y}, {-0.9, 1.1, 5});
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == BifurcationKind::pitchfork);
  CHECK(std::abs(found[0].parameter) < 1e-9);
  CHECK(std::abs(found[0].point[0] / unit_x) < 1e-5);
  CHECK(std::abs(found[0].point[1] / unit_y - 0.5) < 1e-9);
}
