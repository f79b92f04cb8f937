// SPDX-License-Identifier: BSD-3-Clause
// Philox4x32-10 against the known answers that its authors publish with their Random123 (kat_vectors), and
// the distributions that are made of it.
#include <cmath>

#include "catch.hpp"
#include "numerics/random.hpp"

using namespace cotangent::numerics;

TEST_CASE("Philox4x32-10 gives the known answers of Random123") {
  using Counter = std::array<std::uint32_t, 4>;
  CHECK(philox({0, 0, 0, 0}, {0, 0}) == Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

TEST_CASE("seed, stream and draw are Philox' key and counter, their low words first") {
  const auto u = uniforms(0x299f31d0a4093822u, 0x85a308d3243f6a88u, 0x0370734413198a2eu);
  CHECK(u[0] == (static_cast<double>(0xd16cfe0994fdccebu >> 11) + 0.5) * 0x1p-53);
  CHECK(u[1] == (static_cast<double>(0x5001e42024126ea1u >> 11) + 0.5) * 0x1p-53);
  CHECK(uniform(3, 5, 14) == uniforms(3, 5, 7)[0]);
  CHECK(uniform(3, 5, 15) == uniforms(3, 5, 7)[1]);
}

TEST_CASE("uniform and normal numbers have their moments, across draws as across streams") {
  constexpr int count = 100000;
  for (const bool streams : {false, true}) {
    // Means of x, x^2, x^4 and of a product of neighbours; each within five of its standard deviations.
    double uniform_mean = 0, uniform_square = 0, mean = 0, square = 0, fourth = 0, product = 0, last = 0;
    for (std::uint64_t k = 0; k < count; ++k) {
      const std::uint64_t stream = streams ? k : 7, draw = streams ? 7 : k;
      const double u = uniform(11, stream, draw);
      uniform_mean += u / count;
      uniform_square += u * u / count;
      for (const double x : normals(11, stream, draw)) {
        mean += x / (3 * count);
        square += x * x / (3 * count);
        fourth += x * x * x * x / (3 * count);
        product += x * last / (3 * count);
        last = x;
      }
    }
    const double one = 5 / std::sqrt(1.0 * count), third = one / std::sqrt(3.0);
    CHECK(std::abs(uniform_mean - 0.5) < one * std::sqrt(1.0 / 12));
    CHECK(std::abs(uniform_square - 1.0 / 3) < one * std::sqrt(4.0 / 45));
    CHECK(std::abs(mean) < third);
    CHECK(std::abs(square - 1) < third * std::sqrt(2.0));
    CHECK(std::abs(fourth - 3) < third * std::sqrt(96.0));
    CHECK(std::abs(product) < third);
  }
}
