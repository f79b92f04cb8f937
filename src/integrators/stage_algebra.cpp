// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/stage_algebra.hpp"

namespace cotangent::integrators {

COTANGENT_STAGE_ALGEBRA(, 1)
COTANGENT_STAGE_ALGEBRA(, 2)
COTANGENT_STAGE_ALGEBRA(, 3)
COTANGENT_STAGE_ALGEBRA(, 4)

}  // namespace cotangent::integrators
