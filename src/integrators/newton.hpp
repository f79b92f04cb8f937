// Newton's method in lanes: each lane stops for itself and is left alone while the others go on.
// Three corrections tell when: with delta_{k+1} ~ C delta_k^2, the next would be delta_k (delta_k /
// delta_{k-1})^2. A lane stops when that falls below round-off, or when changes of round-off size no longer
// shrink.
#pragma once

#include "numerics/dense.hpp"

namespace cotangent::integrators {

/// Calls correct(open) until all lanes have converged, `limit` times at most; returns those that have.
/// correct() changes the unknowns of the open lanes and returns the size of the change, NaN where one is;
/// size() is the size of the unknowns, in the same norm.
template <class R, class Correct, class Size>
numerics::mask_of<R> newton(numerics::mask_of<R> lanes, int limit, const Correct& correct, const Size& size) {
  auto open = lanes;
  R target(0.0), round_off(0.0), last(0.0);
  for (int iteration = 0; iteration < limit && any(open); ++iteration) {
    const R change = correct(open);
    if (iteration == 0) {
      const R scale = size() + change;
      target = scale * R(0x1p-57);
      round_off = scale * R(0x1p-44);
    } else {
      const R ratio = change / select(last > R(0.0), last, R(1.0));
      const auto small = change * ratio * ratio <= target;
      const auto stalled = (change >= R(0.25) * last) & (change <= round_off);
      open = open & !(small | stalled);
    }
    open = open & !(change == R(0.0));
    last = change;
  }
  return lanes & !open;
}

}  // namespace cotangent::integrators
