// SPDX-License-Identifier: BSD-3-Clause
// Particles between collisions and at them: references, invariants, corners and the other ends, laws of
// reflection, lanes.
#include <cmath>
#include <numbers>

#include "billiards/gas.hpp"
#include "billiards/perturbed_ellipse.hpp"
#include "billiards/sets/cardioid.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/egg.hpp"
#include "billiards/sets/half_plane.hpp"
#include "billiards/sets/rectangle.hpp"
#include "billiards/sets/sphere.hpp"
#include "billiards/sets/stadium.hpp"
#include "catch.hpp"
#include "numerics/random.hpp"
#include "reference/billiard_collisions.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

const Vector<2> falling{0.0, -10.0};

Domain<2> one_circle() {
  Domain<2> domain;
  domain.add<Circle>("disc", {1.0});
  domain.enclose_all();
  return domain;
}
Domain<2> three_circles() {
  Domain<2> domain;
  domain.add<Circle>("left", {1.0}, {{-2.0, 0.0}});
  domain.add<Circle>("right", {1.0}, {{2.0, 0.0}});
  domain.add<Circle>("bowl", {std::sqrt(5.0)}, {{0.0, -2.0}});
  domain.enclose("left or right or bowl");
  return domain;
}
Domain<2> rectangle(const Law& law = {}) {
  Domain<2> domain;
  domain.add<Rectangle>("box", {1.0, 1.0}, {}, law);
  domain.enclose_all();
  return domain;
}

/// Its omega has a kink on the way, at x = 0, which no interval of the second derivative passes.
struct Ridge {
  static constexpr std::string_view name = "ridge";
  static constexpr std::string_view about = "|x| > -height, and |x| as the root of a square";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"height", 1.0, "omega at the kink"}}};
  auto operator()(const auto& q, const auto& p) const {
    using ad::square, std::sqrt;
    return sqrt(square(std::get<0>(q))) + p[0];
  }
};

/// A steep wall at |x| = 1 that is found too late.
class Overshot final : public Wall<2> {
 public:
  struct Formula {
    static constexpr std::string_view name = "overshot";
    static constexpr std::string_view about = "|x| < 1, written with an exponential";
    static constexpr int dim = 2;
    static constexpr std::array<Parameter, 0> parameters{};
    auto operator()(const auto& q, const auto&) const {
      using ad::square, std::exp;
      return 1.0 - exp(500.0 * (square(std::get<0>(q)) - 1.0));
    }
  };

  static Domain<2> domain() {
    SetKind kind = kind_of<Formula>();
    kind.walls = MakeWalls<2>(
        [](const std::vector<double>&, const Place<2>&) { return Walls<2>{std::make_shared<Overshot>()}; });
    Domain<2> result;
    result.add("overshot", kind, {});
    result.enclose_all();
    return result;
  }

  int degree(bool) const override { return -1; }
  void expand(const Path<2>&, Coefficients&) const override {}
  Pack exit(const Path<2>& path, double sign, const Search& search) const override {
    return wall_.exit(path, sign, search) + 0.2;
  }
  Pack value(const Point<2>& x, const Pack& t) const override { return wall_.value(x, t); }
  Contact<2> contact(const Point<2>& x, const Pack& t) const override { return wall_.contact(x, t); }

 private:
  WallOf<Formula, 0> wall_{{}, {}};
};

/// Channels between islands.
struct Waves {
  static constexpr std::string_view name = "waves";
  static constexpr std::string_view about = "cos x + cos y > -c";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"c", 1.5, "depth of the troughs"}}};
  auto operator()(const auto& q, const auto& p) const {
    using std::cos;
    const auto& [x, y] = q;
    return cos(x) + cos(y) + p[0];
  }
};

/// Of two sets that overlap again and again along x.
struct Bands {
  static constexpr std::string_view name = "bands";
  static constexpr std::string_view about = "s cos x > -1/2";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"s", 1.0, "side"}}};
  auto operator()(const auto& q, const auto& p) const {
    using std::cos;
    return p[0] * cos(std::get<0>(q)) + 0.5;
  }
};

/// To the next hit of a lane, or to its end.
template <int D>
void bounce_once(Gas<D>& gas, int lane, double limit = 1e9) {
  const auto before = gas.bounces(lane);
  while (gas.status(lane) == Status::pending && gas.bounces(lane) == before) gas.advance(limit);
}

/// The status that a start ends with, after at most so many hits.
Status fate(const Domain<2>& domain, const Vector<2>& g, const Vector<2>& x, const Vector<2>& v,
            int hits = 100, double limit = 1e3) {
  Gas<2> gas(domain, g);
  gas.load(0, 0, x, v);
  for (int k = 0; k < hits && gas.status(0) == Status::pending; ++k) gas.advance(limit);
  return gas.status(0);
}

