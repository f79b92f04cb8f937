// SPDX-License-Identifier: BSD-3-Clause
// Differences of positions, round periodic axes those to the nearest image.
#pragma once

#include <algorithm>

#include "numerics/simd_transpose.hpp"
#include "particles/grid.hpp"

namespace cotangent::particles {

class Image {
 public:
  explicit Image(const Periods& periods) : periods_(periods) {
    for (std::size_t n = 0; n < 3; ++n) {
      inverse_[n] = periods[n] > 0 ? 1.0 / periods[n] : 0.0;
      periodic_ = periodic_ || periods[n] > 0;
    }
  }

  /// Takes whole periods out of a difference. Without periods, nothing.
  template <class R>
  [[gnu::always_inline]] void nearest(std::array<R, 3>& r) const {
    using std::max;
    if (!periodic_) return;
    for (std::size_t n = 0; n < 3; ++n) {
      const R shift(6755399441055744.0);  // 1.5 * 2^52: what is added to it is rounded to an integer
      // The point far away stays far away, even where the period is a power of two and divides its distance.
      const R turns = max(fma(r[n], R(inverse_[n]), shift) - shift, R(most_turns));
      r[n] = fma(R(-periods_[n]), turns, r[n]);
    }
  }
  /// The square of what nearest() leaves, in r afterwards.
  template <class R>
  [[gnu::always_inline]] R squared_distance(std::array<R, 3>& r) const {
    nearest(r);
    return fma(r[0], r[0], fma(r[1], r[1], r[2] * r[2]));
  }

 private:
  static constexpr double most_turns = -0x1p51;
  Periods periods_;
  std::array<double, 3> inverse_{};
  bool periodic_ = false;
};

}  // namespace cotangent::particles
