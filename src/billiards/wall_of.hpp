// SPDX-License-Identifier: BSD-3-Clause
// Wall for one smooth piece of one set's formula: the formula itself, called with polynomials in time, with
// intervals that carry derivatives by time, or with derivatives by place.
#pragma once

#include "billiards/wall.hpp"

namespace cotangent::billiards {

template <class Set, int K>
class WallOf final : public Wall<Set::dim> {
  static constexpr int D = Set::dim;
  using Parameters = std::array<double, Set::parameters.size()>;

 public:
  WallOf(const Parameters& parameters, const Place<D>& place) : p_(parameters), place_(place) {}

  int degree(bool falls) const override {
    return place_.swings() ? -1 : falls ? degree_along<2> : degree_along<1>;
  }
  void expand(const Path<D>& path, Coefficients& c) const override {
    path.falls() ? expand_in<2>(path, c) : expand_in<1>(path, c);
  }
  Pack exit(const Path<D>& path, double sign, const Search& search) const override {
    const auto around = [&](const Pack& t, const Pack& h) { return bounds(path, sign, t, h); };
    return first_root_of(around, search, 1.0 / (1.0 + speed(path)));
  }

  Pack value(const Point<D>& x, const Pack& t) const override {
    return Pack(ad::value(wall_value<Set, K>(ad::constants<D, 1>(relative(x, t)), p_)));
  }

  Contact<D> contact(const Point<D>& x, const Pack& t) const override { return contact<2>(x, t); }

 private:
  /// Coordinates that are polynomials of degree N in time.
  template <int N>
  using Coordinates = std::array<Polynomial<Pack, N>, D>;
  template <int N>
  static constexpr int degree_along = [] {
    using Omega = decltype(wall_value<Set, K>(std::declval<Coordinates<N>>(), std::declval<Parameters>()));
    if constexpr (detail::is_not_polynomial<Omega>)
      return -1;
    else
      return Omega::degree <= most_degree ? Omega::degree : -1;
  }();

  template <int Order>
  Contact<D> contact(const Point<D>& x, const Pack& t) const {
    const auto omega = wall_value<Set, K>(ad::seed<0, D, Order, 0>(relative(x, t)), p_);
    Contact<D> result{ad::value(omega), ad::gradient_of<D>(omega), place_.speed(t), {}, {}};
    if constexpr (Order == 2) {
      result.hessian = ad::hessian_of<D>(omega);
      result.acceleration = place_.acceleration(t);
    }
    return result;
  }
  Point<D> relative(Point<D> x, const Pack& t) const {
    const Point<D> centre = place_.position(t);
    for (int d = 0; d < D; ++d) x[d] -= centre[d];
    return x;
  }
  static Pack speed(const Path<D>& path) {
    Pack sum(0.0);
    for (int d = 0; d < D; ++d) sum += abs(path.v[d]) + abs(path.acceleration(d, Pack(0.0)));
    return sum;
  }

  template <int N>
  void expand_in(const Path<D>& path, Coefficients& c) const {
    Coordinates<N> x;
    for (int d = 0; d < D; ++d) {
      x[d].c[0] = path.x[d] - (place_.centre[d] + place_.velocity[d] * path.start);
      x[d].c[1] = path.v[d] - place_.velocity[d];
      if constexpr (N == 2) x[d].c[2] = Pack(0.5 * path.g[d]);
    }
    if constexpr (degree_along<N> >= 0) {
      const auto omega = wall_value<Set, K>(x, p_);
      for (int k = 0; k <= degree_along<N>; ++k) c[k] = omega.c[k];
    }
  }

  /// Value and slope at t; over [t, t + h], from intervals, the least value and the second derivative.
  Bounds bounds(const Path<D>& path, double sign, const Pack& t, const Pack& h) const {
    const Contact<D> at = contact<1>(path.position(t), path.start + t);
    Point<D> velocity = path.velocity(t);
    Pack slope(0.0);
    for (int d = 0; d < D; ++d) slope = fma(velocity[d] - at.velocity[d], at.gradient[d], slope);
    const auto over = place_.swings() ? along<true>(path, t, h) : along<false>(path, t, h);
    return {sign * at.value, sign * slope, sign > 0 ? over.value.low : -over.value.high,
            sign > 0 ? over.bend : -over.bend};
  }

  struct Along {
    Interval<Pack> value, bend;
  };
  /// omega and d2 omega / dt2 over [t, t + h].
  template <bool Swings>
  [[gnu::noinline]] Along along(const Path<D>& path, const Pack& t, const Pack& h) const {
    using I = Interval<Pack>;
    using Jet = decltype(ad::dense(ad::variable<0, 1, 2, 0>(I(0.0))));
    const Point<D> x = relative(path.position(t), path.start + t), v = path.velocity(t);
    // Beyond a path's length its acceleration counts as that at its end: no root there is asked for.
    const bool bends = path.terms > 0;
    const I ahead(Pack(0.0), h);
    const I when_bent = bends ? I(min(t, path.length), min(t + h, path.length)) : ahead;
    std::array<Jet, D> q;
    for (int d = 0; d < D; ++d) {
      const I acceleration = path.acceleration(d, when_bent);
      const Pack now = v[d] - place_.velocity[d], then = fma(Pack(path.g[d]), h, now);
      const I speed =
          bends ? I(now) + ahead * acceleration : detail::outward<Pack>(min(now, then), max(now, then));
      q[d] = Jet::assemble(
          I(x[d]) + ahead * speed, [&](auto) { return speed; }, [&](auto, auto) { return acceleration; });
    }
    if constexpr (Swings) {  // x is relative to where the set is at t: only its motion since then counts
      const I when = I(path.start) + I(t) + ahead;
      const auto both = sincos(place_.frequency * when + I(place_.phase));
      const auto begun = sincos(place_.frequency * (I(path.start) + I(t)) + I(place_.phase));
      const double w = place_.frequency;
      for (int d = 0; d < D; ++d) {
        const double a = place_.amplitude[d];
        q[d] = q[d] - Jet::assemble(
                          a * (both.sin - begun.sin), [&](auto) { return (a * w) * both.cos; },
                          [&](auto, auto) { return (-a * w * w) * both.sin; });
      }
    }
    const auto omega = ad::detail::lift<Jet>(wall_value<Set, K>(q, p_));
    return {ad::value(omega), ad::hessian<0, 0>(omega)};
  }

  Parameters p_;
  Place<D> place_;
};

}  // namespace cotangent::billiards
