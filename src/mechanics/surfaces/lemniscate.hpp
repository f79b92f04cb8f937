// SPDX-License-Identifier: BSD-3-Clause
// A lemniscate inflated: the curve on which the product of the distances to n foci is constant, the foci on a
// circle at equal angles, made the core of a closed surface. With w = (x + i y)^n,
//   f = |w|^2 - a^n Re w,   g = f^2 + z^2 - r^2;
// the curve f = 0 has n petals of length a that meet at the origin, the foci lie a / 2^(1/n) from it. f has
// the critical values 0 at the origin and -a^(2n)/4 at the foci: for 0 < r < a^(2n)/4 the surface is regular,
// of genus n; at r = a^(2n)/4 the holes close, beyond they are gone. n = 2 is Bernoulli's lemniscate.
// Reference: D. Shapero, "Billiards on surfaces" (shapero.xyz), for genus 2.
#pragma once

#include <cmath>
#include <utility>

#include "mechanics/surface.hpp"

namespace cotangent::mechanics {

namespace detail {

/// Real and imaginary part of (x + i y)^n.
template <int n, class X, class Y>
[[gnu::always_inline]] inline auto complex_power(const X& x, const Y& y) {
  using ad::square;
  if constexpr (n == 1) {
    return std::pair(x, y);
  } else if constexpr (n % 2 == 0) {
    const auto [re, im] = complex_power<n / 2>(x, y);
    return std::pair(square(re) - square(im), 2.0 * (re * im));
  } else {
    const auto [re, im] = complex_power<n - 1>(x, y);
    return std::pair(re * x - im * y, re * y + im * x);
  }
}
/// x^n
template <int n, class X>
[[gnu::always_inline]] inline auto power(const X& x) {
  using ad::square;
  if constexpr (n == 1) {
    return x;
  } else if constexpr (n % 2 == 0) {
    return square(power<n / 2>(x));
  } else {
    return power<n - 1>(x) * x;
  }
}

}  // namespace detail

template <int n>
struct LemniscateOf {
  static constexpr std::array<Parameter, 2> parameters{
      {{"a", 1.0, "length of the petals"}, {"r", 1.0 / 6, "half the greatest height of the surface"}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto& p) const {
    using ad::square;
    const auto [x, y, z] = q;
    const auto [a, r] = p;
    const auto f =
        detail::power<n>(square(x) + square(y)) - detail::power<n>(a) * detail::complex_power<n>(x, y).first;
    return square(f) + square(z) - square(r);
  }

  static std::optional<std::string> objection(const std::array<double, 2>& p) {
    const double limit = 0.25 * std::pow(p[0], 2 * n);
    if (p[0] > 0 && p[1] > 0 && p[1] < limit) return std::nullopt;
    return "an inflated lemniscate with " + std::to_string(n) +
           " foci is regular and has its holes for a > 0 and 0 < r < a^" + std::to_string(2 * n) +
           "/4 = " + std::to_string(limit) + " only";
  }
};

struct Lemniscate : LemniscateOf<2> {
  static constexpr std::string_view name = "lemniscate";
  static constexpr std::string_view about = "A particle on Bernoulli's lemniscate, inflated: genus 2";
};

}  // namespace cotangent::mechanics
