// What a run would take, said before it.
#pragma once

#include <cstdint>

namespace cotangent::studies {

/// What a rank takes for the program and its libraries.
inline constexpr std::int64_t program_bytes = std::int64_t{51} << 20;

struct Estimate {
  std::int64_t orbits = 0, file_bytes = 0, rank_bytes = 0;
  double seconds = 0;
};
/// On one rank.
void print(const Estimate& estimate);

}  // namespace cotangent::studies
