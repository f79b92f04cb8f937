// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/polynomials.hpp"

#include <utility>

namespace cotangent::numerics {

namespace {

/// P_n and its derivative at x in (-1, 1).
std::pair<Extended, Extended> legendre_with_derivative(int n, Extended x) {
  const auto p = legendre(n, x);
  return {p[n], n == 0 ? 0 : n * (x * p[n] - p[n - 1]) / (x * x - 1)};
}

/// Binomial coefficients of 0 to n: Pascal's triangle.
std::vector<std::vector<Extended>> binomials(int n) {
  std::vector<std::vector<Extended>> rows{{1}};
  for (int row = 1; row <= n; ++row) {
    const auto& above = rows.back();
    std::vector<Extended> next(row + 1, 1);
    for (int k = 1; k < row; ++k) next[k] = above[k - 1] + above[k];
    rows.push_back(std::move(next));
  }
  return rows;
}

/// Solves for the matrix X in V X = B by Gaussian elimination with pivoting.
ExtendedMatrix solve(ExtendedMatrix v, ExtendedMatrix b) {
  const int n = v.rows;
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (abs(v(i, k)) > abs(v(pivot, k))) pivot = i;
    }
    for (int j = 0; j < n; ++j) std::swap(v(k, j), v(pivot, j));
    for (int j = 0; j < b.columns; ++j) std::swap(b(k, j), b(pivot, j));
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const Extended factor = v(i, k) / v(k, k);
      for (int j = k; j < n; ++j) v(i, j) -= factor * v(k, j);
      for (int j = 0; j < b.columns; ++j) b(i, j) -= factor * b(k, j);
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < b.columns; ++j) b(i, j) /= v(i, i);
  }
  return b;
}

/// Coefficients of the integral from 0, in shifted Legendre polynomials, of a series in them.
std::vector<Extended> integral_of_series(const std::vector<Extended>& series) {
  std::vector<Extended> result(series.size() + 1, 0);
  for (std::size_t k = 0; k < series.size(); ++k) {
    // int_0^x P_k(2 y - 1) dy = (P_{k+1} - P_{k-1}) / (2 (2 k + 1)); for k = 0 it is (P_1 + P_0) / 2.
    const Extended half = series[k] / (2 * (2 * Extended(k) + 1));
    result[k + 1] += half;
    if (k == 0) {
      result[0] += half;
    } else {
      result[k - 1] -= half;
    }
  }
  return result;
}

/// Values of a series in shifted Legendre polynomials.
Extended series_at(const std::vector<Extended>& series, Extended x) {
  const auto p = legendre(static_cast<int>(series.size()) - 1, 2 * x - 1);
  Extended sum = 0;
  for (std::size_t k = 0; k < series.size(); ++k) sum += series[k] * p[k];
  return sum;
}

}  // namespace

ExtendedMatrix operator*(const ExtendedMatrix& a, const ExtendedMatrix& b) {
  ExtendedMatrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.columns; ++k) {
      for (int j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}

std::vector<Extended> legendre(int n, Extended x) {
  std::vector<Extended> p{1};
  if (n > 0) p.push_back(x);
  for (int m = 1; m < n; ++m) {
    const auto k = static_cast<Extended>(m);
    p.push_back(((2 * k + 1) * x * p[m] - k * p[m - 1]) / (k + 1));
  }
  return p;
}

Quadrature gauss(int s) {
  Quadrature rule{std::vector<Extended>(s), std::vector<Extended>(s)};
  for (int i = 0; i < s; ++i) {
    Extended x = sin(extended_pi * (4 * i + 2 - 2 * s) / (4 * s + 2));
    for (int iteration = 0; iteration < 8; ++iteration) {
      const auto [value, slope] = legendre_with_derivative(s, x);
      x -= value / slope;
    }
    const Extended slope = legendre_with_derivative(s, x).second;
    rule.nodes[i] = (1 + x) / 2;
    rule.weights[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return rule;
}

Quadrature lobatto(int n) {
  Quadrature rule{std::vector<Extended>(n), std::vector<Extended>(n)};
  const int m = n - 1;
  for (int i = 0; i < n; ++i) {
    Extended x = i == 0 ? -1 : i == m ? 1 : sin(extended_pi * (2 * i - m) / (2 * m));
    if (i > 0 && i < m) {
      for (int iteration = 0; iteration < 12; ++iteration) {
        // Newton on P_m', whose derivative follows from Legendre's equation.
        const auto [value, slope] = legendre_with_derivative(m, x);
        const Extended curvature = (2 * x * slope - m * (m + 1) * value) / (1 - x * x);
        x -= slope / curvature;
      }
    }
    const Extended value = legendre(m, x)[m];
    rule.nodes[i] = (1 + x) / 2;
    rule.weights[i] = 1 / (m * (m + 1) * value * value);
  }
  return rule;
}

std::vector<Extended> chebyshev_lobatto_nodes(int K) {
  std::vector<Extended> nodes(K + 1);
  for (int k = 0; k <= K; ++k) nodes[k] = sin(extended_pi * (2 * k - K) / (2 * K));  // exactly antisymmetric
  return nodes;
}

ExtendedMatrix differentiation_matrix(const std::vector<Extended>& nodes) {
  const int n = static_cast<int>(nodes.size());
  std::vector<Extended> weight(n, 1);  // barycentric
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      if (k != j) weight[j] /= nodes[j] - nodes[k];
    }
  }
  ExtendedMatrix d(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      if (i == j) continue;
      d(i, j) = weight[j] / (weight[i] * (nodes[i] - nodes[j]));
      d(i, i) -= d(i, j);
    }
  }
  return d;
}

