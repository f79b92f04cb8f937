// SPDX-License-Identifier: BSD-3-Clause
// 64-bit words, a register of them at a time: those of chosen lanes written one after the other, and short
// lists sorted. Neither branches on what the words are, which no processor could foretell.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "numerics/lane_pack.hpp"

namespace cotangent::numerics {

/// Writes words[k] for each bit k < W of `lanes` that is set, in turn, to `to`, where there is room for all
/// of them; returns how many there were.
template <int W, class Word>
[[gnu::always_inline]] inline std::size_t write_chosen(unsigned lanes, const Word* words, Word* to) {
  static_assert(sizeof(Word) == 8 && std::is_trivially_copyable_v<Word>);
#if defined(__AVX512F__)
  if constexpr (W == 8) {
    const auto kept = _mm512_maskz_compress_epi64(static_cast<__mmask8>(lanes), _mm512_loadu_si512(words));
    _mm512_storeu_si512(to, kept);
    return static_cast<std::size_t>(std::popcount(lanes));
  }
#endif
  std::size_t count = 0;
  for (int k = 0; k < W; ++k) {
    to[count] = words[k];
    count += lanes >> k & 1;
  }
  return count;
}
/// The same for the lanes that are true.
template <int W, class Word>
[[gnu::always_inline]] inline std::size_t write_chosen(Mask<W> chosen, const Word* words, Word* to) {
  return write_chosen<W>(bits(chosen), words, to);
}

/// Sorts `count` words that differ from one another: each goes to the place that has as many before it as
/// are smaller. Both arrays have room for 8 more; the additional words of x are overwritten. For short
/// lists: the work is quadratic; long ones are sorted as usual.
inline void sort_by_rank(std::uint64_t* x, std::size_t count, std::uint64_t* sorted) {
  constexpr std::size_t W = 8;
  using Words = detail::Register<W>::Words;
  if (count > 8 * W) {
    std::copy_n(x, count, sorted);
    std::sort(sorted, sorted + count);
    return;
  }
  std::fill_n(x + count, W, ~std::uint64_t{0});
  for (std::size_t k = 0; k < count; k += W) {
    Words here, rank{};
    std::memcpy(&here, x + k, sizeof here);
    for (std::size_t other = 0; other < count; ++other) rank -= reinterpret_cast<Words>(x[other] < here);
    for (std::size_t lane = 0; lane < W; ++lane) sorted[rank[lane]] = here[lane];
  }
}

}  // namespace cotangent::numerics
