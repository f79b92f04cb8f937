// SPDX-License-Identifier: BSD-3-Clause
// SIMD lanes: W doubles that take every operation together (lane_pack.hpp), and their elementary functions.
// Sine, cosine, exponential and logarithm run in all lanes at once; lanes out of a kernel's range, and the
// other functions, go through the C library one by one. A lane's result doesn't depend on the others'.
//
// The kernels of sincos() and log() are derived from fdlibm, which is distributed under this notice:
//   Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
//   Developed at SunSoft, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute
//   this software is freely granted, provided that this notice is preserved.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "numerics/lane_pack.hpp"

namespace cotangent::numerics {

namespace detail {
template <int W, class F>
Lanes<W> each_lane(Lanes<W> x, F function) {
  Lanes<W> r;
  for (int i = 0; i < W; ++i) r.set(i, function(x[i]));
  return r;
}
}  // namespace detail

template <int W>
struct LanesSinCos {
  Lanes<W> sin, cos;
};

namespace detail {
/// The lanes that `far` marks, by the C library.
template <int W>
[[gnu::noinline, gnu::cold]] void sincos_each(Lanes<W> x, Mask<W> far, LanesSinCos<W>& result) {
  for (int i = 0; i < W; ++i) {
    if (!far[i]) continue;
    result.sin.v[i] = std::sin(x.v[i]);
    result.cos.v[i] = std::cos(x.v[i]);
  }
}
}  // namespace detail

/// Sine and cosine together: three-part reduction by pi/2, then the minimax kernels of fdlibm (Sun
/// Microsystems, 1993) on [-pi/4, pi/4] with the reduction's tail; within one unit in the last place.
/// Lanes beyond 10^6, infinite or NaN go to the C library one by one.
template <int W>
requires(W > native_width) [[gnu::always_inline]] inline LanesSinCos<W> sincos(Lanes<W> x) {
  const auto low = sincos(x.low), high = sincos(x.high);
  return {{low.sin, high.sin}, {low.cos, high.cos}};
}
template <int W>
[[gnu::always_inline]] inline LanesSinCos<W> sincos(Lanes<W> x) {
  using L = Lanes<W>;
  const L shift(6755399441055744.0);  // 1.5 * 2^52: the sum's last bits are the nearest integer's
  const L shifted = fma(x, L(6.36619772367581382433e-01), shift);
  const L n = shifted - shift;
  // pi/2 in 33 + 33 + 53 bits: the first two products with |n| < 2^20 are exact.
  const L second(6.07710050630396597660e-11);
  const L r1 = fma(-n, L(1.57079632673412561417e+00), x);
  const L r2 = fma(-n, second, r1);
  const L lost = fma(-n, second, r1 - r2);
  const L w = fma(n, L(2.02226624879595063154e-21), -lost);
  const L y = r2 - w;
  const L tail = (r2 - y) - w;

  const L z = y * y;
  L p = fma(z, L(1.58969099521155010221e-10), L(-2.50507602534068634195e-08));
  p = fma(z, p, L(2.75573137070700676789e-06));
  p = fma(z, p, L(-1.98412698298579493134e-04));
  p = fma(z, p, L(8.33333333332248946124e-03));
  const L zy = z * y;
  const L s = y - fma(-zy, L(-1.66666666666666324348e-01), fma(z, fma(-zy, p, 0.5 * tail), -tail));

  L c = fma(z, L(-1.13596475577881948265e-11), L(2.08757232129817482790e-09));
  c = fma(z, c, L(-2.75573143513906633035e-07));
  c = fma(z, c, L(2.48015872894767294178e-05));
  c = fma(z, c, L(-1.38888888888741095749e-03));
  c = fma(z, c, L(4.16666666666666019037e-02));
  const L half = 0.5 * z;
  const L one = 1.0 - half;
  const L k = one + (((1.0 - one) - half) + fma(z, z * c, -(y * tail)));

  // Quadrant n mod 4: its lowest bit swaps the two, the next one moves up to the sign's place.
  using Bits = typename Mask<W>::Vector;
  const Bits quadrant = (Bits)shifted.v;
  const Mask<W> swap((quadrant & 1) != 0);
  const auto signed_by = [](L value, Bits bits) {
    return L((typename L::Vector)((Bits)value.v ^ ((bits & 2) << 62)));
  };
  LanesSinCos<W> result{signed_by(select(swap, k, s), quadrant), signed_by(select(swap, s, k), quadrant + 1)};

  const Mask<W> far = !(abs(x) < L(1e6));
  if (any(far)) [[unlikely]] {
    detail::sincos_each(x, far, result);
  }
  return result;
}
template <int W>
Lanes<W> sin(Lanes<W> x) {
  return sincos(x).sin;
}
template <int W>
Lanes<W> cos(Lanes<W> x) {
  return sincos(x).cos;
}

namespace detail {
/// 2^n of the integer n in the last bits of n + 1.5 * 2^52, for |n| < 1023.
template <int W>
Lanes<W> power_of_two(typename Mask<W>::Vector n) {
  return Lanes<W>((typename Lanes<W>::Vector)((n + 1023) << 52));
}
}  // namespace detail

/// exp(x) = 2^n exp(r) with |r| <= log(2)/2, where the minimax polynomial of degree 11 errs by 5e-18; within
/// one unit in the last place. The power is applied in halves, so that results below the normal numbers
/// round once.
template <int W>
requires(W > native_width) [[gnu::always_inline]] inline Lanes<W> exp(Lanes<W> x) {
  return {exp(x.low), exp(x.high)};
}
template <int W>
[[gnu::always_inline]] inline Lanes<W> exp(Lanes<W> x) {
  using L = Lanes<W>;
  using Bits = typename Mask<W>::Vector;
  x = min(L(710.0), max(L(-746.0), x));  // infinite and 0 beyond; NaN stays
  const L shift(6755399441055744.0);     // 1.5 * 2^52: the sum's last bits are the nearest integer's
  const L shifted = fma(x, L(1.44269504088896338700e+00), shift);
  const L shifted_half = fma(x, L(0.5 * 1.44269504088896338700e+00), shift);
  const L n = shifted - shift;
  // log(2) in 32 + 53 bits: the first product is exact.
  const L high = fma(-n, L(6.93147180369123816490e-01), x);
  const L low = n * L(1.90821492927058770002e-10);
  const L r = high - low;

  const L z = r * r;
  L even = fma(z, L(2.7625176301319475e-07), L(2.480150870712943e-05));
  even = fma(z, even, L(1.3888888926778362e-03));
  even = fma(z, even, L(4.1666666666604e-02));
  even = fma(z, even, L(0.5));
  L odd = fma(z, L(2.4978401895847048e-08), L(2.7557640729593377e-06));
  odd = fma(z, odd, L(1.9841269466438106e-04));
  odd = fma(z, odd, L(8.333333333499912e-03));
  odd = fma(z, odd, L(1.6666666666666433e-01));
  const L one = 1.0 + high;
  const L y = one + fma(z, fma(r, odd, even), ((1.0 - one) + high) - low);

  const Bits half = (Bits)shifted_half.v;
  return y * detail::power_of_two<W>(half) * detail::power_of_two<W>((Bits)shifted.v - half);
}

namespace detail {
/// The logarithm of the lanes that `far` marks, by the C library.
template <int W>
[[gnu::noinline, gnu::cold]] void log_each(Lanes<W> x, Mask<W> far, Lanes<W>& result) {
  for (int i = 0; i < W; ++i) {
    if (far[i]) result.v[i] = std::log(x.v[i]);
  }
}
}  // namespace detail

/// log(x) = k log(2) + log(1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), then the kernel of fdlibm (Sun
/// Microsystems, 1993); within one unit in the last place. Lanes that hold no positive normal number go to
/// the C library one by one.
template <int W>
requires(W > native_width) [[gnu::always_inline]] inline Lanes<W> log(Lanes<W> x) {
  return {log(x.low), log(x.high)};
}
template <int W>
[[gnu::always_inline]] inline Lanes<W> log(Lanes<W> x) {
  using L = Lanes<W>;
  using Bits = typename detail::Register<W>::Words;  // without a sign, sums of NaNs' bits may overflow
  // Beyond sqrt(2) the fraction carries into the exponent.
  const std::uint64_t root_of_half = 0x3fe6a09e667f3bcd, unit = 0x3ff0000000000000,
                      fraction = 0xfffffffffffff;
  const Bits carried = (Bits)x.v + (unit - root_of_half);
  // The exponent as the last bits of 2^52 + 1023 + k.
  const L k = L((typename L::Vector)(((carried >> 52) & 0x7ff) | 0x4330000000000000)) -
              L(4503599627370496.0 + 1023.0);
  const L f = L((typename L::Vector)((carried & fraction) + root_of_half)) - 1.0;

  const L s = f / (2.0 + f);
  const L z = s * s;
  const L w = z * z;
  L even = fma(w, L(1.531383769920937332e-01), L(2.222219843214978396e-01));
  even = fma(w, even, L(3.999999999940941908e-01));
  L odd = fma(w, L(1.479819860511658591e-01), L(1.818357216161805012e-01));
  odd = fma(w, odd, L(2.857142874366239149e-01));
  odd = fma(w, odd, L(6.666666666666735130e-01));
  const L rest = fma(w, even, z * odd);
  const L half = 0.5 * (f * f);
  const L low = fma(s, half + rest, k * L(1.90821492927058770002e-10));
  L result = k * L(6.93147180369123816490e-01) - ((half - low) - f);

  const Mask<W> far =
      !((x >= L(std::numeric_limits<double>::min())) & (x <= L(std::numeric_limits<double>::max())));
  if (any(far)) [[unlikely]] {
    detail::log_each(x, far, result);
  }
  return result;
}

// The remaining elementary functions go through the C library, a lane at a time.
#define COTANGENT_EACH_LANE(function)                                         \
  template <int W>                                                            \
  Lanes<W> function(Lanes<W> x) {                                             \
    return detail::each_lane(x, [](double xi) { return std::function(xi); }); \
  }
COTANGENT_EACH_LANE(expm1)
COTANGENT_EACH_LANE(log1p)
COTANGENT_EACH_LANE(tan)
COTANGENT_EACH_LANE(asin)
COTANGENT_EACH_LANE(acos)
COTANGENT_EACH_LANE(atan)
COTANGENT_EACH_LANE(sinh)
COTANGENT_EACH_LANE(cosh)
COTANGENT_EACH_LANE(tanh)
COTANGENT_EACH_LANE(asinh)
COTANGENT_EACH_LANE(acosh)
COTANGENT_EACH_LANE(atanh)
COTANGENT_EACH_LANE(cbrt)
COTANGENT_EACH_LANE(erf)
COTANGENT_EACH_LANE(floor)
#undef COTANGENT_EACH_LANE

#define COTANGENT_EACH_LANE_OF_TWO(function)                         \
  template <int W>                                                   \
  Lanes<W> function(Lanes<W> x, Lanes<W> y) {                        \
    Lanes<W> r;                                                      \
    for (int i = 0; i < W; ++i) r.set(i, std::function(x[i], y[i])); \
    return r;                                                        \
  }
COTANGENT_EACH_LANE_OF_TWO(pow)
COTANGENT_EACH_LANE_OF_TWO(atan2)
COTANGENT_EACH_LANE_OF_TWO(hypot)
#undef COTANGENT_EACH_LANE_OF_TWO

/// Powers with an integer exponent, by multiplications alone.
template <int W>
[[gnu::always_inline]] inline Lanes<W> pow(const Lanes<W>& x, int n) {
  return integer_power(x, n);
}

// One of the two may be a number.
#define COTANGENT_WITH_NUMBER(function)            \
  template <int W>                                 \
  Lanes<W> function(const Lanes<W>& x, double y) { \
    return function(x, Lanes<W>(y));               \
  }                                                \
  template <int W>                                 \
  Lanes<W> function(double x, const Lanes<W>& y) { \
    return function(Lanes<W>(x), y);               \
  }
COTANGENT_WITH_NUMBER(pow)
COTANGENT_WITH_NUMBER(atan2)
COTANGENT_WITH_NUMBER(hypot)
COTANGENT_WITH_NUMBER(min)
COTANGENT_WITH_NUMBER(max)
#undef COTANGENT_WITH_NUMBER

}  // namespace cotangent::numerics
