// SPDX-License-Identifier: BSD-3-Clause
// Nodes and matrices of collocation: exactness on every polynomial they promise, and the signs.
// Control: the matrix as printed in V. P. Chan, The design, implementation, and applications of a novel
// numerical solver: the Lagrangian solver (master's thesis, OIST, 2018).
#include <cmath>

#include "catch.hpp"
#include "numerics/polynomials.hpp"

using namespace cotangent::numerics;

namespace {
Extended power(Extended x, int n) {
  Extended result = 1;
  for (int i = 0; i < n; ++i) result *= x;
  return result;
}
}  // namespace

TEST_CASE("the Chebyshev differentiation matrix differentiates x^m, forwards in time") {
  for (int K = 1; K <= 16; ++K) {
    const auto x = chebyshev_lobatto_nodes(K);
    for (const auto& d : {chebyshev_differentiation_matrix(K), differentiation_matrix(x)}) {
      Extended worst = 0;
      for (int m = 0; m <= K; ++m) {
        for (int i = 0; i <= K; ++i) {
          Extended sum = 0;
          for (int j = 0; j <= K; ++j) sum += d(i, j) * power(x[j], m);
          worst = std::max(worst, abs(sum - (m == 0 ? 0 : m * power(x[i], m - 1))));
        }
      }
      CHECK(double(worst) < 1e-28);
    }
  }
  const auto d = chebyshev_differentiation_matrix(2);
  const double expected[3][3] = {{-1.5, 2, -.5}, {-.5, 0, .5}, {.5, -2, 1.5}};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) CHECK(double(d(i, j)) == within(expected[i][j], 1e-15));
  }
}

TEST_CASE("the matrix as Chan (2018) prints it (3.14) differentiates nothing: the control") {
  const int K = 8;
  const auto x = chebyshev_lobatto_nodes(K);
  Extended worst_row_sum = 0;
  for (int i = 0; i <= K; ++i) {
    Extended sum = 0;
    for (int j = 0; j <= K; ++j) {
      const Extended pi = i == 0 || i == K ? 2 : 1, pj = j == 0 || j == K ? 2 : 1;
      if (i != j)
        sum += ((i + j) % 2 ? -1 : 1) * pi / (pj * (x[j] - x[i]));
      else if (i == 0)
        sum -= (1 + 2 * Extended(K) * K) / 6;
      else if (i == K)
        sum += (1 + 2 * Extended(K) * K) / 6;
      else
        sum += x[i] / (2 * (1 - x[i] * x[i]));
    }
    worst_row_sum = std::max(worst_row_sum, abs(sum));
  }
  CHECK(double(worst_row_sum) == within((2.0 * K * K + 1) / 3, 1e-13));  // 43
}

TEST_CASE("Gauss and Lobatto rules integrate to their degree and no further") {
  for (int s = 1; s <= 16; ++s) {
    const auto rule = gauss(s);
    for (int m = 0; m <= 2 * s; ++m) {
      Extended sum = 0;
      for (int i = 0; i < s; ++i) sum += rule.weights[i] * power(rule.nodes[i], m);
      const Extended error = abs(sum * (m + 1) - 1);
      if (m < 2 * s)
        CHECK(double(error) < 1e-30);
      else if (s < 8)
        CHECK(double(error) > 1e-10);
    }
  }
  for (int n = 2; n <= 14; ++n) {
    const auto rule = lobatto(n);
    CHECK(rule.nodes.front() == 0);
    CHECK(rule.nodes.back() == 1);
    for (int m = 0; m <= 2 * n - 3; ++m) {
      Extended sum = 0;
      for (int i = 0; i < n; ++i) sum += rule.weights[i] * power(rule.nodes[i], m);
      CHECK(double(abs(sum * (m + 1) - 1)) < 1e-30);
    }
  }
}

TEST_CASE("integration matrices and Bernstein coefficients reproduce integrals of powers") {
  for (int s : {1, 2, 5, 8, 12, 16}) {
    const auto c = gauss(s).nodes;
    const auto a = integration_matrix(c);
    for (int m = 0; m < s; ++m) {
      for (int i = 0; i <= s; ++i) {
        const Extended end = i < s ? c[i] : 1;
        Extended sum = 0;
        for (int j = 0; j < s; ++j) sum += a(i, j) * power(c[j], m);
        CHECK(double(abs(sum - power(end, m + 1) / (m + 1))) < 1e-30);
      }
      const auto bernstein = bernstein_of_integral(c, 2, s + 1);
      // x^(m+2) / ((m+1)(m+2)) has Bernstein coefficients C(k, m+2) / C(d, m+2) / ((m+1)(m+2)).
      for (int k = 0; k <= s + 1; ++k) {
        Extended sum = 0, expected = 1;
        for (int j = 0; j < s; ++j) sum += bernstein(k, j) * power(c[j], m);
        for (int i = 0; i < m + 2; ++i) expected *= Extended(k - i) / (s + 1 - i);
        CHECK(double(abs(sum - expected / ((m + 1) * (m + 2)))) < 1e-28);
      }
    }
  }
}
