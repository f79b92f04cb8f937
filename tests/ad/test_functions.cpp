// SPDX-License-Identifier: BSD-3-Clause
// Every elementary function's value, first and second derivative against closed forms in extended precision,
// over double and over lanes, whose bits may not depend on the width or the neighbours.
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "ad/ad.hpp"
#include "catch.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent;
using numerics::Lanes;

namespace {

using LongDouble = long double;
constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x);
}

/// Value, first and second derivative of f at x in each lane, with W lanes at a time.
template <int W, class F>
std::vector<std::array<double, 3>> derivatives(const F& f, const std::vector<double>& points) {
  std::vector<std::array<double, 3>> result;
  for (std::size_t start = 0; start < points.size(); start += W) {
    Lanes<W> x(1.0);
    for (int i = 0; i < W; ++i) x.set(i, points[(start + i) % points.size()]);
    const auto jet = f(ad::variable<0, 1, 2, 0>(x));
    for (int i = 0; i < W && start + i < points.size(); ++i) {
      result.push_back({ad::value(jet)[i], ad::gradient<0>(jet)[i], ad::hessian<0, 0>(jet)[i]});
    }
  }
  return result;
}

template <class F>
std::vector<std::array<double, 3>> derivatives_by_double(const F& f, const std::vector<double>& points) {
  std::vector<std::array<double, 3>> result;
  for (const double x : points) {
    const auto jet = f(ad::variable<0, 1, 2, 0>(x));
    result.push_back({ad::value(jet), ad::gradient<0>(jet), ad::hessian<0, 0>(jet)});
  }
  return result;
}

/// The largest error in units of epsilon, relative to the exact number (or to 1e-3, where that is smaller).
double worst_error(const std::vector<std::array<double, 3>>& found, const auto& exact,
                   const std::vector<double>& points) {
  double worst = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::array<LongDouble, 3> expected = exact(LongDouble(points[k]));
    for (int part = 0; part < 3; ++part) {
      const LongDouble scale = std::max(std::abs(expected[part]), LongDouble(1e-3));
      const double error = double(std::abs(LongDouble(found[k][part]) - expected[part]) / scale) / epsilon;
      if (!(error <= worst)) worst = error;  // a NaN is an error too
    }
  }
  return worst;
}

/// Holds f to {phi, phi', phi''} on [low, high], over double and over 1, 4 and 8 lanes alike.
void check(const std::string& name, const auto& f, double low, double high, const auto& exact,
           double tolerance = 5) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> uniform(low, high);
  std::vector<double> points(203);
  for (double& x : points) x = uniform(random);
  const auto one = derivatives<1>(f, points), four = derivatives<4>(f, points),
             eight = derivatives<8>(f, points);
  INFO(name);
  CHECK(worst_error(derivatives_by_double(f, points), exact, points) < tolerance);
  CHECK(worst_error(one, exact, points) < tolerance);
  int different = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (int part = 0; part < 3; ++part) {
      different += bits(one[k][part]) != bits(four[k][part]) || bits(one[k][part]) != bits(eight[k][part]);
    }
  }
  CHECK(different == 0);
}

#define COTANGENT_LAMBDA(function) [](const auto& a) { return function; }

}  // namespace

