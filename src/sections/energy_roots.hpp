// SPDX-License-Identifier: BSD-3-Clause
// The velocity that a state lacks where its energy is known, and that of a direction.
#pragma once

#include <functional>
#include <optional>

#include "sections/state_functions.hpp"

namespace cotangent::sections {

/// The value of velocity `index` with which the state q, v (N numbers each; v's own number there is left out
/// of account) has this energy: of the roots of the quadratic that the energy is, or nearly is, in a
/// velocity, each brought to round-off by Newton's method, the largest that is accepted. Nothing where there
/// is none. A velocity for which the energy has no value is too large.
std::optional<double> velocity_of_energy(const StateFunctions& problem, Values q, Values v, int index,
                                         Values parameters, double energy,
                                         const std::function<bool(double)>& accept);

/// The factor f > 0 with which q, least + f (v - least) has this energy, which grows with f from that of
/// `least` on. Nothing where there is none.
std::optional<double> factor_of_energy(const StateFunctions& problem, Values q, Values least, Values v,
                                       Values parameters, double energy);

}  // namespace cotangent::sections
