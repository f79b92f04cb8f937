// Points in memory as rows of four doubles, x y z and one without meaning, and as lanes: a row is one load
// wherever it lies, and eight of them make lanes of x, y and z by a few shuffles, where gathers would take a
// load for each number.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/lanes.hpp"

namespace cotangent::numerics {

/// A mask's truth values as the bits of a number, lane 0 lowest.
template <int W>
[[gnu::always_inline]] inline unsigned bits(Mask<W> mask) {
#if defined(__AVX512DQ__)
  if constexpr (W == 8) return _mm512_movepi64_mask((__m512i)mask.bits);
#endif
  unsigned result = 0;
  for (int k = 0; k < W; ++k) result |= static_cast<unsigned>(mask[k]) << k;
  return result;
}

namespace detail {
#if defined(__AVX512F__)
/// Lanes of x, y, z from rows; row(k) is where the k-th begins.
template <class Row>
[[gnu::always_inline]] inline std::array<Lanes<8>, 3> transposed_rows(const Row& row) {
  // Pairs of rows so chosen that the last shuffle leaves all in order.
  const auto pair = [&](int a, int b) {
    return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_loadu_pd(row(a))), _mm256_loadu_pd(row(b)), 1);
  };
  const __m512d r0 = pair(0, 2), r1 = pair(1, 3), r2 = pair(4, 6), r3 = pair(5, 7);
  const __m512d xz0 = _mm512_unpacklo_pd(r0, r1), xz1 = _mm512_unpacklo_pd(r2, r3);
  const __m512d y0 = _mm512_unpackhi_pd(r0, r1), y1 = _mm512_unpackhi_pd(r2, r3);
  using V = Lanes<8>::Vector;
  return {Lanes<8>((V)_mm512_shuffle_f64x2(xz0, xz1, 0x88)), Lanes<8>((V)_mm512_shuffle_f64x2(y0, y1, 0x88)),
          Lanes<8>((V)_mm512_shuffle_f64x2(xz0, xz1, 0xdd))};
}
#endif
template <int W, class Row>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows(const Row& row) {
  if constexpr (W > native_width) {
    const auto low = rows<W / 2>(row), high = rows<W / 2>([&](int k) { return row(k + W / 2); });
    return {Lanes<W>(low[0], high[0]), Lanes<W>(low[1], high[1]), Lanes<W>(low[2], high[2])};
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) return transposed_rows(row);
#endif
    std::array<Lanes<W>, 3> x;
    for (int k = 0; k < W; ++k) {
      for (int n = 0; n < 3; ++n) x[static_cast<std::size_t>(n)].set(k, row(k)[n]);
    }
    return x;
  }
}
}  // namespace detail

/// W rows in turn.
template <int W>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows_of_four(const double* first) {
  return detail::rows<W>([=](int k) { return first + 4 * k; });
}
/// The rows of these numbers.
template <int W>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows_of_four(const double* base,
                                                                   const std::int32_t* number) {
  return detail::rows<W>([=](int k) { return base + 4 * static_cast<std::int64_t>(number[k]); });
}
/// Writes W rows in turn.
template <int W>
[[gnu::always_inline]] inline void store_rows_of_four(const std::array<Lanes<W>, 3>& x, double* first) {
  if constexpr (W > native_width) {
    store_rows_of_four<W / 2>({x[0].low, x[1].low, x[2].low}, first);
    store_rows_of_four<W / 2>({x[0].high, x[1].high, x[2].high}, first + 2 * W);
    return;
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) {
      const __m512d z = (__m512d)x[2].v;
      const __m512d xy0 = _mm512_unpacklo_pd((__m512d)x[0].v, (__m512d)x[1].v), z0 = _mm512_unpacklo_pd(z, z);
      const __m512d xy1 = _mm512_unpackhi_pd((__m512d)x[0].v, (__m512d)x[1].v), z1 = _mm512_unpackhi_pd(z, z);
      const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                    high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
      const auto put = [&](__m512d xy, __m512d zz, __m512i which, int a, int b) {
        const __m512d rows = _mm512_permutex2var_pd(xy, which, zz);
        _mm256_storeu_pd(first + 4 * a, _mm512_castpd512_pd256(rows));
        _mm256_storeu_pd(first + 4 * b, _mm512_extractf64x4_pd(rows, 1));
      };
      put(xy0, z0, low, 0, 2);
      put(xy1, z1, low, 1, 3);
      put(xy0, z0, high, 4, 6);
      put(xy1, z1, high, 5, 7);
      return;
    }
#endif
    for (int k = 0; k < W; ++k) {
      for (int n = 0; n < 3; ++n) first[4 * k + n] = x[static_cast<std::size_t>(n)][k];
    }
  }
}

}  // namespace cotangent::numerics
