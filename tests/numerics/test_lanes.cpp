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
}  // namespace

TEST_CASE("sine and cosine are within one unit in the last place, at every width alike") {
  check_sincos<1>();
  check_sincos<2>();
  check_sincos<4>();
  check_sincos<8>();
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
