// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic in A(N), (2.8) to (2.14) of V. P. Chan, The design, implementation, and applications of a
// novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018). Jets mix with constants:
// reals of their own kind and plain numbers. Each sum of two products takes one fma(). A division
// multiplies the derivatives by a reciprocal; the value is always rounded as plain evaluation rounds it.
// Comparisons compare values.
#pragma once

#include "ad/jet.hpp"

namespace cotangent::ad {

namespace detail {

template <class A, class B>
inline constexpr bool same_algebra = false;
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
inline constexpr bool same_algebra<Jet<Real, N, Order, S>, Jet<Real, N, Order, T>> = true;
template <class Real, int N, int Order, Sparsity<N> S, ConstantOf<Real> C>
inline constexpr bool same_algebra<Jet<Real, N, Order, S>, C> = true;
template <class Real, int N, int Order, Sparsity<N> S, ConstantOf<Real> C>
inline constexpr bool same_algebra<C, Jet<Real, N, Order, S>> = true;

/// The jet of the same algebra as Like whose structure is S.
template <class Like, auto S>
using JetLike = Jet<typename Like::real_type, Like::dimension, Like::order, S>;

/// x as a jet of the algebra of Like: a constant becomes a jet without derivatives.
template <class Like, class X>
COTANGENT_INLINE decltype(auto) lift(const X& x) {
  if constexpr (is_jet<X>) {
    return (x);
  } else {
    return JetLike<Like, Sparsity<Like::dimension>{}>(x);
  }
}

/// 1 / x, in scalar arithmetic where x is a plain number.
template <class Real, class X>
COTANGENT_INLINE Real reciprocal(const X& x) {
  if constexpr (is_jet<X>) {
    return Real(1.0) / x.value();
  } else if constexpr (std::is_arithmetic_v<X>) {
    return Real(1.0 / static_cast<double>(x));
  } else {
    return Real(1.0) / x;
  }
}

}  // namespace detail

/// A's partner in an operation: two jets of one algebra, or a jet and a constant.
template <class B, class A>
concept OperandWith = detail::same_algebra<A, B>;

namespace detail {

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto add(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, sum(S, T)>::assemble(
      a.value() + b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.first(i), b.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.second(i, j), b.second(i, j)); });
}

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto subtract(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, difference(S, T)>::assemble(
      a.value() - b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA { return plus<Real>(a.first(i), negative<Real>(b.first(i))); },
      [&](auto i, auto j)
          COTANGENT_INLINE_LAMBDA { return plus<Real>(a.second(i, j), negative<Real>(b.second(i, j))); });
}

template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto multiply(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b) {
  return Jet<Real, N, Order, product(S, T)>::assemble(
      a.value() * b.value(),
      [&](auto i) COTANGENT_INLINE_LAMBDA {
        return multiply_add<Real>(a.value(), b.first(i), times<Real>(b.value(), a.first(i)));
      },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
        const auto outer = multiply_add<Real>(a.first(i), b.first(j), times<Real>(a.first(j), b.first(i)));
        return multiply_add<Real>(a.value(), b.second(i, j),
                                  multiply_add<Real>(b.value(), a.second(i, j), outer));
      });
}

/// a / b, given r = 1 / b: q' = r a' - q r b', q'' = r (a'' - q' b' - b' q') - q r b''.
template <class Real, int N, int Order, Sparsity<N> S, Sparsity<N> T>
COTANGENT_INLINE auto divide(const Jet<Real, N, Order, S>& a, const Jet<Real, N, Order, T>& b,
                             const Real& r) {
  const Real q = a.value() / b.value();
  const Real c = -(q * r);
  const auto first = [&](auto i) COTANGENT_INLINE_LAMBDA {
    return multiply_add<Real>(c, b.first(i), times<Real>(r, a.first(i)));
  };
  return Jet<Real, N, Order, quotient(S, T)>::assemble(q, first, [&](auto i, auto j) COTANGENT_INLINE_LAMBDA {
    const auto outer = multiply_add<Real>(first(i), b.first(j), times<Real>(first(j), b.first(i)));
    const auto numerator = plus<Real>(a.second(i, j), negative<Real>(outer));
    return multiply_add<Real>(c, b.second(i, j), times<Real>(r, numerator));
  });
}

}  // namespace detail

template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto operator+(const Jet<Real, N, Order, S>& a) {
  return a;
}
template <class Real, int N, int Order, Sparsity<N> S>
COTANGENT_INLINE auto operator-(const Jet<Real, N, Order, S>& a) {
  return Jet<Real, N, Order, detail::difference(Sparsity<N>{}, S)>::assemble(
      -a.value(), [&](auto i) COTANGENT_INLINE_LAMBDA { return detail::negative<Real>(a.first(i)); },
      [&](auto i, auto j) COTANGENT_INLINE_LAMBDA { return detail::negative<Real>(a.second(i, j)); });
}

template <class A, OperandWith<A> B>
COTANGENT_INLINE auto operator+(const A& a, const B& b) {
  return detail::add(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, OperandWith<A> B>
COTANGENT_INLINE auto operator-(const A& a, const B& b) {
  return detail::subtract(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, OperandWith<A> B>
COTANGENT_INLINE auto operator*(const A& a, const B& b) {
  return detail::multiply(detail::lift<B>(a), detail::lift<A>(b));
}
template <class A, OperandWith<A> B>
COTANGENT_INLINE auto operator/(const A& a, const B& b) {
  const auto& numerator = detail::lift<B>(a);
  using Real = typename std::remove_cvref_t<decltype(numerator)>::real_type;
  return detail::divide(numerator, detail::lift<A>(b), detail::reciprocal<Real>(b));
}

#define COTANGENT_COMPARISON(op)                                     \
  template <class A, OperandWith<A> B>                               \
  COTANGENT_INLINE auto operator op(const A& a, const B& b) {        \
    return detail::lift<B>(a).value() op detail::lift<A>(b).value(); \
  }
COTANGENT_COMPARISON(<)
COTANGENT_COMPARISON(>)
COTANGENT_COMPARISON(<=)
COTANGENT_COMPARISON(>=)
COTANGENT_COMPARISON(==)
COTANGENT_COMPARISON(!=)
#undef COTANGENT_COMPARISON

}  // namespace cotangent::ad
