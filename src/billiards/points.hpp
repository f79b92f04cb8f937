// SPDX-License-Identifier: BSD-3-Clause
// Vectors of all lanes at once.
#pragma once

#include "billiards/wall.hpp"

namespace cotangent::billiards {

template <int D>
Pack dot(const Point<D>& a, const Point<D>& b) {
  Pack sum = a[0] * b[0];
  for (int d = 1; d < D; ++d) sum = fma(a[d], b[d], sum);
  return sum;
}
template <int D>
Point<D> select(PackMask mask, const Point<D>& a, const Point<D>& b) {
  Point<D> result;
  for (int d = 0; d < D; ++d) result[d] = select(mask, a[d], b[d]);
  return result;
}
template <int D>
Point<D> plus(const Point<D>& a, const Pack& factor, const Point<D>& b) {
  Point<D> result;
  for (int d = 0; d < D; ++d) result[d] = fma(factor, b[d], a[d]);
  return result;
}
template <int D>
Point<D> times(const std::array<Point<D>, D>& matrix, const Point<D>& x) {
  Point<D> result;
  for (int d = 0; d < D; ++d) result[d] = dot<D>(matrix[d], x);
  return result;
}

}  // namespace cotangent::billiards
