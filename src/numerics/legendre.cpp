// SPDX-License-Identifier: BSD-3-Clause
#include "numerics/legendre.hpp"

namespace cotangent::numerics {

COTANGENT_LEGENDRE_SERIES(, 1)
COTANGENT_LEGENDRE_SERIES(, 2)
COTANGENT_LEGENDRE_SERIES(, 3)
COTANGENT_LEGENDRE_SERIES(, 4)

}  // namespace cotangent::numerics
