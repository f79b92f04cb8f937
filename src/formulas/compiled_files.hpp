// SPDX-License-Identifier: BSD-3-Clause
// Where compiled formulas are read from or left, beside the cache.
#pragma once

#include <string>

namespace cotangent::formulas {

/// Files that play a part, each for all formulas of a deck.
struct CompiledFiles {
  std::string read;   ///< loaded from here, where not empty, and nothing compiled
  std::string write;  ///< also left here, where not empty, for `read`
};

}  // namespace cotangent::formulas
