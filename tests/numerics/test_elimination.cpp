// SPDX-License-Identifier: BSD-3-Clause
// Elimination in tiles against elimination with pivoting, for all shapes of tiles; dual numbers against
// central differences.
#include <numeric>

#include "catch.hpp"
#include "numerics/dual.hpp"
#include "numerics/elimination.hpp"
#include "numerics/random.hpp"

using namespace cotangent;
using namespace cotangent::numerics;

namespace {

/// An entry of a lane's system near the identity; the right sides begin at column 50.
double system_entry(int n, int lane, int i, int j) {
  const double u = uniform(1, static_cast<std::uint64_t>(lane), static_cast<std::uint64_t>(i * 64 + j));
  return (i == j ? 1.0 : 0.0) + 0.8 / n * (u - 0.5);
}

template <class R>
Elimination<R> solved(int n, int sides) {
  Elimination<R> elimination;
  elimination.resize(n, sides);
  for (int lane = 0; lane < width_of<R>; ++lane) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) set_lane(elimination.row(i)[j], lane, system_entry(n, lane, i, j));
      for (int c = 0; c < sides; ++c)
        set_lane(elimination.right(i)[c], lane, system_entry(n, lane, i, 50 + c));
    }
  }
  elimination.solve();
  return elimination;
}

/// The largest difference between the two solutions, lane by lane.
template <class R>
double worst_difference(int n, int sides) {
  Elimination<R> elimination = solved<R>(n, sides);
  double worst = 0;
  for (int lane = 0; lane < width_of<R>; ++lane) {
    for (int c = 0; c < sides; ++c) {
      std::vector<std::vector<double>> a(static_cast<std::size_t>(n),
                                         std::vector<double>(static_cast<std::size_t>(n)));
      std::vector<double> b(static_cast<std::size_t>(n));
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j)
          a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = system_entry(n, lane, i, j);
        b[static_cast<std::size_t>(i)] = system_entry(n, lane, i, 50 + c);
      }
      solve_in_place<double>(n, a, b);
      for (int i = 0; i < n; ++i) {
        const double off =
            std::abs(numerics::lane(elimination.right(i)[c], lane) - b[static_cast<std::size_t>(i)]);
        worst = off <= worst ? worst : off;
      }
    }
  }
  return worst;
}

/// The largest difference between the derivatives of f at x and central differences.
template <class F>
double off_differences(const F& f, double x, double y = 0.3) {
  using D = Dual<double, 2>;
  const double h = 1e-6;
  const D z = f(D(x, {1.0, 0.0}), D(y, {0.0, 2.0}));
  const double by_x = (f(D(x + h), D(y)).value - f(D(x - h), D(y)).value) / (2 * h);
  const double by_y = (f(D(x), D(y + h)).value - f(D(x), D(y - h)).value) / h;
  return std::max(std::abs(z.part[0] - by_x), std::abs(z.part[1] - by_y));
}

/// Whether the first lane has the bits of the same system among numbers alone.
template <class R>
bool has_the_bits_of_one(int n, int sides) {
  Elimination<R> many = solved<R>(n, sides);
  Elimination<double> one = solved<double>(n, sides);
  for (int i = 0; i < n; ++i) {
    for (int c = 0; c < sides; ++c) {
      if (numerics::lane(many.right(i)[c], 0) != one.right(i)[c]) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("elimination has the same bits whatever the tiles' size") {
  // Tiles are larger for numbers and one register of lanes than for two, where registers are many.
  for (int n = 1; n <= 17; ++n) {
    for (int sides = 1; sides <= 5; ++sides) {
      CHECK(has_the_bits_of_one<Lanes<native_width>>(n, sides));
      CHECK(has_the_bits_of_one<Lanes<2 * native_width>>(n, sides));
    }
  }
}

TEST_CASE("elimination in tiles solves what elimination with pivoting solves") {
  for (int n = 1; n <= 17; ++n) {
    for (int sides = 1; sides <= 5; ++sides) {
      CHECK(worst_difference<double>(n, sides) < 1e-14);
      CHECK(worst_difference<Lanes<native_width>>(n, sides) < 1e-14);
    }
  }
  CHECK(worst_difference<Lanes<2 * native_width>>(13, 3) < 1e-14);
  Elimination<double> singular;
  singular.resize(2, 1);
  for (int i = 0; i < 2; ++i) singular.row(i)[0] = singular.row(i)[1] = singular.right(i)[0] = 1.0 + i;
  singular.solve();
  CHECK(!std::isfinite(singular.right(0)[0]));
}

TEST_CASE("dual numbers carry derivatives along, and decide by values alone") {
  const auto check = [](const auto& f, double x) { CHECK(off_differences(f, x) < 1e-8); };
  check([](auto x, auto y) { return x * y - x / y + 2.0 * x - y / 3.0; }, 0.7);
  check([](auto x, auto y) { return fma(x, y, x) + sqrt(x) * cbrt(y); }, 0.7);
  check([](auto x, auto y) { return sin(x * y) + cos(x) * tan(y) + exp(x) * expm1(y); }, 0.7);
  check([](auto x, auto y) { return log(x) * log1p(y) + erf(x * y) + hypot(x, y); }, 0.7);
  check([](auto x, auto y) { return asin(x) + acos(y) * atan(x) + atan2(x, y); }, 0.7);
  check([](auto x, auto y) { return sinh(x) * cosh(y) + tanh(x) + asinh(x) + acosh(1.0 + y) + atanh(y); },
        0.7);
  check(
      [](auto x, auto y) { return pow(x, y) + pow(x, 2.5) + pow(1.5, y) + abs(-x) + min(x, y) * max(x, y); },
      0.7);
  using D = Dual<double, 1>;
  CHECK(D(1.0, {5.0}) == D(1.0, {7.0}));
  CHECK(select(D(1.0, {5.0}) < D(2.0, {0.0}), D(3.0, {4.0}), D(0.0)).part[0] == 4.0);
  CHECK(pow(D(-2.0, {1.0}), 3.0).part[0] == Approx(12.0));  // a constant power below zero
}
