// SPDX-License-Identifier: BSD-3-Clause
#include "integrators/gauss_tangent.hpp"

namespace cotangent::integrators {

COTANGENT_GAUSS_TANGENTS(, 1)
COTANGENT_GAUSS_TANGENTS(, 2)
COTANGENT_GAUSS_TANGENTS(, 3)
COTANGENT_GAUSS_TANGENTS(, 4)

}  // namespace cotangent::integrators
