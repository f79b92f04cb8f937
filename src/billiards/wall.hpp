// SPDX-License-Identifier: BSD-3-Clause
// Walls as the flight sees them: packs of particles on straight lines, parabolas or arcs of a higher degree
// meet omega = 0. A set is placed by its centre, which may move: c(t) = c + u t + a sin(w t + phase).
#pragma once

#include <memory>
#include <string>

#include "billiards/first_root.hpp"
#include "billiards/set.hpp"

namespace cotangent::billiards {

template <int D>
using Point = std::array<Pack, D>;
template <int D>
using Vector = std::array<double, D>;

/// The same point in all lanes.
template <int D>
Point<D> spread(const Vector<D>& x) {
  Point<D> result;
  for (int d = 0; d < D; ++d) result[d] = Pack(x[d]);
  return result;
}

/// x(s) = x + v s + g s^2 / 2, from the time `start` on; or, in a field and up to `length`,
/// x(s) = x + v s + s^2 sum_k bend_k (s / length)^k.
template <int D>
struct Path {
  static constexpr int most_terms = 8;

  Point<D> x, v;
  Vector<D> g{};
  Pack start;
  int terms = 0;  ///< of the sum; 0: none, a parabola
  std::array<Point<D>, most_terms> bend;
  Pack length;

  bool falls() const { return g != Vector<D>{}; }
  Point<D> position(const Pack& s) const {
    Point<D> result;
    for (int d = 0; d < D; ++d) {
      const Pack half = terms > 0 ? sum<Pack>(d, s / length, [](int) { return 1.0; }) : Pack(0.5 * g[d]);
      result[d] = fma(s, fma(s, half, v[d]), x[d]);
    }
    return result;
  }
  Point<D> velocity(const Pack& s) const {
    Point<D> result;
    for (int d = 0; d < D; ++d) {
      const Pack mean = terms > 0 ? sum<Pack>(d, s / length, [](int k) { return k + 2.0; }) : Pack(g[d]);
      result[d] = fma(s, mean, v[d]);
    }
    return result;
  }
  /// A component of it, at a time s or over an interval of times.
  template <class T>
  T acceleration(int d, const T& s) const {
    if (terms == 0) return T(g[d]);
    return sum<T>(d, s / T(length), [](int k) { return (k + 1.0) * (k + 2.0); });
  }

 private:
  /// sum_k factor(k) bend_k theta^k
  template <class T>
  T sum(int d, const T& theta, const auto& factor) const {
    T result = factor(terms - 1) * T(bend[terms - 1][d]);
    for (int k = terms - 2; k >= 0; --k) result = fma(theta, result, factor(k) * T(bend[k][d]));
    return result;
  }
};

/// Where a set stands and how it moves.
template <int D>
struct Place {
  Vector<D> centre{}, velocity{}, amplitude{};
  double frequency = 0, phase = 0;

  bool swings() const { return amplitude != Vector<D>{}; }
  bool moves() const { return swings() || velocity != Vector<D>{}; }
  Point<D> position(const Pack& t) const {
    Point<D> result;
    if (!moves()) {
      for (int d = 0; d < D; ++d) result[d] = Pack(centre[d]);
      return result;
    }
    const Pack swing = swings() ? sin(frequency * t + phase) : Pack(0.0);
    for (int d = 0; d < D; ++d) result[d] = centre[d] + velocity[d] * t + amplitude[d] * swing;
    return result;
  }
  Point<D> speed(const Pack& t) const {
    Point<D> result{};
    if (!moves()) return result;
    const Pack swing = swings() ? frequency * cos(frequency * t + phase) : Pack(0.0);
    for (int d = 0; d < D; ++d) result[d] = velocity[d] + amplitude[d] * swing;
    return result;
  }
  Point<D> acceleration(const Pack& t) const {
    Point<D> result{};
    if (!swings()) return result;
    const Pack swing = -(frequency * frequency) * sin(frequency * t + phase);
    for (int d = 0; d < D; ++d) result[d] = amplitude[d] * swing;
    return result;
  }
};

/// omega at points, with its derivatives, and the wall's own velocity and acceleration there.
template <int D>
struct Contact {
  Pack value;
  Point<D> gradient, velocity;
  std::array<Point<D>, D> hessian;
  Point<D> acceleration;
};

template <int D>
class Wall {
 public:
  virtual ~Wall() = default;
  /// omega's degree in time along straight lines or parabolas; -1 where it is no polynomial.
  virtual int degree(bool falls) const = 0;
  /// Its coefficients, where it is one.
  virtual void expand(const Path<D>& path, Coefficients& c) const = 0;
  /// When the side that `sign` means is left, where it is none.
  virtual Pack exit(const Path<D>& path, double sign, const Search& search) const = 0;
  virtual Pack value(const Point<D>& x, const Pack& t) const = 0;
  virtual Contact<D> contact(const Point<D>& x, const Pack& t) const = 0;
};

}  // namespace cotangent::billiards
