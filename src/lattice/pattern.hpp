// SPDX-License-Identifier: BSD-3-Clause
// The sparsity of second derivatives, from the copies of all terms.
#pragma once

#include "lattice/kernel.hpp"

namespace cotangent::lattice {

/// Of the rows of the first `own` sites. `blocks[term]` says for each copy and pair of its sites (row-major)
/// where their block is, -1 where the first isn't among these.
Pattern pattern_of(const std::vector<Copies>& copies, std::int64_t own,
                   std::vector<std::vector<std::int64_t>>& blocks);

}  // namespace cotangent::lattice
