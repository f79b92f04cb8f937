// SPDX-License-Identifier: BSD-3-Clause
// What --doctor says: what the program links, and whether what a run needs of this machine is there.
#pragma once

#include "core/error.hpp"

namespace cotangent::studies {

/// Prints a line for each thing looked at, with "ok" or with what would mend it. The exit code is 0 unless
/// something fails that runs need: files written by all ranks (3), a compiler for formulas (2) where none is
/// given up on purpose. Collective.
ExitCode examine_machine();

}  // namespace cotangent::studies
