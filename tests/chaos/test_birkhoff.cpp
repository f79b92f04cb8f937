// SPDX-License-Identifier: BSD-3-Clause
// Weighted Birkhoff averages on the standard map p' = p - K/(2 pi) sin 2 pi x, x' = x + p'.
// References: Greene, J. Math. Phys. 20 (1979) 1183 (the last golden torus, K = .971635); Das, Saiki, Sander,
// Yorke, Nonlinearity 30 (2017) 4111; Sander, Meiss, Physica D 411 (2020) 132569.
#include <cmath>
#include <numbers>

#include "catch.hpp"
#include "chaos/birkhoff.hpp"

using namespace cotangent::chaos;

namespace {

/// x' - x along an orbit from x = 0: its average is the rotation number.
std::vector<double> advances(double k, double p, int count) {
  std::vector<double> result;
  double x = 0;
  for (int n = 0; n < count; ++n) {
    p -= k / (2 * std::numbers::pi) * std::sin(2 * std::numbers::pi * x);
    x += p;
    x -= std::floor(x);
    result.push_back(p);
  }
  return result;
}

const double golden = (std::sqrt(5.0) - 1) / 2;

/// p on x = 0 of the orbit whose rotation number is the golden mean, by bisection.
double golden_start(double k, int count) {
  double low = 0.55, high = 0.65;
  for (int i = 0; i < 45; ++i) {
    const double middle = 0.5 * (low + high);
    (weighted_average(advances(k, middle, count)) < golden ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace

TEST_CASE("weighted averages give rotation numbers to twelve digits on tori, and plain ones to four") {
  const auto shorter = advances(0.6, 0.6, 10000), longer = advances(0.6, 0.6, 100000);
  const double rotation = weighted_average(longer);
  CHECK(std::abs(weighted_average(shorter) - rotation) < 1e-12);
  double plain = 0;
  for (const double p : shorter) plain += p / 10000;
  CHECK(std::abs(plain - rotation) > 1e-7);  // the control
  CHECK(agreeing_digits(longer) > 12);
  CHECK(agreeing_digits(advances(3.0, 0.6, 100000)) < 5);  // a sea
}

TEST_CASE("the last golden torus breaks between K = .97 and .973") {
  const int count = 40000;
  const double below = agreeing_digits(advances(0.97, golden_start(0.97, count), 5 * count));
  const double above = agreeing_digits(advances(0.973, golden_start(0.973, count), 5 * count));
  INFO("digits " << below << " and " << above);
  CHECK(below > 10);  // 13.9
  CHECK(above < 7);   // 5.5
}

TEST_CASE("turns about a centre: of a rotation, its angle, both ways; of half an orbit, nothing") {
  for (const double turn : {0.3, -0.3}) {
    std::vector<std::array<double, 2>> points;
    for (int n = 0; n < 2000; ++n) {
      const double angle = 2 * std::numbers::pi * turn * n;
      points.push_back({1 + 2 * std::cos(angle), 3 + 0.5 * std::sin(angle)});  // an ellipse
    }
    CHECK(weighted_average(turns(points, {1, 3})) == within(turn, 1e-12));
    CHECK(std::abs(weighted_average(turns(points, {9, 3}))) < 1e-12);  // not around this one
  }
  CHECK(std::isnan(weighted_average({})));
}
