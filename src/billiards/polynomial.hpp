// SPDX-License-Identifier: BSD-3-Clause
// Polynomials of the time along a flight as a scalar type: a wall's formula, called with coordinates that are
// polynomials, returns omega along the path as one. The degree is part of the type; of a formula that is no
// polynomial nothing is returned but the type NotPolynomial.
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "numerics/lanes.hpp"

namespace cotangent::billiards {

/// sum_k c[k] t^k, k = 0 ... N.
template <class R, int N>
struct Polynomial {
  static constexpr int degree = N;
  std::array<R, N + 1> c;
};

/// What operations return that lead out of the polynomials.
struct NotPolynomial {};

namespace detail {
template <class T>
inline constexpr bool is_polynomial = false;
template <class R, int N>
inline constexpr bool is_polynomial<Polynomial<R, N>> = true;
template <class T>
inline constexpr bool is_not_polynomial = std::is_same_v<std::remove_cvref_t<T>, NotPolynomial>;

template <class T>
concept AnyPolynomial = is_polynomial<std::remove_cvref_t<T>>;
template <class A, class B>
concept LeavesPolynomials = is_not_polynomial<A> || is_not_polynomial<B>;
}  // namespace detail

template <class R, int N, int M>
auto operator+(const Polynomial<R, N>& a, const Polynomial<R, M>& b) {
  Polynomial<R, std::max(N, M)> sum;
  for (int k = 0; k <= std::max(N, M); ++k) {
    sum.c[k] = k > N ? b.c[k] : k > M ? a.c[k] : a.c[k] + b.c[k];
  }
  return sum;
}
template <class R, int N>
Polynomial<R, N> operator-(Polynomial<R, N> a) {
  for (R& coefficient : a.c) coefficient = -coefficient;
  return a;
}
template <class R, int N, int M>
auto operator-(const Polynomial<R, N>& a, const Polynomial<R, M>& b) {
  return a + (-b);
}
template <class R, int N, int M>
auto operator*(const Polynomial<R, N>& a, const Polynomial<R, M>& b) {
  Polynomial<R, N + M> product{};
  for (int i = 0; i <= N; ++i) {
    for (int j = 0; j <= M; ++j) product.c[i + j] = fma(a.c[i], b.c[j], product.c[i + j]);
  }
  return product;
}

template <class R, int N>
Polynomial<R, N> operator+(Polynomial<R, N> a, double b) {
  a.c[0] += R(b);
  return a;
}
template <class R, int N>
Polynomial<R, N> operator+(double a, const Polynomial<R, N>& b) {
  return b + a;
}
template <class R, int N>
Polynomial<R, N> operator-(const Polynomial<R, N>& a, double b) {
  return a + (-b);
}
template <class R, int N>
Polynomial<R, N> operator-(double a, const Polynomial<R, N>& b) {
  return (-b) + a;
}
template <class R, int N>
Polynomial<R, N> operator*(Polynomial<R, N> a, double b) {
  for (R& coefficient : a.c) coefficient *= R(b);
  return a;
}
template <class R, int N>
Polynomial<R, N> operator*(double a, const Polynomial<R, N>& b) {
  return b * a;
}
template <class R, int N>
Polynomial<R, N> operator/(const Polynomial<R, N>& a, double b) {
  return a * (1.0 / b);
}
template <class R, int N>
auto square(const Polynomial<R, N>& a) {
  return a * a;
}

template <class A, detail::AnyPolynomial B>
NotPolynomial operator/(const A&, const B&) {
  return {};
}
#define COTANGENT_LEAVES_POLYNOMIALS(operation)                                          \
  template <class A, class B>                                                            \
  requires detail::LeavesPolynomials<A, B> NotPolynomial operation(const A&, const B&) { \
    return {};                                                                           \
  }
COTANGENT_LEAVES_POLYNOMIALS(operator+)
COTANGENT_LEAVES_POLYNOMIALS(operator-)
COTANGENT_LEAVES_POLYNOMIALS(operator*)
COTANGENT_LEAVES_POLYNOMIALS(operator/)
#undef COTANGENT_LEAVES_POLYNOMIALS
inline NotPolynomial operator-(NotPolynomial) {
  return {};
}
#define COTANGENT_NO_POLYNOMIAL(function)                                                                  \
  template <class A, class... B>                                                                           \
  requires(detail::AnyPolynomial<A> || detail::is_not_polynomial<A>) NotPolynomial function(const A&,      \
                                                                                            const B&...) { \
    return {};                                                                                             \
  }
COTANGENT_NO_POLYNOMIAL(sqrt)
COTANGENT_NO_POLYNOMIAL(cbrt)
COTANGENT_NO_POLYNOMIAL(exp)
COTANGENT_NO_POLYNOMIAL(log)
COTANGENT_NO_POLYNOMIAL(sin)
COTANGENT_NO_POLYNOMIAL(cos)
COTANGENT_NO_POLYNOMIAL(pow)
COTANGENT_NO_POLYNOMIAL(hypot)
#undef COTANGENT_NO_POLYNOMIAL
inline NotPolynomial square(NotPolynomial) {
  return {};
}

/// The polynomial's Taylor coefficients at t: p(t + s) = sum_k result[k] s^k (Horner's rule, repeated).
template <class R, std::size_t Count>
std::array<R, Count> expanded_at(std::array<R, Count> c, const R& t) {
  constexpr int degree = static_cast<int>(Count) - 1;
  for (int i = 0; i < degree; ++i) {
    for (int k = degree - 1; k >= i; --k) c[k] = fma(c[k + 1], t, c[k]);
  }
  return c;
}

}  // namespace cotangent::billiards
