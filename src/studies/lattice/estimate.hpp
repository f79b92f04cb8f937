// SPDX-License-Identifier: BSD-3-Clause
// What a lattice would take, by numbers measured once.
#pragma once

#include "io/shared_file.hpp"
#include "studies/lattice/deck.hpp"

namespace cotangent::studies {

/// Time, memory and disk.
Estimate estimate(const LatticePlan& plan, const io::FileOptions& options);

}  // namespace cotangent::studies
