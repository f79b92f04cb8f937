// SPDX-License-Identifier: BSD-3-Clause
// Compensated (double-double) accumulation: x + low carries what x alone would round away.
// Reference: Moller (1965), Kahan (1965); two_sum by Knuth.
#pragma once

#include "core/real.hpp"

namespace cotangent::numerics {

/// A running value and the rounding error that it owes.
template <class R>
struct Compensated {
  R value{0.0}, low{0.0};

  /// Adds a small increment, so that the sum over many steps is as good as one rounding.
  [[gnu::always_inline]] void add(R increment) {
    const R y = increment + low;
    const R sum = value + y;
    const R back = sum - value;
    low = (value - (sum - back)) + (y - back);
    value = sum;
  }
};

/// A running value whose rounding errors are let go.
template <class R>
struct Plain {
  R value{0.0};

  void add(R increment) { value += increment; }
};

using cotangent::select;  // for doubles; lanes bring their own
/// mask ? a : b, lane by lane.
template <class M, class R>
Compensated<R> select(M mask, const Compensated<R>& a, const Compensated<R>& b) {
  return {select(mask, a.value, b.value), select(mask, a.low, b.low)};
}
template <class M, class R>
Plain<R> select(M mask, const Plain<R>& a, const Plain<R>& b) {
  return {select(mask, a.value, b.value)};
}

}  // namespace cotangent::numerics
