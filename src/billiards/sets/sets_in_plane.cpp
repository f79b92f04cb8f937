// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/sets/cardioid.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/egg.hpp"
#include "billiards/sets/ellipse.hpp"
#include "billiards/sets/half_plane.hpp"
#include "billiards/sets/lemniscate.hpp"
#include "billiards/sets/list.hpp"
#include "billiards/sets/lorentz.hpp"
#include "billiards/sets/rectangle.hpp"
#include "billiards/sets/sinai.hpp"
#include "billiards/sets/stadium.hpp"

namespace cotangent::billiards {

std::vector<SetKind> sets_in_plane() {
  return {kind_of<Circle>(),  kind_of<Ellipse>(), kind_of<Rectangle>(), kind_of<HalfPlane>(),
          kind_of<Stadium>(), kind_of<Sinai>(),   kind_of<Cardioid>(),  kind_of<Lemniscate>(),
          kind_of<Lorentz>(), kind_of<Egg>()};
}

}  // namespace cotangent::billiards