TEST_CASE("functions of one argument: derivatives to a few units in the last place, at every width alike") {
  using E = LongDouble;
  using Three = std::array<LongDouble, 3>;
  // Measured: at most 3.6 epsilon; cbrt, whose value in the C library is one unit off, 8.1.
  check("sqrt", COTANGENT_LAMBDA(sqrt(a)), 0.01, 9, [](E x) {
    return Three{std::sqrt(x), 1 / (2 * std::sqrt(x)), -1 / (4 * x * std::sqrt(x))};
  });
  check(
      "cbrt", COTANGENT_LAMBDA(cbrt(a)), -5, 9,
      [](E x) {
        const E f = std::cbrt(x);
        return Three{f, 1 / (3 * f * f), -2 / (9 * f * f * x)};
      },
      12);
  check("exp", COTANGENT_LAMBDA(exp(a)), -5, 5, [](E x) {
    return Three{std::exp(x), std::exp(x), std::exp(x)};
  });
  check("expm1", COTANGENT_LAMBDA(expm1(a)), -2, 2, [](E x) {
    return Three{std::expm1(x), std::exp(x), std::exp(x)};
  });
  check("log", COTANGENT_LAMBDA(log(a)), 0.01, 9, [](E x) {
    return Three{std::log(x), 1 / x, -1 / (x * x)};
  });
  check("log1p", COTANGENT_LAMBDA(log1p(a)), -0.5, 9, [](E x) {
    return Three{std::log1p(x), 1 / (1 + x), -1 / ((1 + x) * (1 + x))};
  });
  check("sin", COTANGENT_LAMBDA(sin(a)), -9, 9, [](E x) {
    return Three{std::sin(x), std::cos(x), -std::sin(x)};
  });
  check("cos", COTANGENT_LAMBDA(cos(a)), -9, 9, [](E x) {
    return Three{std::cos(x), -std::sin(x), -std::cos(x)};
  });
  check("sincos.sin", COTANGENT_LAMBDA(sincos(a).sin), -9, 9, [](E x) {
    return Three{std::sin(x), std::cos(x), -std::sin(x)};
  });
  check("sincos.cos", COTANGENT_LAMBDA(sincos(a).cos), -9, 9, [](E x) {
    return Three{std::cos(x), -std::sin(x), -std::cos(x)};
  });
  check("tan", COTANGENT_LAMBDA(tan(a)), -1.5, 1.5, [](E x) {
    const E f = std::tan(x), d = 1 / (std::cos(x) * std::cos(x));
    return Three{f, d, 2 * f * d};
  });
  check("asin", COTANGENT_LAMBDA(asin(a)), -1, 1, [](E x) {
    const E d = 1 / std::sqrt((1 - x) * (1 + x));
    return Three{std::asin(x), d, x * d * d * d};
  });
  check("acos", COTANGENT_LAMBDA(acos(a)), -1, 1, [](E x) {
    const E d = 1 / std::sqrt((1 - x) * (1 + x));
    return Three{std::acos(x), -d, -x * d * d * d};
  });
  check("atan", COTANGENT_LAMBDA(atan(a)), -9, 9, [](E x) {
    const E d = 1 / (1 + x * x);
    return Three{std::atan(x), d, -2 * x * d * d};
  });
  check("sinh", COTANGENT_LAMBDA(sinh(a)), -5, 5, [](E x) {
    return Three{std::sinh(x), std::cosh(x), std::sinh(x)};
  });
  check("cosh", COTANGENT_LAMBDA(cosh(a)), -5, 5, [](E x) {
    return Three{std::cosh(x), std::sinh(x), std::cosh(x)};
  });
  check("tanh", COTANGENT_LAMBDA(tanh(a)), -4, 4, [](E x) {
    const E d = 1 / (std::cosh(x) * std::cosh(x));
    return Three{std::tanh(x), d, -2 * std::tanh(x) * d};
  });
  check("asinh", COTANGENT_LAMBDA(asinh(a)), -9, 9, [](E x) {
    const E d = 1 / std::sqrt(1 + x * x);
    return Three{std::asinh(x), d, -x * d * d * d};
  });
  check("acosh", COTANGENT_LAMBDA(acosh(a)), 1, 9, [](E x) {
    const E d = 1 / std::sqrt((x - 1) * (x + 1));
    return Three{std::acosh(x), d, -x * d * d * d};
  });
  check("atanh", COTANGENT_LAMBDA(atanh(a)), -0.99, 0.99, [](E x) {
    const E d = 1 / ((1 - x) * (1 + x));
    return Three{std::atanh(x), d, 2 * x * d * d};
  });
  check("erf", COTANGENT_LAMBDA(erf(a)), -3, 3, [](E x) {
    const E d = 2 / std::sqrt(std::numbers::pi_v<E>) * std::exp(-x * x);
    return Three{std::erf(x), d, -2 * x * d};
  });
  check("abs", COTANGENT_LAMBDA(abs(a)), -3, 3, [](E x) {
    return Three{std::abs(x), x < 0 ? E(-1) : E(1), 0};
  });
  check("square", COTANGENT_LAMBDA(square(a)), -3, 3, [](E x) { return Three{x * x, 2 * x, 2}; });
}