/// From random starts in a box: how far out any particle was after a hit, and the worst energy error.
struct Worst {
  double outside = 0, energy = 0;
  int ended = 0;
};
template <int D>
Worst fly(const Domain<D>& domain, const std::type_identity_t<Vector<D>>& g, double box, int hits) {
  Gas<D> gas(domain, g);
  std::int64_t id = 0;
  const auto load = [&](int lane) {
    while (true) {
      Vector<D> x, v;
      for (std::size_t d = 0; d < D; ++d) {
        x[d] = box * (2 * numerics::uniform(1, id, d) - 1);
        v[d] = 2 * numerics::uniform(1, id, D + d) - 1;
      }
      ++id;
      if (!(domain.omega(x) > 0)) continue;
      gas.load(lane, id, x, v);
      return;
    }
  };
  for (int lane = 0; lane < Gas<D>::width; ++lane) load(lane);
  Worst worst;
  for (int k = 0; k < hits; ++k) {
    gas.advance(std::max(1.0, box) * 1e9);
    for (int lane = 0; lane < Gas<D>::width; ++lane) {
      Vector<D> x;
      for (std::size_t d = 0; d < D; ++d) x[d] = gas.x()[d][lane];
      worst.energy = std::max(worst.energy, gas.energy_error()[lane]);
      if (gas.status(lane) != Status::pending) {
        ++worst.ended;
        load(lane);
      } else if (k % 16 == 0) {
        worst.outside = std::max(worst.outside, -domain.depth(x));
      }
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("Ten collisions agree with those in 50 digits", "[unit]") {
  const auto compare = [](const Domain<2>& domain, const auto& reference, const Vector<2>& start,
                          double tolerance) {
    Gas<2> gas(domain, falling);
    gas.load(1, 0, start, {0.0, 0.0});
    double worst = 0;
    for (const auto& expected : reference) {
      bounce_once(gas, 1, 100);
      CHECK(domain.member_of(gas.wall(1)) == expected.circle - 1);
      worst = std::max(worst, std::abs(gas.time()[1] - expected.t));
      for (std::size_t d = 0; d < 2; ++d) {
        worst = std::max(
            {worst, std::abs(gas.x()[d][1] - expected.x[d]), std::abs(gas.v()[d][1] - expected.v[d])});
      }
    }
    CHECK(worst < tolerance);
  };
  compare(one_circle(), reference::one_circle, {0.3, 0.2}, 1e-10);         // measured: 4e-12
  compare(three_circles(), reference::three_circles, {-1.9, 0.5}, 1e-10);  // measured: 2e-12
}

TEST_CASE("Energy is kept and nobody gets out", "[unit]") {
  const auto judge = [](const auto& domain, const auto& g, double box, int hits = 2000) {
    const Worst worst = fly(domain, g, box, hits);
    CHECK(worst.outside < 1e-13);  // measured: 3e-16
    CHECK(worst.energy < 1e-12);   // measured: 8e-14
    CHECK(worst.ended == 0);
  };
  judge(one_circle(), falling, 1.0);
  judge(three_circles(), falling, 3.0);
  Domain<2> hole;
  hole.add<Rectangle>("box", {1.0, 1.0});
  hole.add<Circle>("hole", {0.4}, {{0.2, 0.1}});
  hole.enclose("box and not hole");
  judge(hole, falling, 1.0);
  Domain<2> egg;
  egg.add<Egg>("egg", {1.3, 1.0, 0.4});
  egg.enclose_all();
  judge(egg, falling, 1.0, 500);
  Domain<3> balls;
  balls.add<Sphere>("left", {1.0}, {{-0.7, 0.0, 0.0}});
  balls.add<Sphere>("right", {1.0}, {{0.7, 0.0, 0.2}});
  balls.enclose_all();
  judge(balls, Vector<3>{0.0, 0.0, -10.0}, 1.5);
}

TEST_CASE("Every built-in set keeps its particles", "[unit]") {
  const auto try_in = [](const SetKind& kind, auto dimension) {
    constexpr int D = dimension;
    Domain<D> domain;
    std::vector<double> parameters;
    for (const auto& p : kind.parameters) parameters.push_back(p.value);
    domain.add(kind.name, kind, parameters);
    domain.enclose_all();
    const bool open = kind.name.starts_with("half");
    Vector<D> g{};
    if (open) g[D - 1] = -1;
    const Worst worst = fly(domain, g, 1.5, 300);
    INFO(kind.name);
    CHECK(worst.outside < 1e-13);
    CHECK(worst.energy < 1e-12);
    CHECK(worst.ended == 0);
  };
  int kinds = 0;
  for (const SetKind& kind : built_in_sets()) {
    kind.dim == 2 ? try_in(kind, std::integral_constant<int, 2>{})
                  : try_in(kind, std::integral_constant<int, 3>{});
    ++kinds;
  }
  CHECK(kinds == 15);
}

TEST_CASE("A circle without gravity conserves angular momentum; with it, it doesn't", "[unit]") {
  const auto drift = [](const Vector<2>& g) {
    const auto domain = one_circle();
    Gas<2> gas(domain, g);
    gas.load(0, 0, {0.3, 0.2}, {0.4, 0.9});
    const double begin = 0.3 * 0.9 - 0.2 * 0.4;
    double worst = 0;
    for (int k = 0; k < 1000; ++k) {
      gas.advance(1e9);
      worst =
          std::max(worst, std::abs(gas.x()[0][0] * gas.v()[1][0] - gas.x()[1][0] * gas.v()[0][0] - begin));
    }
    return worst;
  };
  CHECK(drift({0.0, 0.0}) < 1e-12);  // measured: 1e-14
  CHECK(drift(falling) > 0.1);
}

TEST_CASE("A union is left through the last set, not the first in the list", "[unit]") {
  // From the left disc into the bowl and back up on the right: never a wall that another set covers.
  for (const char* inside : {"left or right or bowl", "bowl or left or right"}) {
    Domain<2> domain = three_circles();
    domain.enclose(inside);
    Gas<2> gas(domain, {0.0, 0.0});
    gas.load(0, 0, {-1.9, -0.1}, {0.6, -0.9});
    bounce_once(gas, 0);
    CHECK(domain.member_of(gas.wall(0)) == 2);
  }
}

TEST_CASE("A flight begun on a wall, to whichever side round-off has it, is the one that went on there",
          "[unit]") {
  Domain<2> oval, egg;
  oval.add<PerturbedEllipse>("oval", {0.8, 0.3});
  oval.enclose_all();
  egg.add<Egg>("egg", {1.3, 1.0, 0.4});
  egg.enclose_all();
  for (const auto& domain : {oval, egg, three_circles()}) {
    Gas<2> gas(domain, {}), anew(domain, {});
    const auto here = [](const Gas<2>& of) {
      return std::array{of.x()[0][0], of.x()[1][0], of.v()[0][0], of.v()[1][0]};
    };
    gas.load(0, 0, {0.2, -0.1}, {0.8, 0.6});
    bounce_once(gas, 0, 1e9);
    int inside = 0, outside = 0;
    double worst = 0;
    for (int k = 0; k < 400; ++k) {
      const auto [x, y, vx, vy] = here(gas);
      bounce_once(gas, 0, 1e9);
      const auto went_on = here(gas);
      for (const double off : {-1e-15, -1e-16, 0.0, 1e-16, 1e-15}) {
        const Vector<2> start{x + off * vx, y + off * vy};
        (domain.omega(start) > 0 ? inside : outside) += 1;
        anew.load(0, 0, start, {vx, vy});
        bounce_once(anew, 0, 1e9);
        REQUIRE(anew.status(0) == Status::pending);
        for (std::size_t d = 0; d < 4; ++d) worst = std::max(worst, std::abs(here(anew)[d] - went_on[d]));
      }
    }
    CHECK(inside > 200);
    CHECK(outside > 200);
    CHECK(worst < 1e-11);
  }
}

TEST_CASE("Lanes are their own", "[unit]") {
  const auto domain = three_circles();
  Gas<2> alone(domain, falling), among(domain, falling);
  alone.load(0, 7, {0.5, -1.0}, {1.0, 0.0});
  for (int lane = 0; lane < Gas<2>::width; ++lane) {
    if (lane != 1) among.load(lane, lane, {-0.3 + 0.1 * lane, -1.5}, {0.3 * lane, 2.0});
  }
  among.load(1, 7, {0.5, -1.0}, {1.0, 0.0});
  for (int k = 0; k < 200; ++k) {
    alone.advance(1e9);
    among.advance(1e9);
    if (k == 100) {  // saved and loaded, into another lane
      std::vector<double> state(alone.state_size());
      alone.save(0, state.data());
      alone.release(0);
      alone.restore(Gas<2>::width - 1, 7, state.data());
    }
  }
  const int last = Gas<2>::width - 1;
  CHECK(alone.time()[last] == among.time()[1]);
  CHECK(alone.x()[0][last] == among.x()[0][1]);
  CHECK(alone.v()[1][last] == among.v()[1][1]);
}

TEST_CASE("Lanes are their own where walls of several degrees meet at the same time", "[unit]") {
  // Of the stadium's cells one has straight sides, two have round ones: what a lane meets alone and what it
  // meets beside others. Neighbours part by e^(.4 t).
  Domain<2> stadium;
  stadium.add<Stadium>("stadium", {0.3, 1.0});
  stadium.enclose_all();
  constexpr int W = Gas<2>::width, particles = 200 * W;
  const auto start = [](std::int64_t id) {
    const double angle = 6.28 * numerics::uniform(1, id, 2);
    return std::array{Vector<2>{numerics::uniform(1, id, 0) - 0.5, numerics::uniform(1, id, 1) - 0.5},
                      Vector<2>{std::cos(angle), std::sin(angle)}};
  };
  int differ = 0;
  for (int first = 0; first < particles; first += W) {
    Gas<2> many(stadium, {}), alone(stadium, {});
    for (int lane = 0; lane < W; ++lane)
      many.load(lane, first + lane, start(first + lane)[0], start(first + lane)[1]);
    while (any(many.active())) many.advance(100);
    for (int lane = 0; lane < W; ++lane) {
      alone.load(0, first + lane, start(first + lane)[0], start(first + lane)[1]);
      while (alone.active()[0]) alone.advance(100);
      differ += alone.x()[0][0] == many.x()[0][lane] && alone.v()[1][0] == many.v()[1][lane] ? 0 : 1;
    }
  }
  CHECK(differ == 0);
}

TEST_CASE("How a particle ends", "[unit]") {
  const auto box = rectangle();
  CHECK(fate(box, {0, 0}, {0.25, 0.25}, {0.75, 0.75}) == Status::corner);
  CHECK(fate(box, {0, 0}, {0.25, 0.25}, {0.75, 0.76}) == Status::pending);
  CHECK(fate(box, {0, 0}, {2.0, 0.0}, {1.0, 0.0}) == Status::infeasible_start);
  CHECK(fate(box, {0, 0}, {1.0, 0.0}, {1.0, 0.0}) == Status::infeasible_start);  // on the wall, moving out
  CHECK(fate(box, {0, 0}, {1.0, 0.0}, {-1.0, 0.0}) == Status::pending);          // moving in
  CHECK(fate(box, {0, 0}, {0.0, NAN}, {1.0, 0.0}) == Status::non_finite);
  CHECK(fate(box, {0, 0}, {0.0, 0.0}, {0.0, 0.0}) == Status::finished);  // at rest up to the time limit

  const auto reentrant = three_circles();
  CHECK(fate(reentrant, {0, 0}, {0.0, -1.0}, {1.0, 1.0}) == Status::corner);  // to (1, 0)

  Domain<2> floor;
  floor.add<HalfPlane>("floor", {0.0, 1.0});
  floor.enclose_all();
  CHECK(fate(floor, {0, 0}, {0.0, 1.0}, {1.0, 1.0}) == Status::finished);  // no wall: the time limit
  CHECK(fate(floor, {0, 0}, {0.0, 1.0}, {1.0, 1.0}, 100, never) == Status::left_domain);
  CHECK(fate(floor, {0, -1}, {0.0, 0.0}, {1.0, 0.0}) == Status::infeasible_start);  // rests on it
  Domain<2> soft;
  soft.add<HalfPlane>("floor", {0.0, 1.0}, {}, {0.5});
  soft.enclose_all();
  CHECK(fate(soft, {0, -1}, {0.0, 1.0}, {1.0, 0.0}) == Status::collapsed);
  CHECK(fate(floor, {0, -1}, {0.0, 1.0}, {1.0, 0.0}) == Status::pending);

  Domain<2> cusp;
  cusp.add<Cardioid>("heart", {0.5});
  cusp.enclose_all();
  CHECK(fate(cusp, {0, 0}, {1.0, 0.0}, {-1.0, 0.0}) == Status::singular_wall);
  Gas<2> pointed(cusp, {0, 0});
  pointed.load(0, 0, {1.0, 0.0}, {-1.0, 0.0});
  while (pointed.active()[0]) pointed.advance(1e3);
  CHECK(pointed.bounces(0) == 0);  // without a normal no bounce
  CHECK(!pointed.hit()[0]);
  CHECK(pointed.v()[0][0] == -1.0);
  CHECK(std::abs(pointed.x()[0][0]) < 1e-3);

  // The stadium's ends join its sides smoothly: no corner there.
  Domain<2> stadium;
  stadium.add<Stadium>("stadium", {1.0, 1.0});
  stadium.enclose_all();
  CHECK(fate(stadium, {0, 0}, {1.0, 0.5}, {0.0, 1.0}) == Status::pending);
}

TEST_CASE("What is found behind a steep wall is no singular point of it", "[unit]") {
  const auto domain = Overshot::domain();
  for (const double speed : {1.0, 1.5, 2.0}) {  // so far that squares of the derivatives overflow, too
    Gas<2> gas(domain, {0, 0});
    gas.load(0, 0, {0.5, 0.0}, {speed, 0.5});
    gas.advance(10);
    CHECK(gas.status(0) == Status::step_too_small);
    CHECK(gas.x()[0][0] == 0.5);
    CHECK(gas.v()[0][0] == speed);
    CHECK(gas.time()[0] == 0.0);
  }
}

TEST_CASE("Domains of any size are alike", "[unit]") {
  for (const double size : {1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e6, 1e12}) {
    INFO("size " << size);
    std::array<Domain<2>, 4> domains;
    domains[0].add<Circle>("disc", {size}, {{size, 0.0}});
    domains[1].add<Rectangle>("box", {size, 0.77 * size});
    domains[2].add<Stadium>("stadium", {size, size});
    domains[3].add<Cardioid>("heart", {size}, {{-1.5 * size, 0.0}});
    for (Domain<2>& domain : domains) {
      domain.enclose_all();
      const Worst worst = fly(domain, {0.0, 0.0}, 0.4 * size, 300);
      CHECK(worst.ended == 0);
      CHECK(worst.outside <= 2e-15 * size);  // found: 1.1e-15
    }
    const Domain<2>& box = domains[1];
    CHECK(fate(box, {}, {0.0, 0.0}, {size, 0.77 * size}) == Status::corner);
    CHECK(fate(box, {}, {1e-9 * size, 0.0}, {size, 0.77 * size}, 1) == Status::pending);
    // Begun on the wall, to either side, and a bit beyond.
    for (const double out : {-1e-16, 1e-16}) {
      const Vector<2> x{size * (1 + out), 0.0};
      CHECK(fate(box, {}, x, {-size, 0.1 * size}, 10) == Status::pending);
    }
    CHECK(fate(box, {}, {size * (1 + 1e-9), 0.0}, {-size, 0.0}) == Status::infeasible_start);
  }
}

TEST_CASE("A flight through many cells goes on", "[unit]") {
  Domain<2> domain;
  domain.add<Bands>("even", {1.0});
  domain.add<Bands>("odd", {-1.0});
  domain.add<Rectangle>("hall", {3000.0, 1.0});
  domain.enclose("(even or odd) and hall");
  Gas<2> gas(domain, {});
  gas.load(0, 0, {0.0, 0.0}, {1.0, 0.0});
  bounce_once(gas, 0);
  CHECK(gas.status(0) == Status::pending);
  CHECK(gas.time()[0] == within(3000, 1e-12));
}

TEST_CASE("Where two sets have an edge in common particles pass, or are thrown back once", "[unit]") {
  // The edge of two rectangles, wherever it is: to round-off, and exactly.
  for (const double a : {0.45, 1.0}) {
    Domain<2> pair;
    pair.add<Rectangle>("left", {a, a}, {{0.3 - 0.3 * (a == 1), 0.0}});
    pair.add<Rectangle>("right", {a, 0.5 * a}, {{0.3 - 0.3 * (a == 1) + 2 * a, 0.0}});
    for (const char* inside : {"left or right", "right or left"}) {
      pair.enclose(inside);
      INFO(inside << ", a = " << a);
      const double edge = 0.3 - 0.3 * (a == 1) + a;
      int passed = 0, thrown_back = 0;
      for (int k = 0; k < 400; ++k) {
        Gas<2> gas(pair, {});
        const double y = 0.99 * a * (2 * numerics::uniform(4, k, 0) - 1),
                     slope = numerics::uniform(4, k, 1) - 0.5;
        gas.load(0, k, {edge - 0.01 * a, y - 0.01 * a * slope}, {1.0, slope});
        const bool open = std::abs(y) < 0.5 * a;
        bounce_once(gas, 0, 0.02 * a);
        const bool beyond = gas.status(0) == Status::finished && gas.x()[0][0] > edge;
        passed += open && beyond ? 1 : 0;
        thrown_back +=
            !open && gas.bounces(0) == 1 && gas.v()[0][0] == -1 && gas.x()[0][0] == within(edge, 1e-14);
        if (open ? !beyond : gas.bounces(0) != 1) UNSCOPED_INFO("at y = " << y);
      }
      CHECK(passed + thrown_back == 400);
      CHECK(passed > 150);
      CHECK(thrown_back > 150);
    }
    CHECK(fate(pair, {0, 0}, {0.0, 0.0}, {0.3 - 0.3 * (a == 1) + a, 0.5 * a}) ==
          Status::corner);  // to its end
  }
  // A room, and a hall around it less the same room stated once more: nothing stands between them.
  Domain<2> hall;
  hall.add<Circle>("room", {0.7}, {{0.1, 0.2}});
  hall.add<Circle>("again", {0.7}, {{0.1, 0.2}});
  hall.add<Rectangle>("hall", {2.0, 2.0});
  hall.enclose("room or (hall and not again)");
  int out = 0;
  for (int k = 0; k < 400; ++k) {
    Gas<2> gas(hall, {});
    const double angle = 6.28 * numerics::uniform(4, k, 2);
    gas.load(0, k, {0.3 * numerics::uniform(4, k, 3), 0.1}, {std::cos(angle), std::sin(angle)});
    bounce_once(gas, 0);
    out += gas.status(0) == Status::pending && hall.member_of(gas.wall(0)) == 2 ? 1 : 0;
  }
  CHECK(out == 400);
  // A box on a floor: its lower side is the floor.
  for (const char* inside : {"floor and box", "box and floor"}) {
    Domain<2> box;
    box.add<HalfPlane>("floor", {0.0, 1.0});
    box.add<Rectangle>("box", {1.0, 1.0}, {{0.0, 1.0}});
    box.enclose(inside);
    Gas<2> gas(box, {});
    gas.load(0, 0, {0.1, 0.5}, {0.3, -0.4});
    while (gas.status(0) == Status::pending) gas.advance(1000);
    INFO(inside);
    CHECK(gas.status(0) == Status::finished);
    CHECK(gas.bounces(0) == 350);            // 200 along y, 150 along x
    gas.load(0, 0, {0.1, 0.0}, {0.3, 0.4});  // from where both are
    for (int k = 0; k < 20; ++k) gas.advance(1000);
    CHECK(gas.status(0) == Status::pending);
    CHECK(gas.bounces(0) == 20);
  }
}

TEST_CASE("A stadium's joins throw back as the walls that they join", "[unit]") {
  for (const double a : {1.0, 0.37}) {
    Domain<2> stadium;
    stadium.add<Stadium>("stadium", {a, 1.0});
    stadium.enclose_all();
    for (const double side : {1.0, -1.0}) {
      for (const double up : {1.0, -1.0}) {
        for (const double from : {-1.3, -0.5, 0.0, 0.7, 1.2}) {  // some begin beyond the join's side wall
          Gas<2> gas(stadium, {});
          gas.load(0, 0, {side * from * a, 0.0}, {side * (1 - from) * a, up});
          bounce_once(gas, 0);
          INFO("a = " << a << ", to " << side << ", " << up << " from " << from);
          REQUIRE(gas.status(0) == Status::pending);
          CHECK(gas.time()[0] == within(1.0, 1e-14));
          CHECK(gas.v()[0][0] == within(side * (1 - from) * a, 1e-14));
          CHECK(gas.v()[1][0] == within(-up, 1e-14));
          bounce_once(gas, 0);  // and it goes on from there
          CHECK(gas.status(0) == Status::pending);
          CHECK(gas.time()[0] > 1.1);
        }
      }
    }
  }
}

TEST_CASE("Inelastic walls take their share, and the sum of bounces converges", "[unit]") {
  Domain<2> soft;
  soft.add<HalfPlane>("floor", {0.0, 1.0}, {}, {0.8});
  soft.enclose_all();
  Gas<2> gas(soft, {0.0, -2.0});
  gas.load(0, 0, {0.0, 1.0}, {0.0, 0.0});
  gas.advance(100);
  CHECK(std::abs(gas.v()[1][0] - 0.8 * 2) < 1e-14);
  while (gas.status(0) == Status::pending) gas.advance(100);
  // 1 + 2 (e + e^2 + ...) = 9 for e = 0.8.
  CHECK(std::abs(gas.time()[0] - 9) < 1e-12);
  CHECK(gas.status(0) == Status::collapsed);
}

TEST_CASE("A rough wall's velocities are Maxwell's, and hang on the particle alone", "[unit]") {
  const auto domain = rectangle({1.0, 2.0});
  Gas<2> gas(domain, {0.0, 0.0}, 5);
  double along = 0, across = 0, mean = 0;
  const int hits = 4000;
  for (int lane = 0; lane < Gas<2>::width; ++lane) gas.load(lane, lane, {0.1, 0.2}, {0.3, 1.0});
  for (int k = 0; k < hits; ++k) {
    gas.advance(1e9);
    for (int lane = 0; lane < Gas<2>::width; ++lane) {
      const double n = gas.v()[0][lane] * gas.normal()[0][lane] + gas.v()[1][lane] * gas.normal()[1][lane];
      const double v = gas.v()[0][lane] * gas.v()[0][lane] + gas.v()[1][lane] * gas.v()[1][lane];
      CHECK(n > 0);
      across += n * n;
      along += v - n * n;
      mean += n;
    }
  }
  const double all = static_cast<double>(hits) * Gas<2>::width;
  CHECK(std::abs(along / all - 2) < 0.08);                           // T; measured: 1.99
  CHECK(std::abs(across / all - 4) < 0.12);                          // 2 T, as of a flux; measured: 3.99
  CHECK(std::abs(mean / all - std::sqrt(std::numbers::pi)) < 0.03);  // sqrt(pi T / 2)
  Gas<2> again(domain, {0.0, 0.0}, 5), other(domain, {0.0, 0.0}, 6);
  again.load(0, 3, {0.1, 0.2}, {0.3, 1.0});
  other.load(0, 3, {0.1, 0.2}, {0.3, 1.0});
  for (int k = 0; k < hits; ++k) {
    again.advance(1e9);
    other.advance(1e9);
  }
  CHECK(again.x()[0][0] == gas.x()[0][3]);
  CHECK(other.x()[0][0] != gas.x()[0][3]);
}

TEST_CASE("Moving walls: a piston by its polynomial, a swinging one by intervals", "[unit]") {
  const auto last_speed = [](const Place<2>& place) {
    Domain<2> domain;
    domain.add<HalfPlane>("wall", {-1.0, 0.0}, place);
    domain.add<HalfPlane>("floor", {1.0, 0.0});
    domain.enclose("wall and floor");
    Gas<2> gas(domain, {0.0, 0.0});
    gas.load(0, 0, {0.5, 0.0}, {2.0, 0.0});
    gas.advance(100);
    return std::array{gas.time()[0], gas.x()[0][0], gas.v()[0][0]};
  };
  Place<2> piston{{1.0, 0.0}};
  piston.velocity = {-0.5, 0.0};
  const auto pushed = last_speed(piston);  // 0.5 + 2 t = 1 - t / 2
  CHECK(std::abs(pushed[0] - 0.2) < 1e-15);
  CHECK(std::abs(pushed[2] - (-2 - 1.0)) < 1e-14);
  Place<2> swing{{1.0, 0.0}};
  swing.amplitude = {0.1, 0.0};
  swing.frequency = 3;
  const auto swung = last_speed(swing);
  CHECK(std::abs(swung[1] - (1 + 0.1 * std::sin(3 * swung[0]))) < 1e-14);
  CHECK(std::abs(0.5 + 2 * swung[0] - swung[1]) < 1e-14);
  CHECK(std::abs(swung[2] - (-2 + 2 * 0.3 * std::cos(3 * swung[0]))) < 1e-13);
}

TEST_CASE("A ball that comes to rest on a floor that swings has collapsed", "[unit]") {
  const auto ball = [](double restitution, double frequency) {
    Domain<2> domain;
    Place<2> place;
    place.amplitude = {0.0, 0.1};
    place.frequency = frequency;
    domain.add<HalfPlane>("floor", {0.0, 1.0}, place, {restitution});
    domain.enclose_all();
    Gas<2> gas(domain, {0.0, -1.0});
    gas.load(0, 0, {0.0, 1.0}, {0.1, 0.0});
    for (int k = 0; k < 3000 && gas.status(0) == Status::pending; ++k) gas.advance(1e9);
    return std::pair(gas.status(0), gas.time()[0]);
  };
  for (const double frequency : {2.0, 3.0, 3.1}) {
    INFO("frequency " << frequency);
    const auto [status, time] = ball(0.5, frequency);
    CHECK(status == Status::collapsed);
    CHECK(time < 12);
  }
  CHECK(ball(1.0, 3.0).first == Status::pending);  // a control
}

TEST_CASE("In a box that swings along x particles go to and fro along y as if it were at rest", "[unit]") {
  Domain<2> box;
  Place<2> place;
  place.amplitude = {0.1, 0.0};
  place.frequency = 5;
  box.add<Rectangle>("box", {1.0, 1.0}, place);
  box.enclose_all();
  Gas<2> gas(box, {});
  gas.load(0, 0, {0.1, 0.2}, {0.7, 0.5});
  std::int64_t across = 0;
  while (gas.status(0) == Status::pending && gas.time()[0] < 200) {
    gas.advance(200);
    if (gas.status(0) == Status::pending && gas.wall(0) >= 2) ++across;
    const double turns = (1.2 + 0.5 * gas.time()[0]) / 4;  // y = -1, +1, -1 at 0, 1/2, 1
    const double y = 4 * std::abs(turns - std::floor(turns + 0.5)) - 1;
    CHECK(std::abs(gas.x()[1][0] - y) < 1e-11);
    CHECK(std::abs(std::abs(gas.v()[1][0]) - 0.5) < 1e-12);
  }
  CHECK(gas.status(0) == Status::finished);
  CHECK(across == 50);
  CHECK(gas.bounces(0) > 100);
}

TEST_CASE("A wall that wasn't found ends the flight, whatever other walls there are", "[unit]") {
  for (const char* inside : {"ridge and floor", "floor and ridge"}) {
    Domain<2> domain;
    domain.add<Ridge>("ridge", {1.0});
    domain.add<HalfPlane>("floor", {0.0, 1.0}, {{0.0, -1.0}});
    domain.enclose(inside);
    INFO(inside);
    for (const double fall : {-0.3, 0.0, 0.3}) {  // the floor behind the kink, without end, and before it
      CHECK(fate(domain, {0, 0}, {-1.0, 0.0}, {1.0, fall}, 2) == Status::step_too_small);
      CHECK(fate(domain, {0, 0}, {-1.0, 0.0}, {1.0, fall}, 2, never) == Status::step_too_small);
    }
    CHECK(fate(domain, {0, 0}, {-1.0, 0.0}, {-1.0, -0.3}, 1) ==
          Status::pending);  // to the floor, off the kink
    CHECK(fate(domain, {0, 0}, {-1.0, 0.0}, {1.0, -3.0}, 1) == Status::pending);
  }
}

TEST_CASE("However far off a swinging wall is, it is found", "[unit]") {
  Place<2> swing;
  swing.amplitude = {0.1, 0.0};
  swing.frequency = 50;
  Domain<2> box;
  box.add<Rectangle>("box", {1.0, 1.0}, swing);
  box.enclose_all();
  CHECK(fate(box, {0, 0}, {0.1, 0.2}, {0.0, 0.0}, 1) == Status::finished);
  CHECK(fate(box, {0, 0}, {0.1, 0.2}, {0.0, 0.0}, 1, never) == Status::left_domain);
  swing.centre = {1.0, 0.0};
  for (const char* inside : {"wall and floor", "floor and wall"}) {
    Domain<2> domain;
    domain.add<HalfPlane>("wall", {-1.0, 0.0}, swing);
    domain.add<HalfPlane>("floor", {1.0, 0.0});
    domain.enclose(inside);
    for (const double x : {0.2, 0.5, 0.8}) {
      // It comes to 1 - 0.1 + 0.005 (2 pi/50) within the last swing before the first that reaches it.
      Gas<2> gas(domain, {});
      gas.load(0, 0, {x, 0.0}, {0.005, 0.0});
      gas.advance(1e4);
      INFO(inside << " from " << x);
      REQUIRE(gas.hit()[0]);
      const double t = gas.time()[0];
      CHECK(std::abs(gas.x()[0][0] - (1 + 0.1 * std::sin(50 * t))) < 1e-12);
      CHECK(std::abs(gas.x()[0][0] - (x + 0.005 * t)) < 1e-12);
      CHECK(std::abs(t - (0.9 - x) / 0.005) < 0.13);
    }
  }
}

TEST_CASE("What flies for ever where a formula is never 0 has left, or is finished at its limit", "[unit]") {
  Domain<2> channel;
  channel.add<Waves>("waves", {1.5});
  channel.enclose_all();
  CHECK(fate(channel, {0, 0}, {0.0, 0.0}, {1.0, 0.0}, 1, 1e5) == Status::finished);
  CHECK(fate(channel, {0, 0}, {0.0, 0.0}, {1.0, 0.0}, 1, never) == Status::left_domain);
  CHECK(fate(channel, {0, 0}, {0.0, 0.0}, {1.0, 0.01}, 1, never) == Status::pending);  // it meets a wave
}

TEST_CASE("Lyapunov exponents: the stadium's is positive, the circle's isn't", "[unit]") {
  const auto exponent = [](const Domain<2>& domain, const Vector<2>& x) {
    Gas<2> gas(domain, {0.0, 0.0});
    gas.watch_tangent();
    gas.load(0, 0, x, {std::cos(0.7), std::sin(0.7)});
    for (int k = 0; k < 20000; ++k) gas.advance(1e9);
    return gas.stretching()[0] / gas.time()[0];
  };
  Domain<2> stadium;
  stadium.add<Stadium>("stadium", {1.0, 1.0});
  stadium.enclose_all();
  CHECK(std::abs(exponent(stadium, {0.1, 0.2}) - 0.43) <
        0.02);  // Benettin, Strelcyn (1978): 0.43 at this shape
  CHECK(exponent(one_circle(), {0.1, 0.2}) < 2e-3);
}

TEST_CASE("The displacement that is carried along is that of a neighbour", "[unit]") {
  // Both in the stretching and in gravity: against a second particle, 1e-7 apart.
  const auto domain = one_circle();
  Gas<2> gas(domain, falling), near(domain, falling);
  gas.watch_tangent();
  const double e = 1e-7 / std::hypot(std::cos(1.0), std::cos(2.0));
  gas.load(0, 0, {0.3, 0.2}, {0.1, 0.0});
  near.load(0, 0, {0.3 + e * std::cos(1.0), 0.2 + e * std::cos(2.0)}, {0.1, 0.0});
  for (int k = 0; k < 5; ++k) {
    gas.advance(100);
    near.advance(100);
  }
  // At one time: the neighbour's hit is earlier or later by dt.
  const double dt = gas.time()[0] - near.time()[0];
  double apart = 0;
  for (std::size_t d = 0; d < 2; ++d) {
    const double dx = near.x()[d][0] + dt * near.v()[d][0] - gas.x()[d][0];
    const double dv = near.v()[d][0] + dt * falling[d] - gas.v()[d][0];
    apart += dx * dx + dv * dv;
  }
  CHECK(0.5 * std::log(apart) - std::log(1e-7) == within(gas.stretching()[0], 1e-4));
}

TEST_CASE("What encloses a domain is read as it is meant", "[unit]") {
  Domain<2> domain = three_circles();
  const auto inside = [&](const char* text, const Vector<2>& x) {
    domain.enclose(text);
    return domain.omega(x) > 0;
  };
  CHECK(inside("bowl and not (left or right)", {0.0, -1.0}));
  CHECK_FALSE(inside("bowl and not (left or right)", {-1.5, -0.5}));
  CHECK(inside("left or right and bowl", {-2.5, 0.0}));  // and before or
  CHECK_FALSE(inside("(left or right) and bowl", {-2.5, 0.0}));
  CHECK(inside("not not left", {-2.5, 0.0}));
  CHECK_THROWS_WITH(domain.enclose("left or"), ContainsSubstring("expected a set at the end of 'left or'"));
  CHECK_THROWS_WITH(domain.enclose("left rigt"), ContainsSubstring("expected 'and' or 'or' at column 6"));
  CHECK_THROWS_WITH(domain.enclose("(left"), ContainsSubstring("expected ')' at the end"));
  CHECK_THROWS_WITH(
      domain.enclose("left or rigt"),
      ContainsSubstring("unknown set 'rigt' at column 9 of 'left or rigt'; did you mean 'right'?"));
  domain.enclose("left and not left");
  CHECK(domain.region().empty());
}

TEST_CASE("Obstacles of several walls make cells by the power of their number: too many are refused",
          "[unit]") {
  Domain<2> domain;
  domain.add<Rectangle>("hall", {9.0, 9.0});
  std::string rectangles, discs;
  for (int k = 0; k < 7; ++k) {
    const std::string number = std::to_string(k), separator = k > 0 ? " or " : "";
    domain.add<Rectangle>("r" + number, {0.2, 0.3}, {{1.0 * k, 0.5}});
    domain.add<Circle>("d" + number, {0.2}, {{1.0 * k, -0.5}});
    rectangles += separator + "r" + number;
    discs += separator + "d" + number;
  }
  domain.enclose("hall and not (" + discs + ")");
  CHECK(domain.region().size() == 1);
  domain.enclose("hall and not (r0 or r1 or r2 or r3 or r4 or r5)");
  CHECK(domain.region().size() == 4096);
  CHECK_THROWS_WITH(domain.enclose("hall and not (" + rectangles + ")"),
                    ContainsSubstring("more than 4096 cells") &&
                        ContainsSubstring("give obstacles of one wall each, or state one omega"));
}

TEST_CASE("times are the sums of their flights after a million bounces, which in a circle are all alike") {
  const Domain<2> domain = one_circle();
  Gas<2> gas(domain, {0.0, 0.0});
  for (int lane = 0; lane < Gas<2>::width; ++lane)
    gas.load(lane, lane, {0.1 * lane, 0.3}, {1.0, 0.2 + 0.1 * lane});
  std::array<numerics::Compensated<long double>, Gas<2>::width> sum{};
  for (int k = 0; k < 1000000 && all(gas.active()); ++k) {
    gas.advance(1e12);
    for (int lane = 0; lane < Gas<2>::width; ++lane)
      sum[static_cast<std::size_t>(lane)].add(static_cast<long double>(gas.duration()[lane]));
  }
  CHECK(all(gas.active()));
  double worst = 0;
  for (int lane = 0; lane < Gas<2>::width; ++lane) {
    const long double t = sum[static_cast<std::size_t>(lane)].value;
    worst =
        std::max(worst, static_cast<double>(std::abs((static_cast<long double>(gas.time()[lane]) - t) / t)));
  }
  CHECK(worst < 2.3e-16);  // without what rounding owes: 2e-11
}
