// SPDX-License-Identifier: BSD-3-Clause
// What formulas are as functions of coordinates and velocities, by their structure: as the types of
// automatic differentiation see it (ad/sparsity.hpp).
#pragma once

#include <cstddef>

#include "expressions/tree.hpp"

namespace cotangent::formulas {

struct Structure {
  bool places = false, velocities = false, mixed = false;
  bool rest = false;  ///< whether anything is left where all velocities are 0
  int degree = 0;     ///< in the velocities; 3: higher, or no polynomial
};

/// Of a formula without parts; the time counts among places.
Structure structure_of(const expressions::Tree& tree, std::size_t dim, std::size_t parameters);

}  // namespace cotangent::formulas
