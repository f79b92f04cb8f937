// SPDX-License-Identifier: BSD-3-Clause
// The elementary functions on A(N): phi(s, g, H) = (phi, phi' g, phi'' g g^T + phi' H), (2.20) of
// Chan (2018), and their counterpart for two arguments. Derivatives keep their relative accuracy
// where the closed form of the textbooks would cancel. Where a function isn't smooth the conventions are:
//   abs'(0) = 0; min and max take value and derivatives of the second argument at a tie, those of a NaN where
//   one is; sqrt, cbrt, hypot, atan2 and the inverse functions give infinity or NaN at the ends of their
//   domains, as IEEE arithmetic does.
// Written unqualified, they are found for jets by argument. Values without derivatives enter as
// constants<>(x); a body that must also run on bare numbers says `using namespace cotangent::ad`.
// Reference: V. P. Chan, The design, implementation, and applications of a novel numerical solver: the
// Lagrangian solver (master's thesis, OIST, 2018).
#pragma once

#include <cmath>
#include <numbers>

#include "ad/arithmetic.hpp"

namespace cotangent::ad {

using std::abs, std::sqrt, std::cbrt, std::exp, std::log, std::expm1, std::log1p, std::pow;
using std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::atan2, std::hypot;
using std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh, std::erf;

/// The sine and the cosine of one argument, which share their work.
template <class J>
struct JetSinCos {
  J sin, cos;
};

namespace detail {

/// phi(a), given phi, phi', phi'' at a's value.
template <class Real, int N, int Order, Sparsity<N> S, class First, class Second>
COTANGENT_INLINE auto chain(const Jet<Real, N, Order, S>& a, const Real& phi, const First& d,
                            const Second& dd) {
  return Jet<Real, N, Order, function(S)>::assemble(
      phi, [&](auto i) COTANGENT_INLINE_LAMBDA { return times<Real>(d, a.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
        return multiply_add<Real>(times<Real>(dd, a.first(i)), a.first(j), times<Real>(d, a.second(i, j)));
      });
}

/// First and second partial derivatives of a function of two arguments.
template <class Real>
struct Partials {
  Real a, b, aa, ab, bb;
};

/// phi(a, b), given phi and its partial derivatives at the values of a and b.
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto chain(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b, const Real& phi,
                            const Partials<Real>& d) {
  return Jet<Real, N, Order, function(S, T)>::assemble(
      phi,
      [&](auto i) COTANGENT_INLINE_LAMBDA {
        return multiply_add<Real>(d.a, a.first(i), times<Real>(d.b, b.first(i)));
      },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
        // u, w: the gradients of phi_a and phi_b.
        const auto u = multiply_add<Real>(d.aa, a.first(i), times<Real>(d.ab, b.first(i)));
        const auto w = multiply_add<Real>(d.ab, a.first(i), times<Real>(d.bb, b.first(i)));
        const auto bent = multiply_add<Real>(u, a.first(j), times<Real>(w, b.first(j)));
        return multiply_add<Real>(d.a, a.second(i, j), multiply_add<Real>(d.b, b.second(i, j), bent));
      });
}

/// Lane by lane, a where the mask is set and b elsewhere.
template <class Mask, class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto choose(const Mask& mask, const Jet<Real, N, Order, S>& a,
                             const Jet<Real, N, Order, T>& b, auto result_degree) {
  const auto pick = [&](const auto& x, const auto& y)
                        COTANGENT_INLINE_LAMBDA { return select(mask, number<Real>(x), number<Real>(y)); };
  return Jet<Real, N, Order, choice(S, T, result_degree)>::assemble(
      select(mask, a.value(), b.value()),
      [&](auto i) COTANGENT_INLINE_LAMBDA { return pick(a.first(i), b.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return pick(a.second(i, j), b.second(i, j)); });
}

}  // namespace detail

/// A real that carries no derivatives.
template <class T>
concept PlainReal = !is_jet<T> && !std::is_integral_v<T>;

/// Powers with an integer exponent, by multiplications alone.
template <PlainReal Real>
COTANGENT_INLINE Real pow(const Real& x, int n) {
  return integer_power(x, n);
}
template <PlainReal Real>
COTANGENT_INLINE Real square(const Real& x) {
  return x * x;
}
COTANGENT_INLINE double square(double x) {
  return x * x;
}
/// The smaller; the second at a tie; NaN where one is.
COTANGENT_INLINE double min(double a, double b) {
  return a < b || a != a ? a : b;
}
/// The larger; the second at a tie; NaN where one is.
COTANGENT_INLINE double max(double a, double b) {
  return a > b || a != a ? a : b;
}

// A row is a function of x, its first derivative in terms of x and its value f, and its second in terms of
// these and the first, d.
#define COTANGENT_FUNCTION(name, value_at_x, first, second)     \
  template <class Real, int N, int Order, Sparsity<N> S>        \
  COTANGENT_INLINE auto name(const Jet<Real, N, Order, S>& a) { \
    const Real& x = a.value();                                  \
    const Real f = value_at_x;                                  \
    const Real d = first;                                       \
    const Real dd = second;                                     \
    return detail::chain(a, f, d, dd);                          \
  }
// clang-format off
COTANGENT_FUNCTION(sqrt, sqrt(x), 0.5 / f, -2.0 * (d * d * d))
COTANGENT_FUNCTION(cbrt, cbrt(x), 1.0 / (3.0 * f * f), -2.0 * (d * d) / f)
COTANGENT_FUNCTION(exp, exp(x), f, f)
COTANGENT_FUNCTION(expm1, expm1(x), exp(x), d)
COTANGENT_FUNCTION(log, log(x), 1.0 / x, -(d * d))
COTANGENT_FUNCTION(log1p, log1p(x), 1.0 / (1.0 + x), -(d * d))
COTANGENT_FUNCTION(tan, tan(x), fma(f, f, Real(1.0)), 2.0 * f * d)
COTANGENT_FUNCTION(asin, asin(x), 1.0 / sqrt((1.0 - x) * (1.0 + x)), x * (d * d * d))
COTANGENT_FUNCTION(acos, acos(x), -1.0 / sqrt((1.0 - x) * (1.0 + x)), x * (d * d * d))
COTANGENT_FUNCTION(atan, atan(x), 1.0 / fma(x, x, Real(1.0)), -2.0 * x * (d * d))
COTANGENT_FUNCTION(sinh, sinh(x), cosh(x), f)
COTANGENT_FUNCTION(cosh, cosh(x), sinh(x), f)
COTANGENT_FUNCTION(tanh, tanh(x), square(Real(1.0 / cosh(x))), -2.0 * f * d)
COTANGENT_FUNCTION(asinh, asinh(x), 1.0 / sqrt(fma(x, x, Real(1.0))), -x * (d * d * d))
COTANGENT_FUNCTION(acosh, acosh(x), 1.0 / sqrt((x - 1.0) * (x + 1.0)), -x * (d * d * d))
COTANGENT_FUNCTION(atanh, atanh(x), 1.0 / ((1.0 - x) * (1.0 + x)), 2.0 * x * (d * d))
COTANGENT_FUNCTION(erf, erf(x), (2.0 * std::numbers::inv_sqrtpi) * exp(-(x * x)), -2.0 * x * d)
// clang-format on
#undef COTANGENT_FUNCTION

/// Sine and cosine together: `auto [s, c] = sincos(x);`.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto sincos(const Jet<Real, N, Order, S>& a) {
  const auto both = sincos(a.value());
  const Real s = both.sin;
  const Real c = both.cos;
  using J = Jet<Real, N, Order, detail::function(S)>;
  return JetSinCos<J>{detail::chain(a, s, c, Real(-s)), detail::chain(a, c, Real(-s), Real(-c))};
}
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto sin(const Jet<Real, N, Order, S>& a) {
  return sincos(a).sin;
}
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto cos(const Jet<Real, N, Order, S>& a) {
  return sincos(a).cos;
}

/// a a, of twice a's degree.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto square(const Jet<Real, N, Order, S>& a) {
  return a * a;
}

