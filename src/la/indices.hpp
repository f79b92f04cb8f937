// SPDX-License-Identifier: BSD-3-Clause
// How far PETSc's indices count: to 2^31 - 1, or to 2^63 - 1 where it is built with indices of 64 bits.
#pragma once

#include <cstdint>
#include <string>

namespace cotangent::la {

std::int64_t largest_index() noexcept;

/// Refuses a system of which PETSc can't number the unknowns of all ranks, or the entries on one, before it
/// is assembled; `what` names it. Collective.
void require_indices(const std::string& what, std::int64_t all_unknowns, std::int64_t entries_here);

/// A lower limit while this lives, on all ranks: for tests.
class LowerIndices {
 public:
  explicit LowerIndices(std::int64_t largest) noexcept;
  ~LowerIndices();
  LowerIndices(const LowerIndices&) = delete;
  LowerIndices& operator=(const LowerIndices&) = delete;
};

}  // namespace cotangent::la