TEST_CASE("powers") {
  using E = LongDouble;
  using Three = std::array<LongDouble, 3>;
  for (int n = -7; n <= 9; ++n) {
    const auto exact = [n](E x) {
      return Three{std::pow(x, E(n)), n * std::pow(x, E(n - 1)), E(n) * (n - 1) * std::pow(x, E(n - 2))};
    };
    check(
        "a^n, n = " + std::to_string(n), [n](const auto& a) { return pow(a, n); }, 0.3, 3, exact, 5);
    check(
        "a^n, a < 0", [n](const auto& a) { return pow(a, n); }, -3, -0.3, exact, 5);
    check(
        "a^p, a < 0", [n](const auto& a) { return pow(a, double(n)); }, -3, -0.3, exact, 5);
  }
  for (const double p : {-2.5, -0.5, 0.0, 0.3, 1.0, 1.5, 2.0, 7.25}) {
    check(
        "a^p, p = " + std::to_string(p), [p](const auto& a) { return pow(a, p); }, 0.2, 4,
        [p](E x) {
          return Three{std::pow(x, E(p)), p * std::pow(x, E(p) - 1),
                       E(p) * (E(p) - 1) * std::pow(x, E(p) - 2)};
        });
  }
  check("c^b", COTANGENT_LAMBDA(pow(2.5, a)), -3, 3, [](E x) {
    const E f = std::pow(E(2.5), x), l = std::log(E(2.5));
    return Three{f, f * l, f * l * l};
  });
  check("a^a", COTANGENT_LAMBDA(pow(a, a)), 0.6, 3, [](E x) {
    const E f = std::pow(x, x), l = 1 + std::log(x);
    return Three{f, f * l, f * l * l + f / x};
  });
}

TEST_CASE("a power's derivatives at zero are those of the polynomial") {
  const auto at_zero = [](auto exponent) {
    const auto jet = pow(ad::variable<0, 1, 2, 0>(0.0), exponent);
    return std::array{ad::value(jet), ad::gradient<0>(jet), ad::hessian<0, 0>(jet)};
  };
  CHECK(at_zero(0) == std::array{1.0, 0.0, 0.0});
  CHECK(at_zero(1) == std::array{0.0, 1.0, 0.0});
  CHECK(at_zero(2) == std::array{0.0, 0.0, 2.0});
  CHECK(at_zero(3) == std::array{0.0, 0.0, 0.0});
  CHECK(at_zero(0.0) == std::array{1.0, 0.0, 0.0});
  CHECK(at_zero(1.0) == std::array{0.0, 1.0, 0.0});
  CHECK(at_zero(1.5) == std::array{0.0, 0.0, infinity});
  CHECK(at_zero(2.0) == std::array{0.0, 0.0, 2.0});
  CHECK(at_zero(2.5) == std::array{0.0, 0.0, 0.0});
  // A lane at zero leaves its neighbours' bits alone.
  Lanes<4> x(0.7);
  const auto alone = pow(ad::variable<0, 1, 2, 0>(x), 1.5);
  x.set(2, 0.0);
  const auto beside = pow(ad::variable<0, 1, 2, 0>(x), 1.5);
  CHECK(bits(ad::hessian<0, 0>(beside)[1]) == bits(ad::hessian<0, 0>(alone)[1]));
  CHECK(ad::gradient<0>(beside)[2] == 0.0);
}

TEST_CASE("an exponent that is a variable without derivatives is a constant, wherever the base is") {
  using J = ad::A<1>;
  for (const double x : {-1.5, 0.0, 0.7})
    for (const double p : {0.0, 1.0, 2.0, 3.0, 4.0}) {
      INFO(x << "^" << p);
      const auto jet = pow(J(ad::variable<0, 1, 2, 0>(x)), J(p));
      const auto expected = pow(ad::variable<0, 1, 2, 0>(x), static_cast<int>(p));
      CHECK(ad::value(jet) == Approx(ad::value(expected)).epsilon(1e-14));
      CHECK(ad::gradient<0>(jet) == Approx(ad::gradient<0>(expected)).epsilon(1e-14));
      CHECK(ad::hessian<0, 0>(jet) == Approx(ad::hessian<0, 0>(expected)).epsilon(1e-14));
    }
}

