// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <random>
#include <vector>

#include "catch.hpp"
#include "numerics/simd_compress.hpp"

using namespace cotangent;

namespace {

/// Of a choice of lanes, for a width that has an instruction of its own and for one that hasn't.
template <int W>
void chosen_words_come_in_turn() {
  std::vector<std::uint64_t> words;
  for (std::uint64_t k = 0; k < W; ++k) words.push_back(1000 + k);
  for (unsigned choice = 0; choice < 1u << W; ++choice) {
    numerics::Mask<W> mask(false);
    std::vector<std::uint64_t> expected;
    for (int k = 0; k < W; ++k) {
      mask.set(k, choice >> k & 1);
      if (choice >> k & 1) expected.push_back(words[static_cast<std::size_t>(k)]);
    }
    std::vector<std::uint64_t> to(W, 0);
    to.resize(numerics::write_chosen(mask, words.data(), to.data()));
    REQUIRE(to == expected);
  }
}

}  // namespace

TEST_CASE("the words of chosen lanes come one after the other") {
  chosen_words_come_in_turn<4>();
  chosen_words_come_in_turn<8>();
}

TEST_CASE("words are sorted by rank as by any other method") {
  std::mt19937_64 random(1);
  for (std::size_t count = 0; count < 100; ++count) {  // from 65 on by the library's method
    std::vector<std::uint64_t> x(count);
    for (auto& word : x) word = random();
    if (count > 1) x[0] = ~std::uint64_t{0};  // what fills up the last register
    auto expected = x;
    std::ranges::sort(expected);
    std::vector<std::uint64_t> sorted(count + 8);
    x.resize(count + 8);
    numerics::sort_by_rank(x.data(), count, sorted.data());
    sorted.resize(count);
    REQUIRE(sorted == expected);
  }
}
