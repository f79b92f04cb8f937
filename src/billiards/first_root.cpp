// SPDX-License-Identifier: BSD-3-Clause
#include "billiards/first_root.hpp"

#include <algorithm>

namespace cotangent::billiards {

namespace {

template <int Degree>
Pack root_of_degree(const Coefficients& c, int degree, const Search& search) {
  if constexpr (Degree < most_degree) {
    if (degree > Degree) return root_of_degree<Degree + 1>(c, degree, search);
  }
  std::array<Pack, Degree + 1> own;
  std::copy_n(c.begin(), Degree + 1, own.begin());
  return first_root_of_polynomial(own, search);
}

}  // namespace

Pack first_root(const Coefficients& c, int degree, const Search& search) {
  return root_of_degree<1>(c, degree, search);
}

}  // namespace cotangent::billiards
