// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/sets/box.hpp"
#include "billiards/sets/ellipsoid.hpp"
#include "billiards/sets/half_space.hpp"
#include "billiards/sets/list.hpp"
#include "billiards/sets/sphere.hpp"
#include "billiards/sets/torus.hpp"

namespace cotangent::billiards {

std::vector<SetKind> built_in_sets() {
  std::vector<SetKind> list = sets_in_plane();
  for (const SetKind& kind :
       {kind_of<Sphere>(), kind_of<Ellipsoid>(), kind_of<Box>(), kind_of<HalfSpace>(), kind_of<Torus>()})
    list.push_back(kind);
  return list;
}

}  // namespace cotangent::billiards
