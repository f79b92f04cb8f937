// SPDX-License-Identifier: BSD-3-Clause
// Pair potentials U(r): what two particles a distance r apart share in energy. A potential is a struct in
// potentials/ that states U alone, as a function of the squared distance s = r^2, for which no root is drawn
// where the formula needs none. Energy and force follow from it by automatic differentiation: the force on
// particle i is -2 U'(s) (q_i - q_j). Beyond its range a potential is cut off, in one of three ways:
//   cut        U as it is, inside: energy jumps at the cut-off, force too
//   shifted    U - U(r_c): the energy is continuous
//   switched   U times a cubic in s that falls from 1 at r_s to 0 at r_c: energy and force are continuous
// Reference: Allen, Tildesley, Computer Simulation of Liquids (2017), 5.2; Brooks et al., J. Comput. Chem. 4
// (1983) 187, for the switch.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "ad/ad.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::mechanics {

/// The cut-off, with what depends on it alone.
struct CutOff {
  double radius = 0.0;       ///< nothing acts beyond; a length
  double switch_from = 0.0;  ///< where the switch begins; no switch where it is no smaller than the radius
  double shift = 0.0;        ///< subtracted from the energy inside
};

template <class R>
struct PairEnergy {
  R value, slope;  ///< U and dU/ds, s the squared distance
};

/// U with its derivative, as if there were no cut-off.
template <class P, class R>
[[gnu::always_inline]] inline PairEnergy<R> pair_energy(const R& s,
                                                        const std::array<double, P::parameters.size()>& p) {
  const auto u = P{}(ad::variable<0, 1, 1, 0>(s), p);
  return {R(ad::value(u)), ad::gradient_of<1>(u)[0]};
}

/// The same, multiplied by the switch.
template <class P, class R>
[[gnu::always_inline]] inline PairEnergy<R> switched_pair_energy(
    const R& s, const std::array<double, P::parameters.size()>& p, const CutOff& cut) {
  const double c = cut.radius * cut.radius, d = cut.switch_from * cut.switch_from;
  const double width = c - d;
  const PairEnergy<R> u = pair_energy<P>(s, p);
  const R rest = R(c) - s, in = s - R(d);
  // (c - s)^2 (c + 2 s - 3 d) / (c - d)^3, and its derivative
  const R switched = rest * rest * (rest + R(3.0) * in) * R(1 / (width * width * width));
  const R falls = R(-6.0 / (width * width * width)) * rest * in;
  const auto inside = s <= R(d);
  return {select(inside, u.value, u.value * switched),
          select(inside, u.slope, fma(u.slope, switched, u.value * falls))};
}

/// The distance beyond which neither |U| nor |dU/dr| exceeds a tolerance, out to a million times `scale`;
/// nothing where the potential doesn't fall so far. `energy(s)` is U with its derivative.
template <class Energy>
std::optional<double> range(const Energy& energy, double scale, double tolerance) {
  const auto felt = [&](double r) {
    const auto [u, slope] = energy(r * r);
    return !(std::abs(u) <= tolerance && std::abs(2 * r * slope) <= tolerance);
  };
  double high = 1e6 * scale;
  if (felt(high)) return std::nullopt;
  double low = high;
  while (low > 1e-6 * scale && !felt(low)) {  // the outermost place where it is felt, to five per cent
    high = low;
    low /= 1.05;
  }
  if (!felt(low)) return 0.0;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = 0.5 * (low + high);
    (felt(middle) ? low : high) = middle;
  }
  return high;
}

}  // namespace cotangent::mechanics
