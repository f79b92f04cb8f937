// SPDX-License-Identifier: BSD-3-Clause
// The velocity that a state lacks where its energy is known.
#pragma once

#include <functional>
#include <optional>

#include "sections/state_functions.hpp"

namespace cotangent::sections {

/// The value of velocity `index` with which the state q, v (N numbers each; v's own number there is left out
/// of account) has this energy: of the roots of the quadratic that the energy is, or nearly is, in a
/// velocity, each brought to round-off by Newton's method, the largest that is accepted. Nothing where there
/// is none.
std::optional<double> velocity_of_energy(const StateFunctions& problem, Values q, Values v, int index,
                                         Values parameters, double energy,
                                         const std::function<bool(double)>& accept);

}  // namespace cotangent::sections
