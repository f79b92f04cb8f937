// SPDX-License-Identifier: BSD-3-Clause
// The first root of omega along a flight, approached from inside and never passed. At a time t where omega >
// 0 take m(s) <= omega(t + s), with m concave and falling for s > 0: of a polynomial the constant and all
// negative Taylor coefficients at t; of any other formula value, slope and an interval's lower bound on the
// second derivative. m's root, from below by a chord, is a step that can't pass omega's. Near a simple root
// the slope rules and steps converge as Newton's, whose last one is left to the caller; at a near contact
// they halve the distance; no root is lost. Stretches over which an interval of omega is positive are passed
// whole. Right after a bounce omega(t) / t is searched instead: its root at zero is gone. Reference (bounds
// from negative coefficients): Akritas, Strzebonski, Vigklas, Nonlinear Anal. 13 (2008) 265.
#pragma once

#include <limits>

#include "billiards/interval.hpp"
#include "billiards/polynomial.hpp"

namespace cotangent::billiards {

using Pack = numerics::Lanes<numerics::native_width>;
using PackMask = numerics::Mask<numerics::native_width>;

inline constexpr double never = std::numeric_limits<double>::infinity();
inline constexpr int most_approaches = 400;  ///< steps before a root counts as not found

/// The lanes in which a flight is searched, and how: from a time on, up to a limit. Touching lanes are on the
/// wall at `from`, and this root doesn't count.
struct Search {
  PackMask lanes, touching;
  Pack from, limit;
};

/// Whether a step leads to a root as straight as Newton's last: what is left then is some 2^-24 of it.
template <std::size_t Count>
PackMask nearly_straight(const std::array<Pack, Count>& p, const Pack& step) {
  Pack bend(0.0);
  for (int k = static_cast<int>(Count) - 1; k >= 2; --k) bend = fma(bend, step, abs(p[k]));
  const PackMask reaches = p[0] <= -1.5 * step * p[1];
  return reaches & (bend * step <= -0x1p-24 * p[1]);
}

/// Whether a step is below t's round-off.
inline PackMask stands_still(const Pack& step, const Pack& t) {
  return step <= 0x1p-51 * t;
}

/// First root after `from` of the polynomial with these coefficients; infinity where there is none up to the
/// limit, NaN where it wasn't found.
template <std::size_t Count>
Pack first_root_of_polynomial(const std::array<Pack, Count>& coefficients, const Search& search) {
  constexpr int degree = static_cast<int>(Count) - 1;
  const Pack zero(0.0), beyond(never);
  const Pack origin = select(search.touching, search.from, zero), limit = search.limit - origin;
  std::array<Pack, Count> c = expanded_at(coefficients, origin);
  for (int k = 0; k <= degree; ++k) c[k] = select(search.touching, k < degree ? c[k + 1] : zero, c[k]);
  Pack t = search.from - origin, root(std::numeric_limits<double>::quiet_NaN()), last(never);
  PackMask open = search.lanes;
  for (int approach = 0; approach < most_approaches && any(open); ++approach) {
    const auto p = expanded_at(c, t);
    const PackMask there = p[0] <= zero;
    root = select(open & there, t, root);
    open = open & !there;
    std::array<Pack, Count> m;
    m[0] = p[0];
    Pack falls(0.0);
    for (int k = 1; k <= degree; ++k) {
      m[k] = min(p[k], zero);
      falls += m[k];
    }
    // A trial step h beyond m's root, or as near to it as is easily guessed: the root of m's quadratic part.
    Pack spread = abs(m[1]);
    if constexpr (degree >= 2) spread += sqrt(fma(m[1], m[1], -4.0 * (p[0] * m[2])));
    Pack h = min(2.0 * p[0] / spread, 4.0 * last);
    if (const PackMask unknown = !(h < beyond); any(unknown))
      h = select(unknown, sqrt(sqrt(p[0] / abs(falls))), h);
    const auto minorant = [&](const Pack& s, Pack& slope) {
      Pack value = m[degree];
      slope = zero;
      for (int k = degree - 1; k >= 0; --k) {
        slope = fma(slope, s, value);
        value = fma(value, s, m[k]);
      }
      return value;
    };
    Pack slope, value = minorant(h, slope);
    h = select(value < zero, h - value / slope, h);  // concave: Newton stays beyond the root
    value = minorant(h, slope);
    const Pack step = select(value < zero, h * (p[0] / (p[0] - value)), h);
    const PackMask nothing_falls = !(falls < zero);
    const Pack next = select(nothing_falls, beyond, t + step);
    const PackMask passed = open & ((next > limit) | (next == beyond)),
                   close = open & (nearly_straight(p, step) | stands_still(step, t));
    root = select(passed, beyond, select(close, next, root));
    open = open & !passed & !close;
    t = select(open, next, t);
    last = select(open, step, last);
  }
  return root + origin;
}

/// The highest degree in time of a wall that counts as a polynomial.
inline constexpr int most_degree = 8;
using Coefficients = std::array<Pack, most_degree + 1>;
/// The same of the first `degree` + 1 coefficients.
Pack first_root(const Coefficients& c, int degree, const Search& search);

/// omega along a path: value and slope at a time, and over a stretch from there on a lower bound of it and an
/// interval of its second derivative.
struct Bounds {
  Pack value, slope, least;
  Interval<Pack> bend;
};

/// The same for any formula, given bounds(t, h) over [t, t + h]; the first stretch is `h` long. What hasn't
/// ended after 2^100 of it has no root.
template <class BoundsAt>
Pack first_root_of(const BoundsAt& bounds, const Search& search, Pack h) {
  const Pack zero(0.0), beyond(never), limit = min(search.limit, search.from + 0x1p100 * h);
  Pack t = search.from, root(std::numeric_limits<double>::quiet_NaN());
  PackMask open = search.lanes, touching = search.touching;
  for (int approach = 0; approach < most_approaches && any(open); ++approach) {
    const Bounds at = bounds(t, h);
    const PackMask there = open & !(select(touching, at.slope, at.value) > zero);
    root = select(there, t, root);
    open = open & !there;
    // The minorant value + slope s + bend s^2: its root, or that of slope + bend s. Where the root's parts
    // overflow, nothing is known of it.
    const Pack bend = min(0.5 * at.bend.low, zero);
    const Pack spread = sqrt(fma(at.slope, at.slope, -4.0 * bend * at.value));
    const Pack reach = select(touching, at.slope / abs(bend),
                              select(at.slope > zero, (at.slope + spread) / (2.0 * abs(bend)),
                                     2.0 * at.value / (spread - at.slope)));
    const PackMask finite = isfinite(at.bend.low) & isfinite(select(touching, at.slope, spread)),
                   free = finite & !touching & (at.least > zero), whole = free | (reach >= h),
                   within = finite & !touching & !free & (reach <= h);
    const Pack far = select(free, h, min(reach, h)), most = 0.5 * max(abs(at.bend.low), abs(at.bend.high));
    const PackMask straight = within & nearly_straight(std::array{at.value, at.slope, most}, far);
    // Bounds that allow but a tiny part of a stretch, or nothing, are those of what lies far behind a wall: a
    // shorter stretch tells more. A step stands still only where its stretch, too, is next to nothing.
    const PackMask known = finite & (straight | (far > 0x1p-20 * h) | (h <= 0x1p-40 * t));
    const Pack step = select(known, far, zero), next = t + step;
    const PackMask passed = open & (next > limit);
    const PackMask close = open & known & (straight | (within & stands_still(step, t)));
    root = select(passed, beyond, select(close, next, root));
    open = open & !passed & !close;
    touching = touching & !(open & known);
    h = select(known, select(whole, 2.0 * h, 1.5 * step), 0.25 * h);
    t = select(open, next, t);
  }
  return root;
}

}  // namespace cotangent::billiards
