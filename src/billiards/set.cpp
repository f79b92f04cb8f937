// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/set.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace cotangent::billiards {

namespace {

constexpr std::size_t most_cells = 4096;  // each is looked through at every hit

}  // namespace

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
      if (contradiction) continue;
      if (result.size() == most_cells)
        throw Error(
            "makes more than " + std::to_string(most_cells) +
            " cells, each an intersection of sides of walls, since what lies outside of several sets of "
            "k walls each has k times as many with every set: give obstacles of one wall each, or state "
            "one omega");
      result.push_back(both);
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
