// SPDX-License-Identifier: BSD-3-Clause
// Memory given back.
#pragma once

#include <vector>

namespace cotangent {

/// Empties the list and frees its memory, which `list = {}` would keep.
template <class T>
void release(std::vector<T>& list) {
  std::vector<T>().swap(list);
}

}  // namespace cotangent