/// a^n by multiplications alone. The type can't know n: for the degree to be seen, write square(v) or v * v.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto pow(const Jet<Real, N, Order, S>& a, int n) {
  const Real& x = a.value();
  const Real f = pow(x, n);
  const double c = n;
  if (n < 0) {
    const Real r = 1.0 / x;
    const Real d = c * (f * r);
    return detail::chain(a, f, d, Real((c - 1.0) * (d * r)));
  }
  // Below the power that a derivative leaves there is nothing, not 0 times 1/x.
  const Real d = n > 0 ? c * pow(x, n - 1) : Real(0.0);
  const Real dd = n > 1 ? (c * (c - 1.0)) * pow(x, n - 2) : Real(0.0);
  return detail::chain(a, f, d, dd);
}

/// a^p for a constant p.
template <class Real, int N, int Order, Sparsity<N> S, ConstantOf<Real> C>
COTANGENT_INLINE auto pow(const Jet<Real, N, Order, S>& a, const C& exponent) {
  const Real& x = a.value();
  const Real p(exponent);
  const Real f = pow(x, p);
  const Real r = 1.0 / x;
  Real d = p * (f * r);
  Real dd = (p - 1.0) * (d * r);
  if (const auto at_zero = x == Real(0.0); any(at_zero)) [[unlikely]] {
    const Real c = p * (p - 1.0);
    d = select(at_zero, select(p == Real(0.0), Real(0.0), p * pow(x, p - 1.0)), d);
    dd = select(at_zero, select(c == Real(0.0), Real(0.0), c * pow(x, p - 2.0)), dd);
  }
  return detail::chain(a, f, d, dd);
}

/// c^b for a constant c > 0.
template <class Real, int N, int Order, Sparsity<N> S, ConstantOf<Real> C>
COTANGENT_INLINE auto pow(const C& c, const Jet<Real, N, Order, S>& b) {
  const Real f = pow(Real(c), b.value());
  const Real logarithm = log(Real(c));
  const Real d = logarithm * f;
  return detail::chain(b, f, d, Real(logarithm * d));
}

