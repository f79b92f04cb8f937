// SPDX-License-Identifier: BSD-3-Clause
// A billiard's flight over a given time, through its bounces, with the derivative of its end by its beginning
// (tangent.hpp): the product of what flights and reflections do to displacements, 2 D of them.
#pragma once

#include "billiards/domain.hpp"
#include "sections/arc.hpp"

namespace cotangent::billiards {

/// Walls are elastic and at rest. A flight that ends before its time has the status of its end.
template <int D>
sections::Arc fly_arc(const Domain<D>& domain, const Vector<D>& gravity, const sections::Start& start,
                      double duration);

extern template sections::Arc fly_arc<2>(const Domain<2>&, const Vector<2>&, const sections::Start&, double);
extern template sections::Arc fly_arc<3>(const Domain<3>&, const Vector<3>&, const sections::Start&, double);

}  // namespace cotangent::billiards
