// SPDX-License-Identifier: BSD-3-Clause
// What a method is to the rest of the program.
//
// A method is a class template over a System; it carries the state of a pack of lanes and advances it:
//   name, about, options             what --describe says of it, and what it takes from `[method]`
//   start(system, state, lanes)      begins these lanes at a state
//   advance(system, active) -> took  one step (or, with step control, one attempt) of the active lanes
//   begin(), end()                   the states at both ends of the last step, of the lanes that took it;
//                                    begin_time(), step()
//   bernstein(i, out), degree()      q_i over the last step as a polynomial in Bernstein form on [0, 1]
//   bend(i)                          optional: bounds on how far that strays from a cubic
//   refine(system)                   optional: makes dense() better, asked for once where a step has an event
//   dense(theta)                     the state inside the last step by that polynomial
//   again(system, theta, lanes)      the same, to the method's own accuracy, by stepping from its beginning
//   constraint_error_squared()       optional: (g / |grad g|)^2 at the end, where the method knows a bound;
//   constraint_within(squared)       whether that is within another one
//   dense_is_exact()                 lanes whose polynomial is as good as round-off: again() isn't needed
//   take(slot, other, lane)          takes over another lane's last step: the above then answers for it
//   work()                           optional: of driven systems, System::power() over the last step
//   work(system, part)               or over the first part of it
//   failure()                        why lanes stopped: Status codes, 0 where they did not
//   memory()                         all that the next step depends on, a struct of reals, for checkpoints
//   tangent(system, part, lanes, d, count)    optional, the method's tangent map: takes deviations
//                                    d[0 .. count) in these lanes from the last step's beginning to its end,
//                                    or where part < 1 to where again(system, part, lanes) is
//   has_tangent()                    with it: whether it has one with its options
//   momenta                          with it: whether the pair of a deviation is (q, p), else (q, v)
//   stays_tangent                    with it: whether it solves for what constraints and rolling allow of
//                                    deviations, too; else round-off leads out of it and stays there
// All of it lane by lane: what one lane does never depends on what another holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/status.hpp"
#include "integrators/options.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::integrators {

/// Time, coordinates and velocities of a pack.
template <class R, int N>
struct State {
  R t{0.0};
  std::array<R, N> q{}, v{};
};

/// A small displacement of a state: of q, and of the other half of the pair that the method takes along, v
/// or p. Its step's derivative, at a fixed length, maps one to the next.
template <class R, int N>
struct Deviation {
  std::array<R, N> q{}, y{};
};

using cotangent::select;  // for doubles; lanes bring their own
/// mask ? a : b, lane by lane, for whole states.
template <class M, class R, int N>
State<R, N> select(M mask, const State<R, N>& a, const State<R, N>& b) {
  State<R, N> result;
  result.t = select(mask, a.t, b.t);
  for (int i = 0; i < N; ++i) {
    result.q[i] = select(mask, a.q[i], b.q[i]);
    result.v[i] = select(mask, a.v[i], b.v[i]);
  }
  return result;
}

/// mask ? a : b, lane by lane, for structs that consist of reals alone.
template <class R, class Reals>
Reals select_reals(numerics::mask_of<R> mask, const Reals& a, const Reals& b) {
  static_assert(sizeof(Reals) % sizeof(R) == 0 || std::is_empty_v<Reals>);
  Reals result = b;
  if constexpr (!std::is_empty_v<Reals>) {
    const R* from = reinterpret_cast<const R*>(&a);
    R* to = reinterpret_cast<R*>(&result);
    for (std::size_t k = 0; k < sizeof(Reals) / sizeof(R); ++k) to[k] = select(mask, from[k], to[k]);
  }
  return result;
}

