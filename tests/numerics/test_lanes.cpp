// SPDX-License-Identifier: BSD-3-Clause
// A lane's bits are its own: the same at every width, whatever the neighbours hold.
#include <bit>
#include <cstdint>
#include <random>

#include "catch.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent::numerics;

namespace {
double ulp_distance(double a, double b) {
  return std::abs(double(std::bit_cast<std::int64_t>(a) - std::bit_cast<std::int64_t>(b)));
}

template <int W>
void check_sincos() {
  std::mt19937_64 random(7);
  double worst = 0;
  for (double scale : {1e-8, 0.5, 1.0, 3.0, 100.0, 9e5, 1e9}) {
    std::uniform_real_distribution<double> uniform(-scale, scale);
    for (int trial = 0; trial < 2000; ++trial) {
      Lanes<W> x;
      for (int i = 0; i < W; ++i) x.set(i, uniform(random));
      const auto [s, c] = sincos(x);
      for (int i = 0; i < W; ++i) {
        const double exact_sin = double(std::sin((long double)x[i])),
                     exact_cos = double(std::cos((long double)x[i]));
        worst = std::max({worst, ulp_distance(s[i], exact_sin), ulp_distance(c[i], exact_cos)});
        const auto alone = sincos(Lanes<1>(x[i]));
        CHECK(std::bit_cast<std::uint64_t>(alone.sin[0]) == std::bit_cast<std::uint64_t>(s[i]));
        CHECK(std::bit_cast<std::uint64_t>(alone.cos[0]) == std::bit_cast<std::uint64_t>(c[i]));
      }
    }
  }
  CHECK(worst <= 1.0);  // measured: 1
}

/// The greatest distance from `exact`, in extended precision, of a function of lanes at the arguments that
/// `draw` gives; and its bits may not depend on the width.
template <int W>
double worst_distance(auto function, auto exact, auto draw) {
  double worst = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    Lanes<W> x;
    for (int i = 0; i < W; ++i) x.set(i, draw());
    const Lanes<W> y = function(x);
    for (int i = 0; i < W; ++i) {
      worst = std::max(worst, ulp_distance(y[i], double(exact((long double)x[i]))));
      const double alone = function(Lanes<1>(x[i]))[0];
      if (std::bit_cast<std::uint64_t>(alone) != std::bit_cast<std::uint64_t>(y[i])) FAIL_CHECK(x[i]);
    }
  }
  return worst;
}

/// Numbers whose magnitude is spread evenly over the exponents from 2^low to 2^high.
auto magnitudes(int low, int high) {
  return [low, high, random = std::mt19937_64(11)]() mutable {
    return std::exp2(std::uniform_real_distribution<double>(low, high)(random));
  };
}
auto between(double low, double high) {
  return [low, high, random = std::mt19937_64(12)]() mutable {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
}

template <int W>
void check_exp_and_log() {
  const auto exponential = [](auto x) { return exp(x); };
  const auto logarithm = [](auto x) { return log(x); };
  const auto exact_exp = [](long double x) { return std::exp(x); };
  const auto exact_log = [](long double x) { return std::log(x); };
  CHECK(worst_distance<W>(exponential, exact_exp, between(-0.4, 0.4)) <= 1.0);      // measured: 1
  CHECK(worst_distance<W>(exponential, exact_exp, between(-40.0, 2.0)) <= 1.0);     // 1
  CHECK(worst_distance<W>(exponential, exact_exp, between(-708.0, 709.7)) <= 1.0);  // 1
  CHECK(worst_distance<W>(exponential, exact_exp, between(-746.0, -708.0)) <= 1.0);
  CHECK(worst_distance<W>(exponential, exact_exp, magnitudes(-60, 0)) <= 1.0);
  CHECK(worst_distance<W>(logarithm, exact_log, between(0.5, 2.0)) <= 1.0);  // measured: 1
  CHECK(worst_distance<W>(logarithm, exact_log, magnitudes(-1074, 1023)) <= 1.0);
  // The control: twice the relative error is seen.
  const auto squared = [](auto x) {
    const auto root = exp(0.5 * x);
    return root * root;
  };
  CHECK(worst_distance<W>(squared, exact_exp, between(-40.0, 2.0)) > 1.0);  // 2
}
}  // namespace

TEST_CASE("exponential and logarithm are within one unit in the last place, at every width alike") {
  check_exp_and_log<1>();
  check_exp_and_log<2>();
  check_exp_and_log<4>();
  check_exp_and_log<8>();
}

