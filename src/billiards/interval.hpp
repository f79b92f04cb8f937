// SPDX-License-Identifier: BSD-3-Clause
// Intervals [low, high] over a real type: each operation returns an interval that holds all results, rounded
// outward. Put into the algebra of derivatives (ad), they bound a function and its derivatives over a stretch
// of time. Reference: Moore, Interval Analysis (1966). Limits: a divisor or an argument that leaves a
// function's domain makes the bounds infinite or NaN, which certifies nothing.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "numerics/lanes.hpp"

namespace cotangent::billiards {

using cotangent::fma, cotangent::select, cotangent::sincos;  // beside those for lanes and intervals

template <class R>
struct Interval {
  R low, high;

  Interval() = default;
  Interval(double x) : low(x), high(x) {}
  Interval(const R& x) requires(!std::same_as<R, double>) : low(x), high(x) {}
  Interval(const R& l, const R& h) : low(l), high(h) {}
};

namespace detail {
/// A result of one rounding (or, with `units` above 1, of a library's function) moved outward.
template <class R>
[[gnu::always_inline]] inline Interval<R> outward(const R& low, const R& high, double units = 1) {
  using numerics::abs, std::abs;
  const R relative(units * 0x1p-52), least(std::numeric_limits<double>::min());
  return {low - fma(abs(low), relative, least), high + fma(abs(high), relative, least)};
}
}  // namespace detail

template <class R>
[[gnu::always_inline]] inline Interval<R> operator-(const Interval<R>& a) {
  return {-a.high, -a.low};
}
template <class R>
[[gnu::always_inline]] inline Interval<R> operator+(const Interval<R>& a, const Interval<R>& b) {
  return detail::outward<R>(a.low + b.low, a.high + b.high);
}
template <class R>
[[gnu::always_inline]] inline Interval<R> operator-(const Interval<R>& a, const Interval<R>& b) {
  return a + (-b);
}
template <class R>
[[gnu::always_inline]] inline Interval<R> operator*(const Interval<R>& a, const Interval<R>& b) {
  using numerics::min, numerics::max, std::min, std::max;
  const R ll = a.low * b.low, lh = a.low * b.high, hl = a.high * b.low, hh = a.high * b.high;
  return detail::outward<R>(min(min(ll, lh), min(hl, hh)), max(max(ll, lh), max(hl, hh)));
}
template <class R>
[[gnu::always_inline]] inline Interval<R> operator/(const Interval<R>& a, const Interval<R>& b) {
  const auto across = (b.low <= R(0.0)) & (b.high >= R(0.0));
  const R infinity(std::numeric_limits<double>::infinity());
  const Interval<R> inverse = detail::outward<R>(R(1.0) / b.high, R(1.0) / b.low);
  return a * Interval<R>(select(across, -infinity, inverse.low), select(across, infinity, inverse.high));
}
#define COTANGENT_WITH_NUMBER(symbol)                                                         \
  template <class R>                                                                          \
  [[gnu::always_inline]] inline Interval<R> operator symbol(const Interval<R>& a, double b) { \
    return a symbol Interval<R>(b);                                                           \
  }                                                                                           \
  template <class R>                                                                          \
  [[gnu::always_inline]] inline Interval<R> operator symbol(double a, const Interval<R>& b) { \
    return Interval<R>(a) symbol b;                                                           \
  }
COTANGENT_WITH_NUMBER(+)
COTANGENT_WITH_NUMBER(-)
COTANGENT_WITH_NUMBER(*)
COTANGENT_WITH_NUMBER(/)
#undef COTANGENT_WITH_NUMBER
template <class R>
[[gnu::always_inline]] inline Interval<R> fma(const Interval<R>& a, const Interval<R>& b,
                                              const Interval<R>& c) {
  return a * b + c;
}

// Functions that rise, by the library's values at both ends (within two units in the last place).
#define COTANGENT_RISING(function)                                           \
  template <class R>                                                         \
  [[gnu::always_inline]] inline Interval<R> function(const Interval<R>& a) { \
    using std::function;                                                     \
    return detail::outward<R>(function(a.low), function(a.high), 4);         \
  }
COTANGENT_RISING(sqrt)
COTANGENT_RISING(exp)
COTANGENT_RISING(log)
#undef COTANGENT_RISING

template <class R>
struct IntervalSinCos {
  Interval<R> sin, cos;
};

namespace detail {
/// cos over [low, high], given its values at both ends: 1 and -1 where a multiple of pi lies between.
template <class R>
[[gnu::always_inline]] inline Interval<R> cosine_between(const R& low, const R& high, const R& at_low,
                                                         const R& at_high) {
  using numerics::min, numerics::max, std::min, std::max, numerics::floor, std::floor;
  const R turn(0.5 / std::numbers::pi), slack(1e-9);
  const auto meets = [&](double phase) {
    return floor(high * turn + R(phase) + slack) > floor(low * turn + R(phase) - slack);
  };
  const Interval<R> ends = outward<R>(min(at_low, at_high), max(at_low, at_high), 4);
  return {select(meets(0.5), R(-1.0), ends.low), select(meets(0.0), R(1.0), ends.high)};
}
}  // namespace detail

template <class R>
IntervalSinCos<R> sincos(const Interval<R>& a) {
  const auto l = sincos(a.low), h = sincos(a.high);
  const R quarter(0.5 * std::numbers::pi);
  return {detail::cosine_between<R>(a.low - quarter, a.high - quarter, l.sin, h.sin),
          detail::cosine_between<R>(a.low, a.high, l.cos, h.cos)};
}

}  // namespace cotangent::billiards
