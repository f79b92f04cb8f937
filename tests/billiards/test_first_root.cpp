// SPDX-License-Identifier: BSD-3-Clause
// The first root along a flight: polynomials made of known roots, thin walls, near contacts; and formulas by
// intervals. The control is what a fixed step makes of them.
#include <cmath>

#include "billiards/sets/circle.hpp"
#include "billiards/wall_of.hpp"
#include "catch.hpp"
#include "numerics/random.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

/// sign (t - r1) (t - r2) ... with sign so that it is positive at 0; and all powers above filled with zeros.
Coefficients with_roots(const std::vector<double>& roots) {
  std::vector<double> c{1.0};
  for (double r : roots) {
    c.push_back(0.0);
    for (std::size_t k = c.size() - 1; k > 0; --k) c[k] = c[k - 1] - r * c[k];
    c[0] *= -r;
  }
  Coefficients result{};
  for (std::size_t k = 0; k < c.size(); ++k) result[k] = Pack(c[0] < 0 ? -c[k] : c[k]);
  return result;
}

double first(const Coefficients& c, int degree, double limit = never, double from = 0,
             bool touching = false) {
  return first_root(c, degree, {PackMask(true), PackMask(touching), Pack(from), Pack(limit)})[0];
}

/// What a scan with a fixed step finds: the first change of sign.
double scanned(const Coefficients& c, int degree, double step, double limit) {
  for (double t = step; t < limit; t += step) {
    double value = 0;
    for (int k = degree; k >= 0; --k) value = value * t + c[static_cast<std::size_t>(k)][0];
    if (value <= 0) return t;
  }
  return never;
}

/// The unit disc again, as no polynomial.
struct Disguised {
  static constexpr std::string_view name = "disguised";
  static constexpr std::string_view about = "The unit disc, written with a root and a logarithm";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"radius", 1.0, "radius"}}};
  auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    using std::exp, std::sqrt, std::log;
    const auto& [x, y] = q;
    const auto [r] = p;
    return log(r * r + 1.0) - log(exp(log(square(x) + square(y) + 1.0)));
  }
};

/// The unit disc by a formula as steep as one likes: far behind its wall an interval bounds nothing.
struct Steep {
  static constexpr std::string_view name = "steep";
  static constexpr std::string_view about = "The unit disc, written with an exponential";
  static constexpr int dim = 2;
  static constexpr std::array<Parameter, 1> parameters{{{"k", 1.0, "steepness"}}};
  auto operator()(const auto& q, const auto& p) const {
    using ad::square, std::exp;
    const auto& [x, y] = q;
    return 1.0 - exp(p[0] * (square(x) + square(y) - 1.0));
  }
};

}  // namespace

TEST_CASE("The first of several roots is found, however close the others", "[unit]") {
  CHECK(first(with_roots({2.0}), 1) == 2.0);
  CHECK(std::abs(first(with_roots({0.5, 3.0, -1.0}), 3) - 0.5) < 1e-7);  // Newton's last step is the caller's
  for (double width : {1e-2, 1e-4, 1e-6}) {
    const auto wall = with_roots({1.3004, 1.3004 + width, 7.0, 9.0});
    const double found = first(wall, 4);
    CHECK(found <= 1.3004 + 1e-7);
    CHECK(found > 1.3004 - 1e-5);
    if (width < 1e-3) CHECK(scanned(wall, 4, 1e-3, 6.0) == never);  // a fixed step passes the thin wall
  }
}

TEST_CASE("Random polynomials: never beyond the first root, and at it to 1e-7", "[unit]") {
  double worst = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    auto random = [trial, draw = std::uint64_t{0}]() mutable { return numerics::uniform(3, trial, draw++); };
    const int degree = 1 + static_cast<int>(8 * random());
    std::vector<double> roots;
    double least = never;
    for (int k = 0; k < degree; ++k) {
      roots.push_back(6 * random() - 2);
      if (roots.back() > 0) least = std::min(least, roots.back());
    }
    const double found = first(with_roots(roots), degree);
    if (least == never) {
      CHECK(found == never);
      continue;
    }
    double gap = 1;
    for (double r : roots) {
      if (r != least) gap = std::min(gap, std::abs(r - least));
    }
    CHECK(found <= least + 1e-12 / std::pow(gap, 3));
    if (gap > 0.05) worst = std::max(worst, std::abs(found - least));
  }
  CHECK(worst < 1e-6);  // measured: 3e-8
}

TEST_CASE("A near contact is passed, a contact isn't", "[unit]") {
  // (t - 1)^2 + d, times (3 - t).
  const auto contact = [](double d) {
    Coefficients c{};
    const double a[4] = {3 * (1 + d), -6 - (1 + d), 5, -1};
    for (std::size_t k = 0; k < 4; ++k) c[k] = Pack(a[k]);
    return c;
  };
  CHECK(std::abs(first(contact(1e-12), 3) - 3) < 1e-6);
  CHECK(std::abs(first(contact(-1e-10), 3) - 1) < 2e-5);
  CHECK(first(contact(1e-12), 3, 2.9) == never);  // beyond the limit
}

TEST_CASE("On the wall the root at the beginning doesn't count", "[unit]") {
  const auto hop = with_roots({0.0, 1e-9, -5.0});  // positive in between once the sign is right
  Coefficients c{};
  for (std::size_t k = 0; k < c.size(); ++k) c[k] = -hop[k];
  c[0] = Pack(1e-17);  // round-off of the wall's own value
  if (c[1][0] < 0) {
    for (auto& part : c) part = -part;
  }
  CHECK(std::abs(first(c, 3, never, 0, true) - 1e-9) < 1e-15);
  const double skipped = first(c, 3, never, 1e-8);  // the control: what a tolerance of 1e-8 makes of the hop
  CHECK(skipped == 1e-8);                           // it begins outside
}

