// SPDX-License-Identifier: BSD-3-Clause
// The names of hints for MPI-IO: MPI ignores one that it doesn't know without a word.
#pragma once

#include <string>

namespace cotangent::io {

/// Where neither MPI's standard nor a common MPI-IO has a hint of this name: that it may be ignored, and the
/// name that was perhaps meant. Another MPI may have it all the same. Empty of a known one.
std::string doubt_about_hint(const std::string& name);

}  // namespace cotangent::io