/// Lane `from` of a struct that consists of reals alone, as doubles.
template <class R, class Memory>
void save_lane(const Memory& memory, int lane, double* out) {
  static_assert(sizeof(Memory) % sizeof(R) == 0);
  const R* reals = reinterpret_cast<const R*>(&memory);
  for (std::size_t k = 0; k < sizeof(Memory) / sizeof(R); ++k) out[k] = numerics::lane(reals[k], lane);
}
template <class R, class Memory>
void load_lane(Memory& memory, int lane, const double* in) {
  R* reals = reinterpret_cast<R*>(&memory);
  for (std::size_t k = 0; k < sizeof(Memory) / sizeof(R); ++k) numerics::set_lane(reals[k], lane, in[k]);
}
/// Lane `from` of a struct that consists of reals alone into lane `to` of another; the first `count` reals.
template <class R, class Reals>
void copy_lane(const Reals& source, int from, Reals& target, int to,
               std::size_t count = sizeof(Reals) / sizeof(R)) {
  static_assert(sizeof(Reals) % sizeof(R) == 0 || std::is_empty_v<Reals>);
  // Double by double in memory: a pack would go through a register and back.
  const auto* in = reinterpret_cast<const std::byte*>(&source) + from * sizeof(double);
  auto* out = reinterpret_cast<std::byte*>(&target) + to * sizeof(double);
  for (std::size_t k = 0; k < count; ++k)
    std::memcpy(out + k * sizeof(R), in + k * sizeof(R), sizeof(double));
}

/// The highest degree of a dense polynomial.
inline constexpr int max_degree = 18;

/// Bounds over a step on |q - r| and |h q' - h r'|, r the cubic through q and q' at both ends.
template <class R>
struct CubicDeviation {
  R position{0.0}, slope{0.0};
};
/// A cubic in Bernstein form of degree d: what its own four coefficients weigh in the k-th, by how many of
/// the choices of k among d fall among the first three.
constexpr std::array<double, 4> cubic_weights(int d, int k) {
  const double all = 1.0 * d * (d - 1) * (d - 2), l = d - k;
  return {l * (l - 1) * (l - 2) / all, 3.0 * k * l * (l - 1) / all, 3.0 * k * (k - 1) * l / all,
          1.0 * k * (k - 1) * (k - 2) / all};
}

/// These bounds from q's Bernstein coefficients c of degree d >= 3 and h q' at the ends; weights(k) are those
/// of cubics.
template <class R, class Weights>
CubicDeviation<R> bend(const R* c, int d, const R& slope0, const R& slope1, const Weights& weights) {
  const R r1 = fma(R(1.0 / 3), slope0, c[0]), r2 = fma(R(-1.0 / 3), slope1, c[d]);
  CubicDeviation<R> result;
  R before(0.0);
  for (int k = 1; k < d; ++k) {
    const std::array<double, 4>& w = weights(k);
    const R cubic = fma(R(w[0]), c[0], fma(R(w[1]), r1, fma(R(w[2]), r2, R(w[3]) * c[d])));
    const R off = c[k] - cubic;
    result.position = numerics::larger(numerics::absolute(off), result.position);
    result.slope = numerics::larger(numerics::absolute(off - before), result.slope);
    before = off;
  }
  result.slope = R(1.0 * d) * numerics::larger(numerics::absolute(before), result.slope);
  return result;
}

/// The same for the degrees of dense polynomials; c is raised to a cubic where it is less.
template <class R>
CubicDeviation<R> bend(std::array<R, max_degree + 1>& c, int d, const R& slope0, const R& slope1) {
  static constexpr auto table = [] {
    std::array<std::array<std::array<double, 4>, max_degree + 1>, max_degree + 1> w{};
    for (int degree = 3; degree <= max_degree; ++degree) {
      for (int k = 0; k <= degree; ++k) w[degree][k] = cubic_weights(degree, k);
    }
    return w;
  }();
  for (; d < 3; ++d) {
    c[d + 1] = c[d];
    for (int k = d; k > 0; --k) c[k] += R(k / (d + 1.0)) * (c[k - 1] - c[k]);
  }
  return bend(
      c.data(), d, slope0, slope1, [&](int k) -> const auto& { return table[d][k]; });
}

}  // namespace cotangent::integrators