TEST_CASE("Intervals find what polynomials find", "[unit]") {
  const WallOf<Circle, 0> circle({1.0}, {});
  const WallOf<Disguised, 0> disguised({1.0}, {});
  CHECK(circle.degree(true) == 4);
  CHECK(circle.degree(false) == 2);
  CHECK(disguised.degree(true) == -1);
  double worst = 0;
  for (int trial = 0; trial < 500; ++trial) {
    Path<2> path;
    for (int i = 0; i < numerics::native_width; ++i) {
      const auto random = [&](std::uint64_t k) { return 2 * numerics::uniform(5, 8 * trial + i, k) - 1; };
      for (std::size_t d = 0; d < 2; ++d) {
        path.x[d].set(i, 0.7 * random(d));
        path.v[d].set(i, 3 * random(2 + d));
      }
    }
    path.g = {0.0, trial % 2 == 0 ? 0.0 : -10.0};
    path.start = Pack(0.0);
    const Search search{PackMask(true), PackMask(false), Pack(0.0), Pack(1e6)};
    Coefficients c{};
    circle.expand(path, c);
    const Pack one = first_root(c, circle.degree(path.falls()), search),
               other = disguised.exit(path, 1.0, search);
    for (int i = 0; i < numerics::native_width; ++i) worst = std::max(worst, std::abs(one[i] - other[i]));
  }
  CHECK(worst < 1e-6);  // measured: 4e-8
}

TEST_CASE("However steep the formula, its wall is found, and nothing before it", "[unit]") {
  for (const double k : {1.0, 10.0, 50.0, 1000.0}) {
    INFO("k = " << k);
    const WallOf<Steep, 0> steep({k}, {});
    double worst = 0;
    for (int trial = 0; trial < 1000; ++trial) {
      Path<2> path;
      path.start = Pack(0.0);
      PackMask touching(false);
      Pack expected(0.0);
      for (int i = 0; i < numerics::native_width; ++i) {  // from inside, and from the wall
        const auto random = [&](std::uint64_t n) { return numerics::uniform(7, 8 * trial + i, n); };
        const bool on = random(0) < 0.5;
        const double radius = on ? 1.0 : std::sqrt(random(1)), place = 7 * random(2), way = 7 * random(3);
        double out = radius * std::cos(way - place);
        const double turned = on && out > 0 ? -1.0 : 1.0;
        out *= turned;
        path.x[0].set(i, radius * std::cos(place));
        path.x[1].set(i, radius * std::sin(place));
        path.v[0].set(i, turned * std::cos(way));
        path.v[1].set(i, turned * std::sin(way));
        touching.set(i, on);
        expected.set(i, -out + std::sqrt(out * out + (1 - radius) * (1 + radius)));
      }
      const Pack found = steep.exit(path, 1.0, {PackMask(true), touching, Pack(0.0), Pack(1e6)});
      for (int i = 0; i < numerics::native_width; ++i) {
        const double miss = std::abs(found[i] - expected[i]);
        worst = std::max(worst, std::isnan(miss) ? never : miss);
      }
    }
    CHECK(worst < 1e-9);  // measured: 5e-12
  }
}

TEST_CASE("No wall is passed where bounds are finite and products of them aren't", "[unit]") {
  // omega = 1 - exp(1000 (t - 1)) while it rises by 1e-9 t: the first stretch ends where exp is all but
  // infinite.
  constexpr double k = 1000, tilt = 1e-9;
  const auto wall = [](const Pack& t, const Pack& h) {
    const Pack now = exp(k * (t - 1.0)), then = exp(k * (t + h - 1.0));
    return Bounds{1.0 + tilt * t - now, tilt - k * now, 1.0 + tilt * t - then, {-k * k * then, -k * k * now}};
  };
  double worst = 0;
  for (double stretch = 1.69; stretch < 1.72; stretch += 1e-5) {
    const Pack found =
        first_root_of(wall, {PackMask(true), PackMask(false), Pack(0.0), Pack(1e6)}, Pack(stretch));
    const double miss = std::abs(found[0] - 1.0);
    worst = std::max(worst, std::isnan(miss) ? never : miss);
  }
  CHECK(worst < 1e-9);
}

TEST_CASE("Intervals hold what they bound", "[unit]") {
  using I = Interval<double>;
  for (int trial = 0; trial < 20000; ++trial) {
    const auto random = [&](std::uint64_t k) { return 8 * numerics::uniform(9, trial, k) - 4; };
    const double a = random(0), b = random(1), c = random(2), d = random(3);
    const I x(std::min(a, b), std::max(a, b)), y(std::min(c, d), std::max(c, d));
    const double u = x.low + (x.high - x.low) * numerics::uniform(9, trial, 4),
                 w = y.low + (y.high - y.low) * numerics::uniform(9, trial, 5);
    const auto holds = [](const I& i, double value) { return i.low <= value && value <= i.high; };
    bool good =
        holds(x + y, u + w) && holds(x - y, u - w) && holds(x * y, u * w) && holds(exp(x), std::exp(u));
    if (y.low > 0 || y.high < 0) good = good && holds(x / y, u / w);
    if (x.low > 0) good = good && holds(sqrt(x), std::sqrt(u)) && holds(log(x), std::log(u));
    const auto both = sincos(x);
    good = good && holds(both.sin, std::sin(u)) && holds(both.cos, std::cos(u));
    if (!good)
      FAIL("at trial " << trial << ": [" << x.low << ", " << x.high << "], [" << y.low << ", " << y.high
                       << "]");
  }
  const auto over = sincos(I(1.0, 2.0));  // around the sine's maximum
  CHECK(over.sin.high == 1.0);
  CHECK(over.cos.high < 0.6);
}