namespace {

/// Partial derivatives {f, f_x, f_y, f_xx, f_xy, f_yy} of a function of two arguments.
template <class Real, class F>
std::array<Real, 6> partials(const F& f, const Real& x, const Real& y) {
  const auto jet = f(ad::variable<0, 2, 2, 0>(x), ad::variable<1, 2, 2, 0>(y));
  return {ad::value(jet),         ad::gradient<0>(jet),   ad::gradient<1>(jet),
          ad::hessian<0, 0>(jet), ad::hessian<0, 1>(jet), ad::hessian<1, 1>(jet)};
}

void check_two(const std::string& name, const auto& f, double low, double high, const auto& exact) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> uniform(low, high);
  INFO(name);
  double worst = 0;
  int different = 0;
  for (int trial = 0; trial < 100; ++trial) {
    Lanes<8> x, y;
    for (int i = 0; i < 8; ++i) {
      x.set(i, uniform(random));
      y.set(i, uniform(random));
    }
    const auto eight = partials(f, x, y);
    for (int i = 0; i < 8; ++i) {
      const auto one = partials(f, Lanes<1>(x[i]), Lanes<1>(y[i]));
      const auto plain = partials(f, x[i], y[i]);
      const std::array<LongDouble, 6> expected = exact(LongDouble(x[i]), LongDouble(y[i]));
      for (int part = 0; part < 6; ++part) {
        different += bits(one[part][0]) != bits(eight[part][i]);
        const LongDouble scale = std::max(std::abs(expected[part]), LongDouble(1));
        for (const double found : {one[part][0], plain[part]}) {
          const double error = double(std::abs(found - expected[part]) / scale) / epsilon;
          if (!(error <= worst)) worst = error;
        }
      }
    }
  }
  CHECK(worst < 5);  // measured: at most 3.5
  CHECK(different == 0);
}

}  // namespace

TEST_CASE("functions of two arguments") {
  using E = LongDouble;
  using Six = std::array<LongDouble, 6>;
  check_two(
      "product", [](const auto& x, const auto& y) { return x * y; }, -3, 3,
      [](E x, E y) { return Six{x * y, y, x, 0, 1, 0}; });
  check_two(
      "quotient", [](const auto& x, const auto& y) { return x / y; }, 0.4, 3,
      [](E x, E y) { return Six{x / y, 1 / y, -x / (y * y), 0, -1 / (y * y), 2 * x / (y * y * y)}; });
  check_two(
      "atan2", [](const auto& x, const auto& y) { return atan2(x, y); }, -3, 3,
      [](E x, E y) {
        const E r = x * x + y * y;
        return Six{std::atan2(x, y),   y / r, -x / r, -2 * x * y / (r * r), (x * x - y * y) / (r * r),
                   2 * x * y / (r * r)};
      });
  check_two(
      "hypot", [](const auto& x, const auto& y) { return hypot(x, y); }, -3, 3,
      [](E x, E y) {
        const E r = std::hypot(x, y);
        return Six{r, x / r, y / r, y * y / (r * r * r), -x * y / (r * r * r), x * x / (r * r * r)};
      });
  check_two(
      "power", [](const auto& x, const auto& y) { return pow(x, y); }, 0.3, 2.5,
      [](E x, E y) {
        const E f = std::pow(x, y), l = std::log(x);
        return Six{f, y * f / x, f * l, y * (y - 1) * f / (x * x), f / x * (1 + y * l), f * l * l};
      });
  check_two(
      "min", [](const auto& x, const auto& y) { return min(x, y); }, -3, 3,
      [](E x, E y) { return Six{std::min(x, y), E(x < y), E(x > y), 0, 0, 0}; });
  check_two(
      "max", [](const auto& x, const auto& y) { return max(x, y); }, -3, 3,
      [](E x, E y) { return Six{std::max(x, y), E(x > y), E(x < y), 0, 0, 0}; });
  check_two(
      "hypot with a constant", [](const auto& x, const auto&) { return hypot(x, 2); }, -3, 3,
      [](E x, E) {
        const E r = std::hypot(x, E(2));
        return Six{r, x / r, 0, 4 / (r * r * r), 0, 0};
      });
}

