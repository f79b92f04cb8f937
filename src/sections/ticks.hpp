// SPDX-License-Identifier: BSD-3-Clause
// Equally spaced times t_k = offset + k every: of a stroboscopic section, of kicks. Each is rounded once, so
// that two series of the same times have the same bits.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace cotangent::sections {

class Ticks {
 public:
  /// None at all.
  Ticks() = default;
  /// All times that are `phase` modulo every > 0.
  Ticks(double every, double phase) : every_(every), offset_(phase - every * std::floor(phase / every)) {
    if (!(std::abs(offset_) < every)) offset_ = 0;  // by rounding
  }

  double every() const { return every_; }  ///< 0: never
  double operator[](std::int64_t k) const { return std::fma(static_cast<double>(k), every_, offset_); }
  /// The first k >= 0 whose time is later than t >= 0.
  std::int64_t after(double t) const {
    if (every_ == 0) return 0;
    auto k = static_cast<std::int64_t>(std::fmax(0.0, std::floor((t - offset_) / every_)));
    while ((*this)[k] <= t) ++k;
    while (k > 0 && (*this)[k - 1] > t) --k;
    return k;
  }

 private:
  double every_ = 0, offset_ = std::numeric_limits<double>::infinity();
};

}  // namespace cotangent::sections
