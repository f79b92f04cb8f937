// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic with derivatives that are known to be 0 or 1 by their type: the rules of calculus are written
// once, in full, and what a structural zero or one makes superfluous isn't computed.
#pragma once

#include <concepts>

#include "core/real.hpp"

/// Jets vanish from the machine code only where every layer of calls does; and after it, for a lambda, after
/// its parameters. Under the sanitizers every access is checked, and calls stay calls, or compilers take
/// hours.
#ifdef __SANITIZE_ADDRESS__
#define COTANGENT_INLINE inline
#define COTANGENT_INLINE_LAMBDA
#else
#define COTANGENT_INLINE [[gnu::always_inline]] inline
#define COTANGENT_INLINE_LAMBDA __attribute__((always_inline))
#endif

namespace cotangent::ad {

using cotangent::any;
using cotangent::fma;
using cotangent::select;
using cotangent::sincos;

namespace detail {

struct Zero {};
struct One {};

template <class T>
inline constexpr bool is_zero = std::same_as<T, Zero>;
template <class T>
inline constexpr bool is_one = std::same_as<T, One>;

/// The number that x stands for.
template <class Real, class X>
COTANGENT_INLINE Real number(const X& x) {
  if constexpr (is_zero<X>) {
    return Real(0.0);
  } else if constexpr (is_one<X>) {
    return Real(1.0);
  } else {
    return x;
  }
}

template <class Real, class X>
COTANGENT_INLINE auto negative(const X& x) {
  if constexpr (is_zero<X>) {
    return x;
  } else if constexpr (is_one<X>) {
    return Real(-1.0);
  } else {
    return -x;
  }
}

template <class Real, class A, class B>
COTANGENT_INLINE auto plus(const A& a, const B& b) {
  if constexpr (is_zero<A>) {
    return b;
  } else if constexpr (is_zero<B>) {
    return a;
  } else {
    return number<Real>(a) + number<Real>(b);
  }
}

template <class Real, class A, class B>
COTANGENT_INLINE auto times(const A& a, const B& b) {
  if constexpr (is_zero<A> || is_one<B>) {
    return a;
  } else if constexpr (is_zero<B> || is_one<A>) {
    return b;
  } else {
    return a * b;
  }
}

/// a b + c
template <class Real, class A, class B, class C>
COTANGENT_INLINE auto multiply_add(const A& a, const B& b, const C& c) {
  if constexpr (is_zero<A> || is_zero<B>) {
    return c;
  } else if constexpr (is_zero<C>) {
    return times<Real>(a, b);
  } else if constexpr (is_one<A> || is_one<B>) {
    return plus<Real>(times<Real>(a, b), c);
  } else {
    return fma(a, b, number<Real>(c));
  }
}

}  // namespace detail
}  // namespace cotangent::ad
