// SPDX-License-Identifier: BSD-3-Clause
// A pack of lanes: W doubles that take every operation together, one trajectory a lane.
// Arithmetic is IEEE per lane and fuses only in fma(), so a lane's bits depend on its own values alone:
// not on W, nor on what the other lanes hold. The type maps onto GCC/Clang vector extensions; intrinsics
// serve only where these have no operator (fma, square root, rounding). More lanes than a register holds are
// two packs side by side: where one operation waits for another, the processor is at work on the other pack.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "core/real.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace cotangent::numerics {

using cotangent::fma, cotangent::sincos;  // beside the overloads for lanes

/// The widest pack that one register of the target holds.
#if defined(__AVX512F__)
inline constexpr int native_width = 8;
#elif defined(__AVX__)
inline constexpr int native_width = 4;
#else
inline constexpr int native_width = 2;
#endif

namespace detail {
/// The compiler's vector types of W doubles and W truth values.
template <int W>
struct Register;
#define COTANGENT_REGISTER(W)                                        \
  template <>                                                        \
  struct Register<W> {                                               \
    typedef double Doubles __attribute__((vector_size(8 * W)));      \
    typedef std::int64_t Truths __attribute__((vector_size(8 * W))); \
    typedef std::uint64_t Words __attribute__((vector_size(8 * W))); \
  }
COTANGENT_REGISTER(1);
COTANGENT_REGISTER(2);
COTANGENT_REGISTER(4);
COTANGENT_REGISTER(8);
#undef COTANGENT_REGISTER
}  // namespace detail

/// Truth values of W lanes: all bits set, or none.
template <int W>
struct Mask {
  using Vector = typename detail::Register<W>::Truths;
  Vector bits{};

  Mask() = default;
  explicit Mask(Vector b) : bits(b) {}
  explicit Mask(bool b) : bits(Vector{} - static_cast<std::int64_t>(b)) {}

  bool operator[](int lane) const { return bits[lane] != 0; }
  void set(int lane, bool value) { bits[lane] = value ? -1 : 0; }

  friend Mask operator&(Mask a, Mask b) { return Mask(a.bits & b.bits); }
  friend Mask operator|(Mask a, Mask b) { return Mask(a.bits | b.bits); }
  friend Mask operator^(Mask a, Mask b) { return Mask(a.bits ^ b.bits); }
  friend Mask operator!(Mask a) { return Mask(~a.bits); }
  friend Mask operator&&(Mask a, Mask b) { return a & b; }
  friend Mask operator||(Mask a, Mask b) { return a | b; }

  friend bool any(Mask a) {
#if defined(__AVX512F__)
    if constexpr (W == 8) return _mm512_test_epi64_mask((__m512i)a.bits, (__m512i)a.bits) != 0;
#endif
    std::int64_t union_of_bits = 0;
    for (int i = 0; i < W; ++i) union_of_bits |= a.bits[i];
    return union_of_bits != 0;
  }
  friend bool all(Mask a) {
    return !any(!a);
  }
};

/// Two packs as one.
template <int W>
requires(W > native_width) struct alignas(8 * W) Mask<W> {
  using Half = Mask<W / 2>;
  Half low, high;

  Mask() = default;
  Mask(Half a, Half b) : low(a), high(b) {}
  explicit Mask(bool b) : low(b), high(b) {}

  bool operator[](int lane) const { return lane < W / 2 ? low[lane] : high[lane - W / 2]; }
  void set(int lane, bool value) { lane < W / 2 ? low.set(lane, value) : high.set(lane - W / 2, value); }

  friend Mask operator&(Mask a, Mask b) { return {a.low & b.low, a.high & b.high}; }
  friend Mask operator|(Mask a, Mask b) { return {a.low | b.low, a.high | b.high}; }
  friend Mask operator^(Mask a, Mask b) { return {a.low ^ b.low, a.high ^ b.high}; }
  friend Mask operator!(Mask a) { return {!a.low, !a.high}; }
  friend Mask operator&&(Mask a, Mask b) { return a & b; }
  friend Mask operator||(Mask a, Mask b) { return a | b; }

  friend bool any(Mask a) { return any(a.low | a.high); }
  friend bool all(Mask a) { return all(a.low & a.high); }
};

/// W doubles; W is a power of two.
template <int W>
struct Lanes {
  static constexpr int width = W;
  using Vector = typename detail::Register<W>::Doubles;
  Vector v;

  Lanes() = default;  // uninitialised, as a double is; Lanes{} is zero
  Lanes(double x) : v(x - Vector{}) {}
  explicit Lanes(Vector x) : v(x) {}

  double operator[](int lane) const { return v[lane]; }
  void set(int lane, double x) { v[lane] = x; }

