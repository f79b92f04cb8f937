// SPDX-License-Identifier: BSD-3-Clause
// Extended precision keeps 31 digits where doubles, the control, keep 16; nodes and weights to 30 digits
// against values of 60 (mpmath 1.3: the roots of the polynomials).
#include <array>

#include "catch.hpp"
#include "numerics/extended.hpp"
#include "numerics/polynomials.hpp"

using namespace cotangent::numerics;

namespace {

double error(const Extended& found, const Extended& exact) {
  return double(abs(found / exact - 1));
}

/// pi by Machin's formula, 16 arctan(1/5) - 4 arctan(1/239), in a type's own arithmetic.
template <class R>
R machin() {
  const auto arctan_of_one_over = [](int n) {
    R power = R(1) / n, sum = power;
    for (int k = 3; k < 60; k += 2) {
      power /= -n * n;
      sum += power / k;
    }
    return sum;
  };
  return 16 * arctan_of_one_over(5) - 4 * arctan_of_one_over(239);
}

}  // namespace

TEST_CASE("sums, products, quotients and roots keep 31 digits") {
  CHECK(error(machin<Extended>(), extended_pi) < 1e-31);
  CHECK(error(machin<double>(), extended_pi) > 1e-17);
  CHECK(error(Extended(1) / 3, {0.3333333333333333, 1.850371707708594e-17}) < 1e-32);
  CHECK(error(sqrt(Extended(2)), {1.4142135623730951, -9.667293313452913e-17}) < 1e-31);
  CHECK(error(sin(Extended(1)), {0.8414709848078965, 1.776845092935536e-18}) < 1e-31);
  CHECK(error(sin(extended_pi / 6), 0.5) < 1e-31);
  // Where leading digits cancel, those of the second double are left: (1 + e)^2 - 1 - 2 e = e^2.
  const Extended e = 0x1p-40, off = (1 + e) * (1 + e) - 1 - 2 * e;
  CHECK(double(off) == 0x1p-80);
  CHECK((1 + 0x1p-40) * (1 + 0x1p-40) - 1 - 0x1p-39 == 0);  // in doubles it is lost
  // A denominator and a sum of many, back to where they began.
  Extended x = extended_pi;
  for (int n = 1; n < 1000; ++n) x = (x * n + Extended(1) / n) / (n + 1);
  for (int n = 999; n > 0; --n) x = (x * (n + 1) - Extended(1) / n) / n;
  CHECK(error(x, extended_pi) < 1e-28);
  CHECK(Extended(1) < Extended(1, 1e-20));
  CHECK(Extended(-1, -1e-20) < Extended(-1));
  CHECK_FALSE(Extended(1, 1e-20) == Extended(1));
  CHECK(double(abs(Extended(-2, 1e-20)) - 2) == -1e-20);
}

TEST_CASE("nodes and weights have 30 digits, and opposite ones' are the same to the bit") {
  struct Known {
    Extended found, exact;
  };
  const auto five = gauss(5), sixteen = gauss(16), six = lobatto(6);
  const std::array<Known, 9> all{{
      {five.nodes[0], {0.046910077030668004, -6.708649580599991e-19}},
      {five.weights[0], {0.11846344252809454, 1.3074527819438207e-18}},
      {sixteen.nodes[3], {0.12229779582249849, -3.742755139400722e-18}},
      {sixteen.weights[3], {0.06231448562776694, -2.4207649011602476e-18}},
      {sixteen.nodes[9], {0.6408017753896295, -1.0979395626296066e-18}},
      {sixteen.weights[9], {0.09130170752246179, 2.5451132554526036e-18}},
      {six.nodes[2], {0.3573842417596775, -2.7134939026528326e-17}},
      {six.weights[2], {0.2774291885177432, 1.6062520684142326e-18}},
      {chebyshev_lobatto_nodes(16)[5], {-0.5555702330196022, -4.709410940561677e-17}},
  }};
  for (const auto& [found, exact] : all) CHECK(error(found, exact) < 1e-30);
  CHECK(error(double(five.nodes[0]), all[0].exact) > 1e-18);  // the control: rounded to a double
  for (int s = 1; s <= 16; ++s) {
    const auto rule = gauss(s);
    for (int i = 0; i < s; ++i) {
      CHECK(double(rule.nodes[i] - 0.5) == -double(rule.nodes[s - 1 - i] - 0.5));
      CHECK(rule.weights[i] == rule.weights[s - 1 - i]);
    }
  }
}
