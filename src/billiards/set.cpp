// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/set.hpp"

#include <algorithm>

namespace cotangent::billiards {

Region intersected(const Region& a, const Region& b) {
  Region result;
  for (const Cell& first : a) {
    for (const Cell& second : b) {
      Cell both = first;
      bool contradiction = false;
      for (const Side& side : second) {
        contradiction = contradiction || std::ranges::count(both, Side{side.wall, -side.sign}) > 0;
        if (std::ranges::count(both, side) == 0) both.push_back(side);
      }
      if (!contradiction) result.push_back(both);
    }
  }
  return result;
}

Region complement(const Region& a) {
  Region result{{}};
  for (const Cell& cell : a) {
    Region outside;
    for (const Side& side : cell) outside.push_back({{side.wall, -side.sign}});
    result = intersected(result, outside);
  }
  return result;
}

}  // namespace cotangent::billiards
