// SPDX-License-Identifier: BSD-3-Clause
// The few operations on double that must round alike in scalar code and in SIMD lanes.
// Contraction is off in our builds, so a product and a sum fuse where fma() is written and nowhere else.
#pragma once

#include <cmath>

namespace cotangent {

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
inline constexpr bool hardware_fma = true;
#else
inline constexpr bool hardware_fma = false;
#endif

/// a b + c, fused where the processor fuses, in two roundings where it would have to be emulated.
inline double fma(double a, double b, double c) {
  if constexpr (hardware_fma) {
    return __builtin_fma(a, b, c);
  } else {
    return a * b + c;
  }
}

/// condition ? a : b, with the name that lanes use.
inline double select(bool condition, double a, double b) {
  return condition ? a : b;
}
inline bool any(bool condition) {
  return condition;
}
inline bool all(bool condition) {
  return condition;
}

/// x^n by repeated squaring, of the inverse where n < 0.
template <class Real>
[[gnu::always_inline]] inline Real integer_power(Real x, int n) {
  unsigned left = n < 0 ? 0u - static_cast<unsigned>(n) : static_cast<unsigned>(n);
  if (left == 0) return Real(1.0);
  while (left % 2 == 0) {
    x = x * x;
    left /= 2;
  }
  Real power = x;
  while (left /= 2) {
    x = x * x;
    if (left % 2 != 0) power = power * x;
  }
  return n < 0 ? Real(1.0) / power : power;
}

struct SinCos {
  double sin, cos;
};
/// Sine and cosine of one argument together.
inline SinCos sincos(double x) {
  return {std::sin(x), std::cos(x)};
}

}  // namespace cotangent
