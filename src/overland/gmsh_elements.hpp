// SPDX-License-Identifier: BSD-3-Clause
// The kinds of elements of Gmsh files that are read, by their numbers.
#pragma once

#include <cstdint>

namespace cotangent::overland {

struct GmshElement {
  std::int64_t type;
  int dimension, corners, nodes;
};

/// Null where the type is none of a plane mesh: points, lines, triangles, quadrilaterals up to fourth order.
inline const GmshElement* gmsh_element(std::int64_t type) {
  static constexpr GmshElement kinds[] = {{15, 0, 1, 1},  {1, 1, 2, 2}, {8, 1, 2, 3},  {26, 1, 2, 4},
                                          {27, 1, 2, 5},  {2, 2, 3, 3}, {9, 2, 3, 6},  {21, 2, 3, 10},
                                          {23, 2, 3, 15}, {3, 2, 4, 4}, {16, 2, 4, 8}, {10, 2, 4, 9}};
  for (const GmshElement& kind : kinds) {
    if (kind.type == type) return &kind;
  }
  return nullptr;
}

}  // namespace cotangent::overland