/// a^b. Where a <= 0, b is whole and has no derivatives: log a, which only these need, counts as zero there.
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto pow(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  const Real& x = a.value();
  const Real& p = b.value();
  const Real f = pow(x, p);
  const Real logarithm = select(x > Real(0.0), log(x), Real(0.0));
  const Real r = 1.0 / x;
  const Real c = p * (p - 1.0);
  Real fr = f * r;
  Real d = p * fr;
  Real dd = c * (fr * r);
  if (const auto at_zero = x == Real(0.0); any(at_zero)) [[unlikely]] {
    fr = select(at_zero, select(p == Real(0.0), Real(0.0), pow(x, p - 1.0)), fr);
    d = p * fr;
    dd = select(at_zero, select(c == Real(0.0), Real(0.0), c * pow(x, p - 2.0)), dd);
  }
  const Real fl = f * logarithm;
  return detail::chain(a, b, f,
                       detail::Partials<Real>{d, fl, dd, fr * fma(p, logarithm, Real(1.0)), fl * logarithm});
}

/// The angle of the point (x, y).
template <class Y, OperandWith<Y> X>
COTANGENT_INLINE auto atan2(const Y& y, const X& x) {
  const auto& a = detail::lift<X>(y);
  const auto& b = detail::lift<Y>(x);
  using Real = typename std::remove_cvref_t<decltype(a)>::real_type;
  // Scaled by the radius twice, so that its square can't overflow.
  const Real r = 1.0 / hypot(b.value(), a.value());
  const Real u = (b.value() * r) * r;
  const Real w = (a.value() * r) * r;
  const Real bend = 2.0 * u * w;
  return detail::chain(a, b, Real(atan2(a.value(), b.value())),
                       detail::Partials<Real>{u, -w, -bend, (w - u) * (w + u), bend});
}

/// sqrt(x^2 + y^2) without overflow.
template <class X, OperandWith<X> Y>
COTANGENT_INLINE auto hypot(const X& x, const Y& y) {
  const auto& a = detail::lift<Y>(x);
  const auto& b = detail::lift<X>(y);
  using Real = typename std::remove_cvref_t<decltype(a)>::real_type;
  const Real f = hypot(a.value(), b.value());
  const Real r = 1.0 / f;
  const Real u = a.value() * r;
  const Real w = b.value() * r;
  return detail::chain(a, b, f, detail::Partials<Real>{u, w, w * w * r, -(u * w) * r, u * u * r});
}

/// The magnitude; its derivative at 0 is 0.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto abs(const Jet<Real, N, Order, S>& a) {
  const Real& x = a.value();
  // x - x is 0 at 0 and NaN at NaN.
  const Real sign = select(x > Real(0.0), Real(1.0), select(x < Real(0.0), Real(-1.0), x - x));
  using J = Jet<Real, N, Order, detail::choice(detail::difference({}, S), {}, detail::nonlinear(S.degree))>;
  return J::assemble(
      abs(x), [&](auto i) COTANGENT_INLINE_LAMBDA { return detail::times<Real>(sign, a.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return detail::times<Real>(sign, a.second(i, j)); });
}

namespace detail {
template <class A, class B>
using ChoiceDegree = Index<nonlinear(std::max(degree<A>, degree<B>))>;
/// Where the first of two is chosen: where it is asked for, and where it is NaN.
template <class Mask, class J>
COTANGENT_INLINE auto first_where(const Mask& asked, const J& first) {
  const auto is_nan = value(first) != value(first);
  if constexpr (std::same_as<Mask, bool>) {
    return asked || is_nan;
  } else {
    return asked | is_nan;
  }
}
}  // namespace detail

/// Lane by lane, a where the mask is set and b elsewhere; no polynomial, for a mask may hang on velocities.
template <class Mask, class A, OperandWith<A> B>
COTANGENT_INLINE auto select(const Mask& mask, const A& a, const B& b) {
  return detail::choose(mask, detail::lift<B>(a), detail::lift<A>(b), detail::Index<3>{});
}

/// The smaller; the second at a tie; NaN where one is.
template <class A, OperandWith<A> B>
COTANGENT_INLINE auto min(const A& a, const B& b) {
  const auto first = detail::lift<B>(a), second = detail::lift<A>(b);
  return detail::choose(detail::first_where(a < b, first), first, second, detail::ChoiceDegree<A, B>{});
}
/// The larger; the second at a tie; NaN where one is.
template <class A, OperandWith<A> B>
COTANGENT_INLINE auto max(const A& a, const B& b) {
  const auto first = detail::lift<B>(a), second = detail::lift<A>(b);
  return detail::choose(detail::first_where(a > b, first), first, second, detail::ChoiceDegree<A, B>{});
}
// Two jets of one type: more special than std::min and std::max, should these be in sight.
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto min(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, S>& b) {
  return detail::choose(detail::first_where(a < b, a), a, b, detail::Index<detail::nonlinear(S.degree)>{});
}
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto max(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, S>& b) {
  return detail::choose(detail::first_where(a > b, a), a, b, detail::Index<detail::nonlinear(S.degree)>{});
}

}  // namespace cotangent::ad