TEST_CASE("NaN comes through the smaller and the larger of two, from either side") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& [x, y] : {std::pair{nan, 1.0}, {1.0, nan}}) {
    CHECK(std::isnan(ad::min(x, y)));
    CHECK(std::isnan(ad::max(x, y)));
    CHECK(std::isnan(partials([](const auto& a, const auto& b) { return min(a, b); }, x, y)[0]));
    CHECK(std::isnan(partials([](const auto& a, const auto& b) { return max(a, b); }, x, y)[0]));
  }
  CHECK(ad::min(2.0, 1.0) == 1);
  CHECK(ad::max(2.0, 1.0) == 2);
}

TEST_CASE("far from 1 nothing overflows before the function does") {
  const auto big = partials([](const auto& x, const auto& y) { return hypot(x, y); }, 3e200, 4e200);
  CHECK(big[0] == Approx(5e200).epsilon(1e-15));
  CHECK(big[1] == within(0.6, 1e-15));
  const auto angle = partials([](const auto& y, const auto& x) { return atan2(y, x); }, 3e200, 4e200);
  CHECK(angle[1] == Approx(4.0 / 25 * 1e-200).epsilon(1e-15));
  const auto flat = tanh(ad::variable<0, 1, 2, 0>(20.0));
  CHECK(ad::gradient<0>(flat) == Approx(1.0 / std::pow(std::cosh(20.0), 2)).epsilon(1e-14));
}

TEST_CASE("conventions where a function isn't smooth, lane by lane") {
  Lanes<4> x;
  const std::array points{-1.5, 0.0, 2.0, not_a_number};
  for (int i = 0; i < 4; ++i) x.set(i, points[i]);
  const auto variable = ad::variable<0, 2, 2, 0>(x);
  const auto magnitude = abs(3 * variable);
  CHECK(ad::gradient<0>(magnitude)[0] == -3.0);
  CHECK(ad::gradient<0>(magnitude)[1] == 0.0);
  CHECK(ad::gradient<0>(magnitude)[2] == 3.0);
  CHECK(std::isnan(ad::gradient<0>(magnitude)[3]));

  // At a tie the second argument is taken, derivatives and all.
  const auto other = ad::variable<1, 2, 2, 0>(Lanes<4>(0.0));
  for (const auto& jet : {ad::dense(min(variable, other)), ad::dense(max(variable, other))}) {
    CHECK(ad::gradient<0>(jet)[1] == 0.0);
    CHECK(ad::gradient<1>(jet)[1] == 1.0);
  }
  CHECK(ad::gradient<0>(min(variable, 0.0))[0] == 1.0);
  CHECK(ad::gradient<0>(min(variable, 0.0))[2] == 0.0);
  CHECK(ad::gradient<0>(max(0, variable))[2] == 1.0);

  const auto chosen = select(x > Lanes<4>(0.0), variable * variable, -variable);
  CHECK(ad::gradient<0>(chosen)[0] == -1.0);
  CHECK(ad::gradient<0>(chosen)[2] == 4.0);
  CHECK(ad::hessian<0, 0>(chosen)[0] == 0.0);
  CHECK(ad::hessian<0, 0>(chosen)[2] == 2.0);
}

TEST_CASE("a division rounds the value as plain numbers are rounded") {
  std::mt19937_64 random(13);
  std::uniform_real_distribution<double> uniform(0.1, 10.0);
  for (int trial = 0; trial < 500; ++trial) {
    const double a = uniform(random), b = uniform(random);
    const auto x = ad::variable<0, 2, 2, 0>(a);
    const auto y = ad::variable<1, 2, 2, 0>(b);
    CHECK(ad::value(x / 3.0) == a / 3.0);
    CHECK(ad::value(x / 7) == a / 7);
    CHECK(ad::value(x / y) == a / b);
    CHECK(ad::value(5.0 / y) == 5.0 / b);
  }
}
