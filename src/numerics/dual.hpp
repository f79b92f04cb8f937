// SPDX-License-Identifier: BSD-3-Clause
// Dual numbers: a value with its derivatives along K directions, a real type like double or a pack of lanes.
// Code that is a template over its real type, run on them, takes K deviations along:
//   (x, dx) (y, dy) = (x y, x dy + y dx),   f(x, dx) = (f(x), f'(x) dx)
// Comparisons and masks go by values alone, so that a deviation never decides anything; and values are those
// of the same code without deviations, to the bit. Reference: Griewank, Walther, Evaluating Derivatives
// (2008), 3.1.
#pragma once

#include <array>
#include <numbers>

#include "numerics/dense.hpp"

namespace cotangent::numerics {

template <class R, int K>
class Dual;

/// What enters dual numbers over R as a constant.
template <class C, class R>
concept ConstantOf = std::is_arithmetic_v<C> || std::same_as<C, R>;

template <class R, int K>
class Dual {
 public:
  R value;
  std::array<R, K> part;  ///< the derivatives

  Dual() = default;
  /// A constant.
  template <ConstantOf<R> C>
  [[gnu::always_inline]] Dual(const C& constant) : value(constant) {
    part.fill(R(0.0));
  }
  [[gnu::always_inline]] Dual(const R& x, const std::array<R, K>& dx) : value(x), part(dx) {}

  friend Dual operator+(const Dual& a, const Dual& b) {
    return each(a.value + b.value, [&](int k) { return a.part[k] + b.part[k]; });
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return each(a.value - b.value, [&](int k) { return a.part[k] - b.part[k]; });
  }
  friend Dual operator-(const Dual& a) {
    return each(-a.value, [&](int k) { return -a.part[k]; });
  }
  friend Dual operator+(const Dual& a) { return a; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return each(a.value * b.value, [&](int k) { return fma(a.value, b.part[k], R(b.value * a.part[k])); });
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const R quotient = a.value / b.value, reciprocal = R(1.0) / b.value;
    return each(quotient, [&](int k) { return reciprocal * fma(-quotient, b.part[k], a.part[k]); });
  }
  template <ConstantOf<R> C>
  friend Dual operator*(const C& c, const Dual& a) {
    const R factor(c);
    return each(factor * a.value, [&](int k) { return factor * a.part[k]; });
  }
  template <ConstantOf<R> C>
  friend Dual operator*(const Dual& a, const C& c) {
    return R(c) * a;
  }
  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend auto operator<(const Dual& a, const Dual& b) { return a.value < b.value; }
  friend auto operator>(const Dual& a, const Dual& b) { return a.value > b.value; }
  friend auto operator<=(const Dual& a, const Dual& b) { return a.value <= b.value; }
  friend auto operator>=(const Dual& a, const Dual& b) { return a.value >= b.value; }
  friend auto operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend auto operator!=(const Dual& a, const Dual& b) { return a.value != b.value; }

  friend Dual fma(const Dual& a, const Dual& b, const Dual& c) {
    return each(fma(a.value, b.value, c.value),
                [&](int k) { return fma(a.value, b.part[k], R(fma(b.value, a.part[k], c.part[k]))); });
  }
  friend Dual select(mask_of<R> mask, const Dual& a, const Dual& b) {
    return each(select(mask, a.value, b.value), [&](int k) { return select(mask, a.part[k], b.part[k]); });
  }

