// SPDX-License-Identifier: BSD-3-Clause
// What printed formulas call, for plain numbers as for packs and jets, which bring their own by argument.
#pragma once

#include <cmath>

#include "ad/ad.hpp"

namespace cotangent::formulas {

using ad::min, ad::max, ad::sincos;
using std::abs, std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan,
    std::sinh, std::cosh, std::tanh, std::pow, std::atan2, std::hypot;

/// a^n by multiplications alone, so that the type knows the degree.
template <int n, class R>
[[gnu::always_inline]] inline auto power(const R& a) {
  using ad::square;
  if constexpr (n < 0) {
    return 1.0 / power<-n>(a);
  } else if constexpr (n == 0) {
    return 1.0;
  } else if constexpr (n == 1) {
    return a;
  } else if constexpr (n % 2 == 0) {
    return square(power<n / 2>(a));
  } else {
    return power<n - 1>(a) * a;
  }
}

}  // namespace cotangent::formulas
