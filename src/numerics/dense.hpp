// SPDX-License-Identifier: BSD-3-Clause
// Small dense linear algebra over any real type: in lanes, each lane pivots for itself.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "numerics/lanes.hpp"

namespace cotangent::numerics {

template <class R, int N>
using Vector = std::array<R, N>;
template <class R, int N>
using Matrix = std::array<std::array<R, N>, N>;

inline double absolute(double x) {
  return x < 0 ? -x : x;
}
template <int W>
Lanes<W> absolute(Lanes<W> x) {
  return abs(x);
}
inline double larger(double a, double b) {
  return a > b ? a : b;
}
template <int W>
Lanes<W> larger(Lanes<W> a, Lanes<W> b) {
  return max(a, b);
}

inline double lesser(double a, double b) {
  return a < b ? a : b;
}
template <int W>
Lanes<W> lesser(Lanes<W> a, Lanes<W> b) {
  return min(a, b);
}

/// Solves A x = b in place of b by Gaussian elimination with partial pivoting, for any random-access
/// matrix a[i][j] and vector b[i] of size n; a is overwritten. A singular lane ends up non-finite.
template <class R, class M, class V>
void solve_in_place(int n, M& a, V& b) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      const auto exchange = absolute(a[i][k]) > absolute(a[k][k]);
      if (!any(exchange)) continue;
      for (int j = k; j < n; ++j) {
        const R upper = a[k][j];
        a[k][j] = select(exchange, a[i][j], upper);
        a[i][j] = select(exchange, upper, a[i][j]);
      }
      const R upper = b[k];
      b[k] = select(exchange, b[i], upper);
      b[i] = select(exchange, upper, b[i]);
    }
    const R reciprocal = R(1.0) / a[k][k];
    for (int i = k + 1; i < n; ++i) {
      const R factor = a[i][k] * reciprocal;
      for (int j = k + 1; j < n; ++j) a[i][j] = fma(-factor, a[k][j], a[i][j]);
      b[i] = fma(-factor, b[k], b[i]);
    }
    a[k][k] = reciprocal;
  }
  for (int k = n - 1; k >= 0; --k) {
    for (int j = k + 1; j < n; ++j) b[k] = fma(-a[k][j], b[j], b[k]);
    b[k] = b[k] * a[k][k];
  }
}

/// The solution of A x = b for N x N.
template <class R, int N>
Vector<R, N> solve(Matrix<R, N> a, Vector<R, N> b) {
  solve_in_place<R>(N, a, b);
  return b;
}

/// The solution of A X = B, column by column.
template <class R, int N>
Matrix<R, N> solve(const Matrix<R, N>& a, const Matrix<R, N>& b) {
  Matrix<R, N> x;
  for (int j = 0; j < N; ++j) {
    Vector<R, N> column;
    for (int i = 0; i < N; ++i) column[i] = b[i][j];
    column = solve<R, N>(a, column);
    for (int i = 0; i < N; ++i) x[i][j] = column[i];
  }
  return x;
}
template <class R, int N>
Matrix<R, N> inverse(const Matrix<R, N>& a) {
  Matrix<R, N> unit{};
  for (int i = 0; i < N; ++i) unit[i][i] = R(1.0);
  return solve<R, N>(a, unit);
}

/// The inverse of a complex matrix (real and imaginary parts), by Gauss-Jordan without pivoting: for
/// matrices near a positive definite one. A singular lane ends up non-finite.
template <class R, int N>
void invert_complex(Matrix<R, N>& re, Matrix<R, N>& im) {
  for (int k = 0; k < N; ++k) {
    const R scale = R(1.0) / fma(re[k][k], re[k][k], im[k][k] * im[k][k]);
    const R pr = re[k][k] * scale, pi = -(im[k][k] * scale);
    re[k][k] = R(1.0);
    im[k][k] = R(0.0);
    for (int j = 0; j < N; ++j) {
      const R xr = re[k][j], xi = im[k][j];
      re[k][j] = fma(pr, xr, -(pi * xi));
      im[k][j] = fma(pr, xi, pi * xr);
    }
    for (int i = 0; i < N; ++i) {
      if (i == k) continue;
      const R fr = re[i][k], fi = im[i][k];
      re[i][k] = R(0.0);
      im[i][k] = R(0.0);
      for (int j = 0; j < N; ++j) {
        re[i][j] = fma(fi, im[k][j], fma(-fr, re[k][j], re[i][j]));
        im[i][j] = fma(-fi, re[k][j], fma(-fr, im[k][j], im[i][j]));
      }
    }
  }
}

}  // namespace cotangent::numerics
