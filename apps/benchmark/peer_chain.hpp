// SPDX-License-Identifier: BSD-3-Clause
// The chain that benchmark_lattices gives to other libraries too: where it begins, and what they are asked
// for.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace cotangent::benchmark {

inline constexpr std::int64_t peer_sites = 1024;
inline constexpr double peer_time = 500.0, peer_every = 2.0;

/// Position and velocity of a site at first.
inline std::array<double, 2> peer_start(std::int64_t site, std::int64_t sites) {
  const double x = 2 * std::numbers::pi * static_cast<double>(site) / static_cast<double>(sites);
  return {std::sin(2 * x) + 0.5 * std::sin(37 * x), 0.3 * std::cos(5 * x) + 0.2 * std::sin(61 * x)};
}

/// Prints rows of other libraries; none where none was found.
void peer_rows();

}  // namespace cotangent::benchmark
