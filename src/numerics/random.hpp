// SPDX-License-Identifier: BSD-3-Clause
// Random numbers without a state: functions of a seed, a stream (an id: of a trajectory, a particle, a site)
// and the number of the draw, so that whoever draws them gets the same, wherever and in whatever order.
// Philox4x32-10, its key the seed, its counter stream and draw; Box and Muller's normals from it.
// Reference: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3 (SC 2011).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cotangent::numerics {

namespace detail {
inline std::uint32_t high(std::uint64_t x) {
  return static_cast<std::uint32_t>(x >> 32);
}
inline std::uint32_t low(std::uint64_t x) {
  return static_cast<std::uint32_t>(x);
}
}  // namespace detail

/// Philox4x32-10: four random words, a bijection of the counter for each key.
inline std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter,
                                           const std::array<std::uint32_t, 2>& key) {
  using detail::high, detail::low;
  auto x = counter;
  auto [k0, k1] = key;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53u} * x[0], b = std::uint64_t{0xCD9E8D57u} * x[2];
    x = {high(b) ^ x[1] ^ k0, low(b), high(a) ^ x[3] ^ k1, low(a)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return x;
}

/// Two numbers uniform in (0, 1], of 53 bits.
inline std::array<double, 2> uniforms(std::uint64_t seed, std::uint64_t stream, std::uint64_t draw) {
  using detail::high, detail::low;
  const auto x = philox({low(stream), high(stream), low(draw), high(draw)}, {low(seed), high(seed)});
  const auto join = [](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t bits = (std::uint64_t{a} << 32 | b) >> 11;
    return (static_cast<double>(bits) + 0.5) * 0x1p-53;
  };
  return {join(x[0], x[1]), join(x[2], x[3])};
}

/// The same one by one: numbers 2 n and 2 n + 1 are those of draw n.
inline double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  return uniforms(seed, stream, number / 2)[number % 2];
}

/// Three independent normal numbers of mean 0 and variance 1; they use up draws 2 n and 2 n + 1.
inline std::array<double, 3> normals(std::uint64_t seed, std::uint64_t stream, std::uint64_t n) {
  const auto u = uniforms(seed, stream, 2 * n), w = uniforms(seed, stream, 2 * n + 1);
  const double r = std::sqrt(-2 * std::log(u[0])), s = std::sqrt(-2 * std::log(w[0]));
  const double angle = 2 * std::numbers::pi * u[1];
  return {r * std::cos(angle), r * std::sin(angle), s * std::cos(2 * std::numbers::pi * w[1])};
}

}  // namespace cotangent::numerics
