// SIMD lanes: W doubles that take every operation together, one trajectory a lane.
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

namespace detail {
/// The nearest integer, ties to even, for |x| < 2^51.
template <int W>
Lanes<W> nearest_integer(Lanes<W> x) {
  const Lanes<W> shift(6755399441055744.0);  // 1.5 * 2^52
  return (x + shift) - shift;
}
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

}  // namespace cotangent::numerics
