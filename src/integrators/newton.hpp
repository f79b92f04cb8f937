// SPDX-License-Identifier: BSD-3-Clause
// Newton's method in lanes: each lane stops for itself and is left alone while the others go on.
// Three corrections tell when: with delta_{k+1} ~ C delta_k^2, the next would be delta_k (delta_k /
// delta_{k-1})^2. A lane stops when that falls below round-off, or when changes of round-off size no longer
// shrink.
#pragma once

#include "numerics/dual.hpp"

namespace cotangent::integrators {

/// Calls correct(open) until all lanes have converged, `limit` times at most; returns those that have.
/// correct() changes the unknowns of the open lanes and returns the size of the change, NaN where one is;
/// size() is the size of the unknowns, in the same norm, and noise() what is rounded beside them: velocities
/// may be zero while the positions that they are found from round.
template <class R, class Correct, class Size, class Noise>
numerics::mask_of<R> newton(numerics::mask_of<R> lanes, int limit, const Correct& correct, const Size& size,
                            const Noise& noise) {
  auto open = lanes;
  R target(0.0), round_off(0.0), last(0.0);
  for (int iteration = 0; iteration < limit && any(open); ++iteration) {
    const R change = correct(open);
    if (iteration == 0) {
      const R scale = size() + change;
      target = scale * R(0x1p-57);
      round_off = (scale + noise()) * R(0x1p-44);
    } else {
      const R ratio = change / select(last > R(0.0), last, R(1.0));
      const auto small = change * ratio * ratio <= target;
      const auto stalled = (change >= R(0.25) * last) & (change <= round_off);
      open = open & !(small | stalled);
    }
    open = open & !(change == R(0.0));
    last = change;
  }
  // The last correction but one knew values by half their digits, and deviations too.
  if constexpr (numerics::is_dual<R>) correct(lanes);
  return lanes & !open;
}

template <class R, class Correct, class Size>
numerics::mask_of<R> newton(numerics::mask_of<R> lanes, int limit, const Correct& correct, const Size& size) {
  return newton<R>(lanes, limit, correct, size, [] { return R(0.0); });
}

/// The sum of absolute values.
template <class R, std::size_t N>
R sum_of_sizes(const std::array<R, N>& x) {
  R sum(0.0);
  for (const R& component : x) sum += numerics::absolute(component);
  return sum;
}

/// The same for a fixed-point iteration, which contracts by a constant factor: a lane stops when its change
/// falls below round-off, or is of that size and no longer shrinks. `x` and v set the scale; `noise`, another
/// one, is of what else is rounded.
template <class R, class Begin, class Vector, class Renew>
numerics::mask_of<R> fixed_point(numerics::mask_of<R> lanes, const Begin& x, const Vector& v,
                                 const Renew& renew, const R& noise = R(0.0)) {
  auto open = lanes;
  R last(0.0), enough(1e3);  // of iterations, for deviations
  for (int iteration = 0; iteration < 200 && any(open); ++iteration) {
    const R change = renew(open);
    R scale(0.0);
    for (std::size_t n = 0; n < v.size(); ++n) {
      scale += numerics::absolute(v[n]) + numerics::absolute(x.v[n]);
    }
    const auto small = change <= scale * R(0x1p-54);
    const auto stalled =
        (last > R(0.0)) & (change >= R(0.75) * last) & (change <= (scale + noise) * R(0x1p-46));
    auto closed = small | stalled | (change == R(0.0));
    if constexpr (numerics::is_dual<R>) {
      // Deviations contract as values do, some iterations behind them.
      enough = select(closed & (enough == R(1e3)), R(1.5 * iteration + 4), enough);
      closed = enough <= R(1.0 * iteration);
    }
    open = open & !closed;
    last = change;
  }
  return lanes & !open;
}

}  // namespace cotangent::integrators
