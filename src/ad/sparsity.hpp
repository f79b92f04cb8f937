// SPDX-License-Identifier: BSD-3-Clause
// The static structure of an element of A(N): which first and second derivatives can be nonzero, which first
// derivatives are 1 everywhere, and the degree in the velocities. Structure propagates as the derivatives do
// ((2.8), (2.9), (2.20) of V. P. Chan, The design, implementation, and applications of a novel numerical
// solver: the Lagrangian solver (master's thesis, OIST, 2018), with "zero or not" in place of numbers), at
// compile time, one bit a derivative. It is an upper bound: cancellation as in x - x isn't seen. N <= 64.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace cotangent::ad {

/// What the type of a jet in N variables knows of its derivatives.
template <int N>
struct Sparsity {
  static_assert(0 < N && N <= 64, "a jet has 1 to 64 variables");

  std::uint64_t gradient = 0;     ///< bit i: df/dx_i can be nonzero
  std::uint64_t unit = 0;         ///< bit i: df/dx_i is 1 everywhere, so it isn't stored
  std::uint64_t hessian[N] = {};  ///< bit j of word i: d2f/dx_i dx_j can be nonzero; symmetric
  int degree = 0;                 ///< in the velocities, as a polynomial; 3: higher, or no polynomial

  constexpr bool operator==(const Sparsity&) const = default;
  constexpr bool depends(int i) const { return gradient >> i & 1; }
  constexpr bool has_second(int i, int j) const { return hessian[i] >> j & 1; }
};

/// Everything can be nonzero.
template <int N>
constexpr Sparsity<N> full_sparsity() {
  Sparsity<N> s;
  s.gradient = ~std::uint64_t{0} >> (64 - N);
  for (auto& row : s.hessian) row = s.gradient;
  s.degree = 3;
  return s;
}
template <int N>
inline constexpr Sparsity<N> full = full_sparsity<N>();

namespace detail {

/// The variable x_i itself.
template <int N>
constexpr Sparsity<N> variable(int i, int degree) {
  Sparsity<N> s;
  s.gradient = s.unit = std::uint64_t{1} << i;
  s.degree = degree;
  return s;
}

/// The part that sums, differences, products and functions share.
template <int N>
constexpr Sparsity<N> merged(const Sparsity<N>& a, const Sparsity<N>& b, int degree) {
  Sparsity<N> s;
  s.gradient = a.gradient | b.gradient;
  for (int i = 0; i < N; ++i) s.hessian[i] = a.hessian[i] | b.hessian[i];
  s.degree = degree;
  return s;
}

/// Adds the outer product of the gradients u and w, made symmetric.
template <int N>
constexpr void add_outer(Sparsity<N>& s, std::uint64_t u, std::uint64_t w) {
  for (int i = 0; i < N; ++i) {
    if (u >> i & 1) s.hessian[i] |= w;
    if (w >> i & 1) s.hessian[i] |= u;
  }
}

/// A degree after a function that is no polynomial.
constexpr int nonlinear(int degree) {
  return degree == 0 ? 0 : 3;
}

template <int N>
constexpr Sparsity<N> sum(const Sparsity<N>& a, const Sparsity<N>& b) {
  auto s = merged(a, b, std::max(a.degree, b.degree));
  s.unit = (a.unit & ~b.gradient) | (b.unit & ~a.gradient);
  return s;
}
template <int N>
constexpr Sparsity<N> difference(const Sparsity<N>& a, const Sparsity<N>& b) {
  auto s = merged(a, b, std::max(a.degree, b.degree));
  s.unit = a.unit & ~b.gradient;
  return s;
}
template <int N>
constexpr Sparsity<N> product(const Sparsity<N>& a, const Sparsity<N>& b) {
  auto s = merged(a, b, std::min(3, a.degree + b.degree));
  add_outer(s, a.gradient, b.gradient);
  return s;
}
template <int N>
constexpr Sparsity<N> quotient(const Sparsity<N>& a, const Sparsity<N>& b) {
  auto s = merged(a, b, b.degree == 0 ? a.degree : 3);
  add_outer(s, a.gradient, b.gradient);
  add_outer(s, b.gradient, b.gradient);
  return s;
}
/// phi(a): a smooth function of one argument.
template <int N>
constexpr Sparsity<N> function(const Sparsity<N>& a) {
  auto s = merged(a, {}, nonlinear(a.degree));
  add_outer(s, a.gradient, a.gradient);
  return s;
}
/// phi(a, b): a smooth function of two.
template <int N>
constexpr Sparsity<N> function(const Sparsity<N>& a, const Sparsity<N>& b) {
  auto s = merged(a, b, nonlinear(std::max(a.degree, b.degree)));
  add_outer(s, s.gradient, s.gradient);
  return s;
}
/// One of a and b, or -a: linear wherever it is smooth, but a polynomial only piece by piece.
template <int N>
constexpr Sparsity<N> choice(const Sparsity<N>& a, const Sparsity<N>& b, int degree) {
  auto s = merged(a, b, degree);
  s.unit = a.unit & b.unit;
  return s;
}

/// True where every function with structure `narrow` also has structure `wide`.
template <int N>
constexpr bool covers(const Sparsity<N>& wide, const Sparsity<N>& narrow) {
  if ((narrow.gradient & ~wide.gradient) != 0 || (wide.unit & ~narrow.unit) != 0) return false;
  for (int i = 0; i < N; ++i) {
    if ((narrow.hessian[i] & ~wide.hessian[i]) != 0) return false;
  }
  return narrow.degree <= wide.degree;
}

/// Where a jet keeps which derivative: those that are neither 0 nor 1, in order; the Hessian's upper half.
template <int N, Sparsity<N> S>
struct Layout {
  static constexpr std::uint64_t stored = S.gradient & ~S.unit;
  static constexpr int gradient_count = std::popcount(stored);
  static constexpr std::uint64_t upper(int i) { return S.hessian[i] >> i << i; }
  static constexpr int hessian_count = [] {
    int count = 0;
    for (int i = 0; i < N; ++i) count += std::popcount(upper(i));
    return count;
  }();

  /// The variable whose derivative stands in each place.
  static constexpr auto gradient_index = [] {
    std::array<int, gradient_count> index{};
    for (int i = 0, place = 0; i < N; ++i) {
      if (stored >> i & 1) index[place++] = i;
    }
    return index;
  }();
  static constexpr auto hessian_index = [] {
    std::array<std::array<int, 2>, hessian_count> index{};
    for (int i = 0, place = 0; i < N; ++i) {
      for (int j = i; j < N; ++j) {
        if (S.hessian[i] >> j & 1) index[place++] = {i, j};
      }
    }
    return index;
  }();

  /// The place of a derivative that is stored.
  static constexpr int place(int i) { return std::popcount(stored & ((std::uint64_t{1} << i) - 1)); }
  static constexpr int place(int i, int j) {
    if (j < i) std::swap(i, j);
    int before = std::popcount(upper(i) & ((std::uint64_t{1} << j) - 1));
    for (int row = 0; row < i; ++row) before += std::popcount(upper(row));
    return before;
  }
};

}  // namespace detail
}  // namespace cotangent::ad
