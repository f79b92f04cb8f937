// SPDX-License-Identifier: BSD-3-Clause
// Sorting of few things that are nearly in order, equal ones as they came: a few instructions where the
// library's sort is pages, in each model's code.
#pragma once

#include <cstddef>
#include <utility>

namespace cotangent::numerics {

/// Puts what `key` tells of the items into rising order.
template <class Items, class Key>
void insertion_sort(Items& items, const Key& key) {
  for (std::size_t k = 1; k < items.size(); ++k) {
    for (std::size_t j = k; j > 0 && key(items[j]) < key(items[j - 1]); --j)
      std::swap(items[j], items[j - 1]);
  }
}

}  // namespace cotangent::numerics
