// SPDX-License-Identifier: BSD-3-Clause
// Random numbers without a state: functions of a seed, a name and a counter, so that whoever draws them gets
// the same, wherever and in whatever order. Philox 4x32-10, and Box-Muller's normals from it.
// Reference: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cotangent::numerics {

/// Four words from the counter (name, draw), under a key.
inline std::array<std::uint32_t, 4> philox(std::uint64_t seed, std::uint64_t name, std::uint64_t draw) {
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  std::array<std::uint32_t, 4> x{low(name), high(name), low(draw), high(draw)};
  std::uint32_t k0 = low(seed), k1 = high(seed);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0], b = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {high(b) ^ x[1] ^ k0, low(b), high(a) ^ x[3] ^ k1, low(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x;
}

/// Two numbers uniform in (0, 1), of 53 bits.
inline std::array<double, 2> uniforms(std::uint64_t seed, std::uint64_t name, std::uint64_t draw) {
  const auto x = philox(seed, name, draw);
  const auto join = [](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t bits = (std::uint64_t{a} << 32 | b) >> 11;
    return (static_cast<double>(bits) + 0.5) * 0x1p-53;
  };
  return {join(x[0], x[1]), join(x[2], x[3])};
}

/// Three independent normal numbers of mean 0 and variance 1.
inline std::array<double, 3> normals(std::uint64_t seed, std::uint64_t name, std::uint64_t draw) {
  const auto u = uniforms(seed, name, 2 * draw), w = uniforms(seed, name, 2 * draw + 1);
  const double r = std::sqrt(-2 * std::log(u[0])), s = std::sqrt(-2 * std::log(w[0]));
  const double angle = 2 * std::numbers::pi * u[1];
  return {r * std::cos(angle), r * std::sin(angle), s * std::cos(2 * std::numbers::pi * w[1])};
}

}  // namespace cotangent::numerics
