// SPDX-License-Identifier: BSD-3-Clause
// Random numbers from counters alone, so that they hang on what they are for and not on who draws them.
// Reference: Salmon et al., SC11 (2011); the mixing is splitmix64's (Steele et al. 2014), twice.
#pragma once

#include <cstdint>

namespace cotangent {

/// A uniform number in [0, 1), the `draw`-th of this id.
inline double uniform(std::uint64_t seed, std::int64_t id, std::uint64_t draw) {
  const auto mix = [](std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  };
  const std::uint64_t z = mix(mix(seed + 0x9e3779b97f4a7c15u) ^ mix(static_cast<std::uint64_t>(id) + 1) ^
                              (draw + 1) * 0xd1342543de82ef95u);
  return static_cast<double>(mix(z) >> 11) * 0x1p-53;
}

}  // namespace cotangent