ExtendedMatrix chebyshev_differentiation_matrix(int K) {
  const auto x = chebyshev_lobatto_nodes(K);
  const auto p = [K](int i) { return i == 0 || i == K ? Extended(2) : Extended(1); };
  ExtendedMatrix d(K + 1, K + 1);
  for (int i = 0; i <= K; ++i) {
    for (int j = 0; j <= K; ++j) {
      if (i != j) {
        d(i, j) = ((i + j) % 2 == 0 ? 1 : -1) * p(i) / (p(j) * (x[i] - x[j]));
      } else if (i == 0 || i == K) {
        d(i, i) = (i == 0 ? -1 : 1) * (1 + 2 * Extended(K) * K) / 6;
      } else {
        d(i, i) = -x[i] / (2 * (1 - x[i] * x[i]));
      }
    }
  }
  return d;
}

ExtendedMatrix legendre_coefficients(const std::vector<Extended>& nodes) {
  const int s = static_cast<int>(nodes.size());
  ExtendedMatrix vandermonde(s, s), identity(s, s);
  for (int i = 0; i < s; ++i) {
    const auto p = legendre(s - 1, 2 * nodes[i] - 1);
    for (int k = 0; k < s; ++k) vandermonde(i, k) = p[k];
    identity(i, i) = 1;
  }
  return solve(vandermonde, identity);
}

ExtendedMatrix integration_matrix(const std::vector<Extended>& nodes) {
  const int s = static_cast<int>(nodes.size());
  const ExtendedMatrix coefficients = legendre_coefficients(nodes);
  ExtendedMatrix a(s + 1, s);
  for (int j = 0; j < s; ++j) {
    std::vector<Extended> series(s);
    for (int k = 0; k < s; ++k) series[k] = coefficients(k, j);
    const auto integral = integral_of_series(series);
    for (int i = 0; i < s; ++i) a(i, j) = series_at(integral, nodes[i]);
    a(s, j) = series_at(integral, 1);
  }
  return a;
}

ExtendedMatrix bernstein_of_integral(const std::vector<Extended>& nodes, int m, int d) {
  const int s = static_cast<int>(nodes.size());
  const ExtendedMatrix coefficients = legendre_coefficients(nodes);
  const auto binomial = binomials(d);
  ExtendedMatrix result(d + 1, s);
  for (int j = 0; j < s; ++j) {
    std::vector<Extended> series(s);
    for (int k = 0; k < s; ++k) series[k] = coefficients(k, j);
    for (int fold = 0; fold < m; ++fold) series = integral_of_series(series);
    for (std::size_t n = 0; n < series.size(); ++n) {
      // P_n(2 x - 1) = sum_i (-1)^(n+i) C(n, i) B_i^n(x) (Farouki 2000), then raised to degree d.
      const int degree = static_cast<int>(n);
      for (int i = 0; i <= degree; ++i) {
        const Extended b = ((degree + i) % 2 == 0 ? 1 : -1) * binomial[degree][i] * series[n];
        for (int k = i; k <= d - degree + i; ++k) {
          result(k, j) += b * binomial[degree][i] * binomial[d - degree][k - i] / binomial[d][k];
        }
      }
    }
  }
  return result;
}

}  // namespace cotangent::numerics