TEST_CASE("exponential and logarithm at the ends of their domains are the C library's, in their lane alone") {
  const double infinity = std::numeric_limits<double>::infinity(), least = 5e-324;
  const double odd_nan = std::bit_cast<double>(0x7ff8000000000fffull);  // its last bits may not leak out
  const double ends[] = {0.0,      -0.0,   least,  -least,  infinity, -infinity, odd_nan,
                         -odd_nan, 710.0,  -746.0, 709.782, 709.7828, -745.1,    -745.2,
                         1e300,    -1e300, 1.0,    -1.0,    2.2e-308};
  for (const double end : ends) {
    Lanes<8> x(0.5);
    x.set(3, end);
    const auto y = exp(x), z = log(x);
    for (int i = 0; i < 8; ++i) {
      INFO(x[i]);
      CHECK(std::isnan(y[i]) == std::isnan(std::exp(x[i])));
      CHECK(std::isnan(z[i]) == std::isnan(std::log(x[i])));
      if (!std::isnan(y[i])) CHECK(ulp_distance(y[i], std::exp(x[i])) <= 1.0);
      if (!std::isnan(z[i])) CHECK(ulp_distance(z[i], std::log(x[i])) <= 1.0);
    }
  }
  CHECK(exp(Lanes<4>(0.0))[2] == 1.0);
  CHECK(exp(Lanes<4>(-0.0))[2] == 1.0);
  CHECK(log(Lanes<4>(1.0))[2] == 0.0);
  CHECK(exp(Lanes<4>(709.79))[1] == infinity);
  CHECK(exp(Lanes<4>(-745.2))[1] == 0.0);
}

TEST_CASE("sine and cosine are within one unit in the last place, at every width alike") {
  check_sincos<1>();
  check_sincos<2>();
  check_sincos<4>();
  check_sincos<8>();
  check_sincos<16>();
}

TEST_CASE("non-finite arguments give NaN in their lane alone") {
  Lanes<4> x(1.0);
  x.set(2, std::numeric_limits<double>::infinity());
  const auto s = sin(x);
  CHECK(std::isnan(s[2]));
  CHECK(s[1] == sin(Lanes<1>(1.0))[0]);
}

TEST_CASE("masks select lane by lane") {
  Lanes<8> x;
  for (int i = 0; i < 8; ++i) x.set(i, i - 3.5);
  const auto positive = x > 0.0;
  CHECK(any(positive));
  CHECK(!all(positive));
  const auto y = select(positive, x, -x);
  for (int i = 0; i < 8; ++i) CHECK(y[i] == std::abs(x[i]));
  CHECK(all(y == abs(x)));
}

TEST_CASE("more lanes than a register holds do in each what one does alone") {
  constexpr int width = 2 * native_width;
  using Wide = Lanes<width>;
  static_assert(sizeof(Wide) == width * sizeof(double) && alignof(Wide) == sizeof(Wide));
  const auto alike = [](auto operation) {
    Wide x, y;
    for (int i = 0; i < width; ++i) {
      x.set(i, 1.1 * i - 3.0);
      y.set(i, 2.5 - 0.3 * i);
    }
    const Wide result = operation(x, y);
    for (int i = 0; i < width; ++i) {
      INFO("lane " << i);
      CHECK(std::bit_cast<std::uint64_t>(result[i]) ==
            std::bit_cast<std::uint64_t>(operation(Lanes<1>(x[i]), Lanes<1>(y[i]))[0]));
    }
  };
  alike([](auto x, auto y) { return x + y; });
  alike([](auto x, auto y) { return x - y; });
  alike([](auto x, auto y) { return x * y; });
  alike([](auto x, auto y) { return x / y; });
  alike([](auto x, auto y) { return -fma(x, y, 0.1 * y); });
  alike([](auto x, auto y) { return sqrt(abs(x) + abs(y)); });
  alike([](auto x, auto y) { return min(x, y) + 10.0 * max(x, y); });
  alike([](auto x, auto y) { return select((x < y) & !(x == y), exp(x), atan2(x, y)); });
  alike([](auto x, auto y) { return log(abs(x) + exp(y)); });
  alike([](auto x, auto y) { return select((x >= y) | (x != y), x, y); });

  Mask<width> last(false);
  CHECK(!any(last));
  last.set(width - 1, true);
  CHECK(any(last));
  CHECK(!all(last));
  CHECK(last[width - 1]);
  CHECK(!last[width / 2 - 1]);
  CHECK(all(last | !last));
}
