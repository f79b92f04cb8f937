// SPDX-License-Identifier: BSD-3-Clause
// All roots in [0, 1] of a polynomial in Bernstein form, by the sign variations of its coefficients and de
// Casteljau's subdivision: no variation, no root; one variation, exactly one. Zero counts as positive.
// Reference: Farouki, The Bernstein polynomial basis: a centennial retrospective (2012), 6.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "integrators/method.hpp"
#include "numerics/dense.hpp"

namespace cotangent::sections {

using Bernstein = std::array<double, integrators::max_degree + 1>;

/// A root: where it is, and whether the polynomial goes from negative to positive there.
struct Root {
  double theta;
  bool rising;
};

struct Roots {
  std::vector<Root> crossings;   ///< in ascending order
  std::vector<double> contacts;  ///< theta where it comes within `touch` of zero and goes back
};

/// Finds the roots of the polynomial with these coefficients, degree d. What comes closer to zero than
/// `touch` without a change of sign, or goes beyond by no more than that, is a contact. One at an end is that
/// of the step that ends there; where the motion goes on smoothly beyond the ends, the next step sees the
/// same parabola and takes it for the same contact, on whichever side round-off puts what there is of it.
void find_roots(const Bernstein& coefficients, int d, double touch, bool smooth, Roots& roots);

/// How often the coefficients change sign: an upper bound on the number of roots inside, and of its parity.
template <class R>
R sign_variations(const R* c, int d) {
  R count(0.0);
  auto negative = c[0] < R(0.0);
  for (int k = 1; k <= d; ++k) {
    const auto next = c[k] < R(0.0);
    count += select(next ^ negative, R(1.0), R(0.0));
    negative = next;
  }
  return count;
}

/// How far from the end at c[0] a contact there reaches, in theta: the end and the vertex of the parabola
/// that the polynomial is there lie within `touch` of zero. 0 where there is none. The other way round, with
/// `way` = -1, of the coefficients up to c[0].
template <class R>
R reach_of_contact(const R* c, int d, int way, const R& touch) {
  using numerics::absolute, cotangent::select, std::sqrt;
  if (d < 3) return R(0.0);
  const double n = d;
  const R f = c[0], first = c[way] - f, second = c[2 * way] - c[way];
  const R slope = R(n) * first, bend = R(n * (n - 1)) * (second - first);
  const R third = R(n * (n - 1) * (n - 2)) * ((c[3 * way] - c[2 * way]) - R(2.0) * second + first);
  const R most = absolute(bend), reach = sqrt(R(8.0) * touch / most);
  const auto vertex = absolute(R(2.0) * bend * f - slope * slope) <= R(2.0) * most * touch;
  const auto parabola = (reach <= R(0x1p-4)) & (absolute(third) * reach * reach * reach <= touch);
  return select((absolute(f) <= touch) & vertex & parabola, reach, R(0.0));
}

namespace detail {
/// Binomial coefficients C(d, k).
inline constexpr auto binomials = [] {
  std::array<Bernstein, integrators::max_degree + 1> c{};
  for (int d = 0; d <= integrators::max_degree; ++d) {
    c[d][0] = 1;
    for (int k = 1; k <= d; ++k) c[d][k] = c[d][k - 1] * (d - k + 1) / k;
  }
  return c;
}();
}  // namespace detail

/// The one root inside where the coefficients change sign once, for the lanes asked for. With
/// u = theta / (1 - theta) the polynomial is (1 - theta)^d sum_k C(d, k) c_k u^k: on the half where u <= 1
/// (the other one is mirrored) Newton's method by Horner's rule, kept in a shrinking bracket.
template <class R>
R only_root(const R* c, int d, numerics::mask_of<R> lanes) {
  using numerics::absolute, cotangent::select, cotangent::fma;
  std::array<R, integrators::max_degree + 1> a, b;
  R middle(0.0);
  for (int k = 0; k <= d; ++k) {
    b[k] = R(detail::binomials[d][k]) * c[k];
    middle += b[k];
  }
  // Where the middle's sign is that of the beginning, the root lies beyond it.
  const auto mirrored = !((middle < R(0.0)) ^ (c[0] < R(0.0)));
  for (int k = 0; k <= d; ++k) a[k] = select(mirrored, b[d - k], b[k]);
  const R near = a[0], scaled_middle = middle * R(1.0 / static_cast<double>(1 << d));
  const auto below = near < R(0.0);
  R low(0.0), high(1.0);  // near end at u = 0, the middle at u = 1
  const R guess = R(0.5) * near / (near - scaled_middle);
  // Zero counts as positive: where the polynomial rises from zero at the near end, the root lies further in.
  auto rises = near == R(0.0);
  if (any(rises)) {
    R first = a[d];  // of the coefficients that aren't zero
    for (int k = d - 1; k >= 0; --k) first = select(a[k] == R(0.0), first, a[k]);
    rises = rises & (first > R(0.0));
  }
  R u = guess / (R(1.0) - guess);
  u = select((u >= R(0.0)) & (u <= R(1.0)), u, R(0.0));
  auto open = lanes;
  for (int iteration = 0; iteration < 60 && any(open); ++iteration) {
    R value = a[d], slope(0.0);
    for (int k = d - 1; k >= 0; --k) {
      slope = fma(slope, u, value);
      value = fma(value, u, a[k]);
    }
    const auto before = !((value < R(0.0)) ^ below);
    low = select(before, u, low);
    high = select(before, high, u);
    R next = u - value / slope;
    const auto leaves_zero = (u == R(0.0)) & rises;
    const auto inside = (next >= low) & (next <= high) & !leaves_zero;
    next = select(inside, next, R(0.5) * (low + high));
    next = select((value == R(0.0)) & !leaves_zero, u, next);
    const R change = absolute(next - u);
    u = select(open, next, u);
    open = open & (change > R(0x1p-30));  // quadratic: what is left is below round-off
  }
  const R theta = u / (R(1.0) + u);
  return select(mirrored, R(1.0) - theta, theta);
}

/// The value, and the derivative, at theta.
double evaluate(const Bernstein& coefficients, int d, double theta);
double slope(const Bernstein& coefficients, int d, double theta);

/// The k-th of max_degree + 1 Chebyshev points on [0, 1], ends included.
double chebyshev_point(int k);
/// From values at these points to Bernstein coefficients of degree max_degree.
std::array<Bernstein, integrators::max_degree + 1> bernstein_from_values();

}  // namespace cotangent::sections