  /// The dual number of this value whose k-th derivative is part(k).
  template <class Part>
  [[gnu::always_inline]] static Dual each(const R& value, const Part& part) {
    Dual result;
    result.value = value;
    for (int k = 0; k < K; ++k) result.part[k] = part(k);
    return result;
  }
};

template <class R>
inline constexpr bool is_dual = false;
template <class R, int K>
inline constexpr bool is_dual<Dual<R, K>> = true;

template <class R, int K>
struct MaskOf<Dual<R, K>> {
  using type = mask_of<R>;
};
template <class R, int K>
inline constexpr int width_of<Dual<R, K>> = width_of<R>;

// A row is a function of x and its derivative in terms of x and the value f.
#define COTANGENT_FUNCTION(name, first)                               \
  template <class R, int K>                                           \
  Dual<R, K> name(const Dual<R, K>& a) {                              \
    using std::sqrt, std::exp, std::sinh, std::cosh, std::name;       \
    const R x = a.value;                                              \
    const R f = name(x);                                              \
    const R d = first;                                                \
    return Dual<R, K>::each(f, [&](int k) { return d * a.part[k]; }); \
  }
// clang-format off
COTANGENT_FUNCTION(sqrt, 0.5 / f)
COTANGENT_FUNCTION(cbrt, 1.0 / (3.0 * f * f))
COTANGENT_FUNCTION(exp, f)
COTANGENT_FUNCTION(expm1, exp(x))
COTANGENT_FUNCTION(log, 1.0 / x)
COTANGENT_FUNCTION(log1p, 1.0 / (1.0 + x))
COTANGENT_FUNCTION(tan, fma(f, f, R(1.0)))
COTANGENT_FUNCTION(asin, 1.0 / sqrt((1.0 - x) * (1.0 + x)))
COTANGENT_FUNCTION(acos, -1.0 / sqrt((1.0 - x) * (1.0 + x)))
COTANGENT_FUNCTION(atan, 1.0 / fma(x, x, R(1.0)))
COTANGENT_FUNCTION(sinh, cosh(x))
COTANGENT_FUNCTION(cosh, sinh(x))
COTANGENT_FUNCTION(tanh, fma(-f, f, R(1.0)))
COTANGENT_FUNCTION(asinh, 1.0 / sqrt(fma(x, x, R(1.0))))
COTANGENT_FUNCTION(acosh, 1.0 / sqrt((x - 1.0) * (x + 1.0)))
COTANGENT_FUNCTION(atanh, 1.0 / ((1.0 - x) * (1.0 + x)))
COTANGENT_FUNCTION(erf, (2.0 * std::numbers::inv_sqrtpi) * exp(-(x * x)))
// clang-format on
#undef COTANGENT_FUNCTION

template <class R, int K>
struct DualSinCos {
  Dual<R, K> sin, cos;
};
/// Sine and cosine together.
template <class R, int K>
DualSinCos<R, K> sincos(const Dual<R, K>& a) {
  const auto both = sincos(a.value);
  const R s = both.sin, c = both.cos;
  return {Dual<R, K>::each(s, [&](int k) { return c * a.part[k]; }),
          Dual<R, K>::each(c, [&](int k) { return -(s * a.part[k]); })};
}
template <class R, int K>
Dual<R, K> sin(const Dual<R, K>& a) {
  return sincos(a).sin;
}
template <class R, int K>
Dual<R, K> cos(const Dual<R, K>& a) {
  return sincos(a).cos;
}

/// x^p; for x <= 0 that of a constant p.
template <class R, int K>
Dual<R, K> pow(const Dual<R, K>& x, const Dual<R, K>& p) {
  using std::pow, std::log;
  const R f = pow(x.value, p.value);
  const R slope = select(p.value == R(0.0), R(0.0), p.value * pow(x.value, p.value - 1.0));
  const R bend = select(x.value > R(0.0), f * log(x.value), R(0.0));
  return Dual<R, K>::each(f, [&](int k) { return fma(slope, x.part[k], R(bend * p.part[k])); });
}
template <class R, int K, ConstantOf<R> C>
Dual<R, K> pow(const Dual<R, K>& x, const C& p) requires(!std::is_integral_v<C>) {
  return pow(x, Dual<R, K>(p));
}
template <class R, int K, ConstantOf<R> C>
Dual<R, K> pow(const C& x, const Dual<R, K>& p) {
  return pow(Dual<R, K>(x), p);
}
/// The angle of the point (x, y).
template <class R, int K>
Dual<R, K> atan2(const Dual<R, K>& y, const Dual<R, K>& x) {
  using std::atan2;
  const R reciprocal = 1.0 / fma(x.value, x.value, R(y.value * y.value));
  const R u = x.value * reciprocal, w = -(y.value * reciprocal);
  return Dual<R, K>::each(atan2(y.value, x.value),
                          [&](int k) { return fma(u, y.part[k], R(w * x.part[k])); });
}
template <class R, int K>
Dual<R, K> hypot(const Dual<R, K>& x, const Dual<R, K>& y) {
  using std::hypot;
  const R f = hypot(x.value, y.value), u = x.value / f, w = y.value / f;
  return Dual<R, K>::each(f, [&](int k) { return fma(u, x.part[k], R(w * y.part[k])); });
}
/// The magnitude; its derivative at 0 is 0.
template <class R, int K>
Dual<R, K> abs(const Dual<R, K>& a) {
  const R zero(0.0);
  return select(a.value > zero, a, select(a.value < zero, -a, Dual<R, K>(absolute(a.value))));
}
/// The smaller and the larger; the second at a tie.
template <class R, int K>
Dual<R, K> min(const Dual<R, K>& a, const Dual<R, K>& b) {
  return select(a < b, a, b);
}
template <class R, int K>
Dual<R, K> max(const Dual<R, K>& a, const Dual<R, K>& b) {
  return select(a > b, a, b);
}
template <class R, int K>
Dual<R, K> absolute(const Dual<R, K>& a) {
  return abs(a);
}
template <class R, int K>
Dual<R, K> larger(const Dual<R, K>& a, const Dual<R, K>& b) {
  return max(a, b);
}
template <class R, int K>
Dual<R, K> lesser(const Dual<R, K>& a, const Dual<R, K>& b) {
  return min(a, b);
}

}  // namespace cotangent::numerics
