// SPDX-License-Identifier: BSD-3-Clause
// Points in memory as rows of four doubles, x y z and one without meaning, and as lanes: a row is one load
// wherever it lies, and eight of them make lanes of x, y and z by a few shuffles, where gathers would take a
// load for each number.
#pragma once

#include <array>
#include <cstdint>

#include "numerics/lanes.hpp"

namespace cotangent::numerics {

namespace detail {
using Row4 = Register<4>::Doubles;
using Row8 = Register<8>::Doubles;

inline Row4 load_row(const double* from) {
  Row4 row;
  __builtin_memcpy(&row, from, sizeof row);
  return row;
}

inline Row8 load_rows(const double* low, const double* high) {
#if defined(__AVX512F__)
  // Loads the second row into its half: GCC would load it alone and shuffle. Masked, by a mask of all, since
  // GCC 12 warns of what its own header leaves undefined otherwise.
  return (Row8)_mm512_maskz_insertf64x4(0xff, _mm512_castpd256_pd512(_mm256_loadu_pd(low)),
                                        _mm256_loadu_pd(high), 1);
#else
  return __builtin_shufflevector(load_row(low), load_row(high), 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

/// Lanes of x, y, z from eight rows; row(k) is where the k-th begins.
template <class Pack, class Row>
[[gnu::always_inline]] inline std::array<Pack, 3> transposed_rows(const Row& row) {
  // Pairs of rows so chosen that the last shuffle leaves all in order.
  const auto pair = [&](int a, int b) __attribute__((always_inline)) {
    return load_rows(row(a), row(b));
  };
  const auto even = [](Row8 a, Row8 b) { return __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14); };
  const auto odd = [](Row8 a, Row8 b) { return __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15); };
  const Row8 r0 = pair(0, 2), r1 = pair(1, 3), r2 = pair(4, 6), r3 = pair(5, 7);
  const Row8 xz0 = even(r0, r1), xz1 = even(r2, r3), y0 = odd(r0, r1), y1 = odd(r2, r3);
  return {Pack(__builtin_shufflevector(xz0, xz1, 0, 1, 4, 5, 8, 9, 12, 13)),
          Pack(__builtin_shufflevector(y0, y1, 0, 1, 4, 5, 8, 9, 12, 13)),
          Pack(__builtin_shufflevector(xz0, xz1, 2, 3, 6, 7, 10, 11, 14, 15))};
}
template <int W, class Row>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows(const Row& row) {
  if constexpr (W > native_width) {
    const auto low = rows<W / 2>(row), high = rows<W / 2>([&](int k) { return row(k + W / 2); });
    return {Lanes<W>(low[0], high[0]), Lanes<W>(low[1], high[1]), Lanes<W>(low[2], high[2])};
  } else if constexpr (W == 8) {
    return transposed_rows<Lanes<W>>(row);
  } else {
    std::array<Lanes<W>, 3> x;
    for (int k = 0; k < W; ++k) {
      for (int n = 0; n < 3; ++n) x[static_cast<std::size_t>(n)].set(k, row(k)[n]);
    }
    return x;
  }
}
}  // namespace detail

/// x, y and z of W rows of four doubles, one behind the other from `first` on.
template <int W>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows_of_four(const double* first) {
  return detail::rows<W>([=](int k) { return first + 4 * k; });
}
/// The same of rows that begin offset[k] doubles behind the base, k = 0 ... W - 1.
template <int W>
[[gnu::always_inline]] inline std::array<Lanes<W>, 3> rows_of_four(const double* base,
                                                                   const std::uint32_t* offset) {
  return detail::rows<W>([=](int k) { return base + offset[k]; });
}
/// Writes W rows of four, one behind the other.
template <int W>
[[gnu::always_inline]] inline void store_rows_of_four(const std::array<Lanes<W>, 3>& x, double* first) {
  if constexpr (W > native_width) {
    store_rows_of_four<W / 2>({x[0].low, x[1].low, x[2].low}, first);
    store_rows_of_four<W / 2>({x[0].high, x[1].high, x[2].high}, first + 2 * W);
  } else if constexpr (W == 8) {
    const detail::Row8 a = x[0].v, b = x[1].v, c = x[2].v;
    const detail::Row8 xy0 = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14),
                       xy1 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),
                       z0 = __builtin_shufflevector(c, c, 0, 0, 2, 2, 4, 4, 6, 6),
                       z1 = __builtin_shufflevector(c, c, 1, 1, 3, 3, 5, 5, 7, 7);
    const auto put = [&](detail::Row8 rows, int first_row, int second_row) __attribute__((always_inline)) {
      const detail::Row4 low = __builtin_shufflevector(rows, rows, 0, 1, 2, 3),
                         high = __builtin_shufflevector(rows, rows, 4, 5, 6, 7);
      __builtin_memcpy(first + 4 * first_row, &low, sizeof low);
      __builtin_memcpy(first + 4 * second_row, &high, sizeof high);
    };
    put(__builtin_shufflevector(xy0, z0, 0, 1, 8, 9, 2, 3, 10, 11), 0, 2);
    put(__builtin_shufflevector(xy1, z1, 0, 1, 8, 9, 2, 3, 10, 11), 1, 3);
    put(__builtin_shufflevector(xy0, z0, 4, 5, 12, 13, 6, 7, 14, 15), 4, 6);
    put(__builtin_shufflevector(xy1, z1, 4, 5, 12, 13, 6, 7, 14, 15), 5, 7);
  } else {
    for (int k = 0; k < W; ++k) {
      for (int n = 0; n < 3; ++n) first[4 * k + n] = x[static_cast<std::size_t>(n)][k];
    }
  }
}

}  // namespace cotangent::numerics