  friend Lanes operator+(Lanes a, Lanes b) { return Lanes(a.v + b.v); }
  friend Lanes operator-(Lanes a, Lanes b) { return Lanes(a.v - b.v); }
  friend Lanes operator*(Lanes a, Lanes b) { return Lanes(a.v * b.v); }
  friend Lanes operator/(Lanes a, Lanes b) { return Lanes(a.v / b.v); }
  friend Lanes operator-(Lanes a) { return Lanes(-a.v); }
  friend Lanes operator+(Lanes a) { return a; }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }
  Lanes& operator/=(Lanes b) { return *this = *this / b; }

  friend Mask<W> operator<(Lanes a, Lanes b) { return Mask<W>(a.v < b.v); }
  friend Mask<W> operator>(Lanes a, Lanes b) { return Mask<W>(a.v > b.v); }
  friend Mask<W> operator<=(Lanes a, Lanes b) { return Mask<W>(a.v <= b.v); }
  friend Mask<W> operator>=(Lanes a, Lanes b) { return Mask<W>(a.v >= b.v); }
  friend Mask<W> operator==(Lanes a, Lanes b) { return Mask<W>(a.v == b.v); }
  friend Mask<W> operator!=(Lanes a, Lanes b) { return Mask<W>(a.v != b.v); }

  /// mask ? a : b, lane by lane.
  friend Lanes select(Mask<W> mask, Lanes a, Lanes b) { return Lanes(mask.bits ? a.v : b.v); }
};

/// Two packs as one.
template <int W>
requires(W > native_width) struct alignas(8 * W) Lanes<W> {
  static constexpr int width = W;
  using Half = Lanes<W / 2>;
  Half low, high;

  Lanes() = default;
  Lanes(double x) : low(x), high(x) {}
  Lanes(Half a, Half b) : low(a), high(b) {}

  double operator[](int lane) const { return lane < W / 2 ? low[lane] : high[lane - W / 2]; }
  void set(int lane, double x) { lane < W / 2 ? low.set(lane, x) : high.set(lane - W / 2, x); }

  friend Lanes operator+(Lanes a, Lanes b) { return {a.low + b.low, a.high + b.high}; }
  friend Lanes operator-(Lanes a, Lanes b) { return {a.low - b.low, a.high - b.high}; }
  friend Lanes operator*(Lanes a, Lanes b) { return {a.low * b.low, a.high * b.high}; }
  friend Lanes operator/(Lanes a, Lanes b) { return {a.low / b.low, a.high / b.high}; }
  friend Lanes operator-(Lanes a) { return {-a.low, -a.high}; }
  friend Lanes operator+(Lanes a) { return a; }
  Lanes& operator+=(Lanes b) { return *this = *this + b; }
  Lanes& operator-=(Lanes b) { return *this = *this - b; }
  Lanes& operator*=(Lanes b) { return *this = *this * b; }
  Lanes& operator/=(Lanes b) { return *this = *this / b; }

  friend Mask<W> operator<(Lanes a, Lanes b) { return {a.low < b.low, a.high < b.high}; }
  friend Mask<W> operator>(Lanes a, Lanes b) { return {a.low > b.low, a.high > b.high}; }
  friend Mask<W> operator<=(Lanes a, Lanes b) { return {a.low <= b.low, a.high <= b.high}; }
  friend Mask<W> operator>=(Lanes a, Lanes b) { return {a.low >= b.low, a.high >= b.high}; }
  friend Mask<W> operator==(Lanes a, Lanes b) { return {a.low == b.low, a.high == b.high}; }
  friend Mask<W> operator!=(Lanes a, Lanes b) { return {a.low != b.low, a.high != b.high}; }

  friend Lanes select(Mask<W> mask, Lanes a, Lanes b) {
    return {select(mask.low, a.low, b.low), select(mask.high, a.high, b.high)};
  }
};

template <class T>
struct IsLanes : std::false_type {};
template <int W>
struct IsLanes<Lanes<W>> : std::true_type {};

/// A real type: double, or a pack of lanes.
template <class R>
concept Real = std::same_as<R, double> || IsLanes<R>::value;

template <class R>
inline constexpr int width_of = 1;
template <int W>
inline constexpr int width_of<Lanes<W>> = W;

template <class R>
struct MaskOf {
  using type = bool;
};
template <int W>
struct MaskOf<Lanes<W>> {
  using type = Mask<W>;
};
/// What a comparison of R yields: bool, or a mask of lanes.
template <class R>
using mask_of = typename MaskOf<R>::type;

