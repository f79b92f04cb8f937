// SPDX-License-Identifier: BSD-3-Clause
// The law of friction: discharge per width q = c h^a |S|^(p-1) S, where S = -grad(b + h).
//   Darcy-Weisbach: c = sqrt(g / k), a = 3/2, p = 1/2;  Manning: c = 1 / n, a = 5/3, p = 1/2;
//   any other power law by its own c, a, p.
// Schemes keep the root slope s, |s|^(1/p - 1) s = S, as an unknown: q = c h^a s is then linear in it, and
// Newton's method doesn't meet the infinite slope of S^p at S = 0 (where it would cycle, x -> -x). Templates,
// so that our automatic differentiation takes their derivatives.
#pragma once

#include <array>
#include <cmath>

#include "ad/ad.hpp"

namespace cotangent::overland {

/// x^exponent of a real, a pack of lanes or a jet.
template <class Scalar>
Scalar raised(const Scalar& x, double exponent) {
  using std::pow;
  if constexpr (ad::is_jet<Scalar>) {
    return pow(x, exponent);
  } else {
    return pow(x, Scalar(exponent));
  }
}

struct FrictionLaw {
  double depth_power = 1.5, slope_power = 0.5;

  /// h^power for h >= 0, without pow() for the powers of the two common laws.
  template <class Scalar>
  static Scalar power(const Scalar& h, double exponent) {
    using std::cbrt, std::sqrt;
    if (exponent == 1.5) return h * sqrt(h);
    if (exponent == 3.0) return h * h * h;
    if (exponent == 5.0 / 3.0) {
      const Scalar root = cbrt(h);
      return h * (root * root);
    }
    return raised(h, exponent);
  }

  /// |s|^(1/p - 1) s - S, with |s| rounded off at `epsilon`.
  template <class Scalar>
  std::array<Scalar, 2> root_slope_defect(const std::array<Scalar, 2>& s, const std::array<double, 2>& slope,
                                          double epsilon) const {
    const auto drag = this->drag(s[0], s[1], epsilon);
    return {drag[0] - slope[0], drag[1] - slope[1]};
  }

  /// |s|^(1/p - 1) s, with |s| rounded off at `epsilon`.
  template <class Scalar>
  std::array<Scalar, 2> drag(const Scalar& x, const Scalar& y, double epsilon) const {
    using std::sqrt;
    const Scalar size = sqrt(x * x + y * y + epsilon * epsilon);
    const Scalar factor = slope_power == 0.5 ? size : raised(size, 1 / slope_power - 1);
    return {factor * x, factor * y};
  }

  /// s of a slope.
  std::array<double, 2> root_slope(const std::array<double, 2>& slope) const {
    const double size = std::hypot(slope[0], slope[1]);
    if (size == 0) return {0, 0};
    const double factor = std::pow(size, slope_power - 1);
    return {factor * slope[0], factor * slope[1]};
  }
};

template <class Real, int N>
using Jet = ad::Jet<Real, N, 1, ad::full<N>>;

/// A weak form's friction, k |q|^(1/p - 1) q, at a point; |q| rounded off at epsilon. With its derivatives
/// by q, a symmetric matrix: xx, xy, yy.
template <class Real>
struct Friction {
  std::array<Real, 2> force;
  std::array<Real, 3> by_discharge;
};
template <class Real>
Friction<Real> friction(const FrictionLaw& law, const Real& k, const std::array<Real, 2>& q, double epsilon) {
  const Jet<Real, 2> x = ad::dense(ad::variable<0, 2, 1, 1>(q[0]));
  const Jet<Real, 2> y = ad::dense(ad::variable<1, 2, 1, 1>(q[1]));
  const auto drag = law.drag(x, y, epsilon);
  return {{k * drag[0].value(), k * drag[1].value()},
          {k * ad::gradient<0>(drag[0]), k * ad::gradient<1>(drag[0]), k * ad::gradient<1>(drag[1])}};
}

}  // namespace cotangent::overland
