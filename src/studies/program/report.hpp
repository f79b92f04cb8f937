// SPDX-License-Identifier: BSD-3-Clause
// What a run would take in time, memory and disk: --dry-run says it.
#pragma once

#include <cstdint>

namespace cotangent::studies {

/// Memory of a rank for the program, its libraries and a result that is open, in bytes; and with PETSc, where
/// the run calls it.
std::int64_t program_bytes(bool calls_petsc = false);

struct Estimate {
  std::int64_t orbits = 0, file_bytes = 0, rank_bytes = 0;
  double seconds = 0;
};
/// Prints it; called on one rank.
void print(const Estimate& estimate);

}  // namespace cotangent::studies