/// One lane's value; of a double, itself.
inline double lane(double x, int) {
  return x;
}
template <int W>
double lane(Lanes<W> x, int i) {
  return x[i];
}
inline bool lane(bool x, int) {
  return x;
}
template <int W>
bool lane(Mask<W> x, int i) {
  return x[i];
}
/// Truth values as the bits of a number, lane 0 lowest.
inline unsigned bits(bool x) {
  return x ? 1u : 0u;
}
template <int W>
[[gnu::always_inline]] inline unsigned bits(Mask<W> x) {
  if constexpr (W > native_width) {
    return bits(x.low) | bits(x.high) << W / 2;
  } else {
#if defined(__AVX512DQ__)
    if constexpr (W == 8) return _mm512_movepi64_mask((__m512i)x.bits);
#endif
    unsigned result = 0;
    for (int i = 0; i < W; ++i) result |= static_cast<unsigned>(x[i]) << i;
    return result;
  }
}
/// act(i) for the true lanes i, in order.
template <class Truth, class Act>
[[gnu::always_inline]] inline void for_lanes(Truth lanes, const Act& act) {
  for (unsigned left = bits(lanes); left != 0; left &= left - 1) act(std::countr_zero(left));
}
inline void set_lane(double& x, int, double value) {
  x = value;
}
template <int W>
void set_lane(Lanes<W>& x, int i, double value) {
  x.set(i, value);
}
inline void set_lane(bool& x, int, bool value) {
  x = value;
}
template <int W>
void set_lane(Mask<W>& x, int i, bool value) {
  x.set(i, value);
}

/// a b + c, fused exactly where cotangent::fma(double) fuses.
template <int W>
Lanes<W> fma(Lanes<W> a, Lanes<W> b, Lanes<W> c) {
  if constexpr (W > native_width) {
    return {fma(a.low, b.low, c.low), fma(a.high, b.high, c.high)};
  } else if constexpr (!hardware_fma) {
    return a * b + c;
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) return Lanes<W>((typename Lanes<W>::Vector)_mm512_fmadd_pd(a.v, b.v, c.v));
#endif
#if defined(__FMA__)
    if constexpr (W == 4) return Lanes<W>((typename Lanes<W>::Vector)_mm256_fmadd_pd(a.v, b.v, c.v));
    if constexpr (W == 2) return Lanes<W>((typename Lanes<W>::Vector)_mm_fmadd_pd(a.v, b.v, c.v));
#elif defined(__aarch64__)
    if constexpr (W == 2) return Lanes<W>((typename Lanes<W>::Vector)vfmaq_f64(c.v, a.v, b.v));
#endif
    Lanes<W> r;
    for (int i = 0; i < W; ++i) r.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
    return r;
  }
}
template <int W>
Lanes<W> fma(double a, Lanes<W> b, Lanes<W> c) {
  return fma(Lanes<W>(a), b, c);
}

template <int W>
Lanes<W> sqrt(Lanes<W> a) {
  if constexpr (W > native_width) {
    return {sqrt(a.low), sqrt(a.high)};
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) return Lanes<W>((typename Lanes<W>::Vector)_mm512_maskz_sqrt_pd(0xff, a.v));
#endif
#if defined(__AVX__)
    if constexpr (W == 4) return Lanes<W>((typename Lanes<W>::Vector)_mm256_sqrt_pd(a.v));
#elif defined(__aarch64__)
    if constexpr (W == 2) return Lanes<W>((typename Lanes<W>::Vector)vsqrtq_f64(a.v));
#endif
    Lanes<W> r;
    for (int i = 0; i < W; ++i) r.v[i] = std::sqrt(a.v[i]);
    return r;
  }
}

template <int W>
Lanes<W> abs(Lanes<W> a) {
  if constexpr (W > native_width) {
    return {abs(a.low), abs(a.high)};
  } else {
    using Bits = typename Mask<W>::Vector;
    return Lanes<W>(
        (typename Lanes<W>::Vector)((Bits)a.v & (Bits{} + std::numeric_limits<std::int64_t>::max())));
  }
}
/// The smaller; the second where one is NaN (as the processor's own minimum).
template <int W>
Lanes<W> min(Lanes<W> a, Lanes<W> b) {
  if constexpr (W > native_width) {
    return {min(a.low, b.low), min(a.high, b.high)};
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) return Lanes<W>((typename Lanes<W>::Vector)_mm512_maskz_min_pd(0xff, a.v, b.v));
#endif
#if defined(__AVX__)
    if constexpr (W == 4) return Lanes<W>((typename Lanes<W>::Vector)_mm256_min_pd(a.v, b.v));
#endif
    return select(a < b, a, b);
  }
}
/// The larger; the second where one is NaN (as the processor's own maximum).
template <int W>
Lanes<W> max(Lanes<W> a, Lanes<W> b) {
  if constexpr (W > native_width) {
    return {max(a.low, b.low), max(a.high, b.high)};
  } else {
#if defined(__AVX512F__)
    if constexpr (W == 8) return Lanes<W>((typename Lanes<W>::Vector)_mm512_maskz_max_pd(0xff, a.v, b.v));
#endif
#if defined(__AVX__)
    if constexpr (W == 4) return Lanes<W>((typename Lanes<W>::Vector)_mm256_max_pd(a.v, b.v));
#endif
    return select(a > b, a, b);
  }
}
template <int W>
Mask<W> isfinite(Lanes<W> a) {
  return abs(a) <= Lanes<W>(std::numeric_limits<double>::max());
}

}  // namespace cotangent::numerics
