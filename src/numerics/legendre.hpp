// SPDX-License-Identifier: BSD-3-Clause
// Legendre polynomials on [0, 1], P_k(2 x - 1), in any real type: series in them, their derivatives and
// integrals, by recurrences (DLMF 18.9). polynomials.hpp has the polynomials in extended precision.
#pragma once

#include <array>
#include <vector>

#include "numerics/lanes.hpp"

namespace cotangent::numerics {

namespace detail {
/// P_{k+1}(z) from P_k(z) and P_{k-1}(z).
template <class R>
[[gnu::always_inline]] inline R next_legendre(int k, const R& z, const R& now, const R& before) {
  return (R(2.0 * k + 1) * (z * now) - R(1.0 * k) * before) * R(1.0 / (k + 1));
}

/// Series at Block points x, their recurrences under way together.
template <class R, int N, int Block>
[[gnu::always_inline]] inline void legendre_series(int terms, const std::array<R, N>* g, const R* x,
                                                   std::array<R, N>* out) {
  std::array<R, Block> z, before, now;
  std::array<std::array<R, N>, Block> sum;
#pragma GCC unroll 8
  for (int i = 0; i < Block; ++i) {
    z[i] = R(2.0) * x[i] - R(1.0);
    before[i] = now[i] = R(1.0);
    for (int n = 0; n < N; ++n) sum[i][n] = g[0][n];
  }
  for (int k = 1; k < terms; ++k) {
    const R rise((2.0 * k - 1) / k), fall((1.0 - k) / k);
#pragma GCC unroll 8
    for (int i = 0; i < Block; ++i) {
      const R after = k == 1 ? z[i] : fma(rise, z[i] * now[i], fall * before[i]);
      before[i] = now[i];
      now[i] = after;
      for (int n = 0; n < N; ++n) sum[i][n] = fma(after, g[k][n], sum[i][n]);
    }
  }
  for (int i = 0; i < Block; ++i) out[i] = sum[i];
}
}  // namespace detail

/// sum_k g_k P_k(2 x - 1), k < terms.
template <class R, int N>
std::array<R, N> legendre_series(int terms, const std::array<R, N>* g, const R& x) {
  std::array<R, N> sum;
  detail::legendre_series<R, N, 1>(terms, g, &x, &sum);
  return sum;
}

/// The same at the points from + ratio c_i, one after the other in `out`.
template <class R, int N>
void legendre_series(int terms, const std::array<R, N>* g, const std::vector<double>& c, const R& from,
                     const R& ratio, std::array<R, N>* out) {
  constexpr int block = N <= 2 ? 4 : 2;
  const int points = static_cast<int>(c.size());
  std::array<R, block> x;
  int i = 0;
  for (; i + block <= points; i += block) {
    for (int k = 0; k < block; ++k) x[k] = fma(ratio, R(c[i + k]), from);
    detail::legendre_series<R, N, block>(terms, g, x.data(), out + i);
  }
  for (; i < points; ++i) out[i] = legendre_series<R, N>(terms, g, fma(ratio, R(c[i]), from));
}

template <class R, int N>
struct ValueAndSlope {
  std::array<R, N> value, slope;
};
/// A series and its derivative by x: P'_{k+1} = P'_{k-1} + (2 k + 1) P_k.
template <class R, int N>
ValueAndSlope<R, N> legendre_series_and_slope(int terms, const std::array<R, N>* g, const R& x) {
  const R z = R(2.0) * x - R(1.0);
  R before(0.0), now(1.0), slope_before(0.0), slope(0.0);
  ValueAndSlope<R, N> sum{};
  for (int k = 0; k < terms; ++k) {
    for (int n = 0; n < N; ++n) {
      sum.value[n] = fma(now, g[k][n], sum.value[n]);
      sum.slope[n] = fma(R(2.0) * slope, g[k][n], sum.slope[n]);
    }
    const R after = detail::next_legendre(k, z, now, before);
    const R slope_after = fma(R(2.0 * k + 1), now, slope_before);
    before = now;
    now = after;
    slope_before = slope;
    slope = slope_after;
  }
  return sum;
}

/// The integrals from 0 to x of P_k(2 y - 1), k = 0 ... n, in an array with room for them.
template <class R, int room>
std::array<R, room> legendre_integrals(int n, const R& x) {
  std::array<R, room> result;
  const R z = R(2.0) * x - R(1.0);
  R before(1.0), now = z;
  result[0] = x;
  for (int k = 1; k <= n; ++k) {
    const R after = detail::next_legendre(k, z, now, before);
    result[k] = (after - before) * R(0.5 / (2 * k + 1));
    before = now;
    now = after;
  }
  return result;
}

// Compiled once for few coordinates, not with each model.
#define COTANGENT_LEGENDRE_SERIES_OF(word, R, N)                                                     \
  word template void legendre_series<R, N>(int, const std::array<R, N>*, const std::vector<double>&, \
                                           const R&, const R&, std::array<R, N>*);
#define COTANGENT_LEGENDRE_SERIES(word, N)                   \
  COTANGENT_LEGENDRE_SERIES_OF(word, double, N)              \
  COTANGENT_LEGENDRE_SERIES_OF(word, Lanes<native_width>, N) \
  COTANGENT_LEGENDRE_SERIES_OF(word, Lanes<2 * native_width>, N)
COTANGENT_LEGENDRE_SERIES(extern, 1)
COTANGENT_LEGENDRE_SERIES(extern, 2)
COTANGENT_LEGENDRE_SERIES(extern, 3)
COTANGENT_LEGENDRE_SERIES(extern, 4)

}  // namespace cotangent::numerics
