// SPDX-License-Identifier: BSD-3-Clause
// A billiard's flight over a given time, or through so many bounces, with the derivative of its end by its
// beginning (tangent.hpp): the product of what flights and reflections do to displacements, 2 D of them.
#pragma once

#include <limits>

#include "billiards/domain.hpp"
#include "billiards/field.hpp"
#include "sections/arc.hpp"

namespace cotangent::billiards {

/// Where a flight ends.
struct ArcEnd {
  double time = std::numeric_limits<double>::infinity();
  std::int64_t bounces = std::numeric_limits<std::int64_t>::max();  ///< behind the last
};

/// From t = 0, between walls none of which is rough, in a field or in none. A flight that ends before its end
/// has the status of how.
template <int D>
sections::Arc fly_arc(const Domain<D>& domain, const Vector<D>& gravity, const Field<D>* field,
                      const sections::Start& start, const ArcEnd& end);

extern template sections::Arc fly_arc<2>(const Domain<2>&, const Vector<2>&, const Field<2>*,
                                         const sections::Start&, const ArcEnd&);
extern template sections::Arc fly_arc<3>(const Domain<3>&, const Vector<3>&, const Field<3>*,
                                         const sections::Start&, const ArcEnd&);

}  // namespace cotangent::billiards
