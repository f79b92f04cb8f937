// SPDX-License-Identifier: BSD-3-Clause
// Series in Legendre polynomials, their slopes and integrals, against the polynomials in extended precision.
#include <cmath>

#include "catch.hpp"
#include "numerics/legendre.hpp"
#include "numerics/polynomials.hpp"

using namespace cotangent::numerics;

namespace {
constexpr int terms = 18;

/// Coefficients of two series that don't decay.
std::array<std::array<double, 2>, terms> coefficients() {
  std::array<std::array<double, 2>, terms> g;
  for (int k = 0; k < terms; ++k) g[k] = {std::cos(3.0 * k * k), std::sin(2.0 + 5.0 * k)};
  return g;
}
}  // namespace

TEST_CASE("series in Legendre polynomials have their values and slopes") {
  const auto g = coefficients();
  for (const double x : {0.0, 0.1, 0.37, 0.5, 0.93, 1.0, 1.2}) {
    const Extended z = 2 * Extended(x) - 1;
    const auto p = legendre(terms, z);
    Extended before = 0, slope = 0, values[2]{}, slopes[2]{}, size = 1;
    for (int k = 0; k < terms; ++k) {
      for (int n = 0; n < 2; ++n) {
        values[n] += g[k][n] * p[k];
        slopes[n] += 2 * g[k][n] * slope;
      }
      size += abs(p[k]) + abs(2 * slope);
      const Extended after = before + (2 * k + 1) * p[k];  // P'_{k+1} = P'_{k-1} + (2 k + 1) P_k
      before = slope;
      slope = after;
    }
    const auto alone = legendre_series<double, 2>(terms, g.data(), x);
    const auto both = legendre_series_and_slope<double, 2>(terms, g.data(), x);
    for (int n = 0; n < 2; ++n) {
      CHECK(double(abs(alone[n] - values[n]) / size) < 4e-16);
      CHECK(double(abs(both.value[n] - values[n]) / size) < 4e-16);
      CHECK(double(abs(both.slope[n] - slopes[n]) / size) < 4e-16);
    }
  }
}

TEST_CASE("a series at many points has the bits of the same at each, in lanes as in doubles") {
  const auto g = coefficients();
  using R = Lanes<4>;
  std::array<std::array<R, 2>, terms> wide;
  for (int k = 0; k < terms; ++k) wide[k] = {R(g[k][0]), R(g[k][1])};
  const std::vector<double> c{0.05, 0.2, 0.3, 0.55, 0.6, 0.8, 0.97};
  std::array<std::array<R, 2>, 7> out;
  R ratio(0.5);
  for (int lane = 0; lane < 4; ++lane) ratio.set(lane, 0.5 + 0.3 * lane);
  legendre_series<R, 2>(terms, wide.data(), c, R(1.0), ratio, out.data());
  bool same = true;
  for (int i = 0; i < 7; ++i) {
    for (int lane = 0; lane < 4; ++lane) {
      const auto one = legendre_series<double, 2>(terms, g.data(), cotangent::fma(ratio[lane], c[i], 1.0));
      for (int n = 0; n < 2; ++n) same = same && one[n] == out[i][n][lane];
    }
  }
  CHECK(same);
}

TEST_CASE("integrals of Legendre polynomials are those of a quadrature that is exact for them") {
  const auto rule = gauss(terms / 2);  // exact to degree 17
  for (const double x : {0.0, 0.25, 0.5, 0.81, 1.0}) {
    const auto found = legendre_integrals<double, terms>(terms - 1, x);
    for (int k = 0; k < terms; ++k) {
      Extended sum = 0;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i)
        sum += x * rule.weights[i] * legendre(k, 2 * x * rule.nodes[i] - 1)[k];
      CHECK(double(abs(found[k] - sum)) < 1e-16);
    }
  }
}
