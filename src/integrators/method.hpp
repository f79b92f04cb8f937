// What a method is to the rest of the program.
//
// A method is a class template over a System; it carries the state of a pack of lanes and advances it:
//   start(system, state, lanes)      begins these lanes at a state
//   advance(system, active) -> took  one step (or, with step control, one attempt) of the active lanes
//   begin(), end()                   the states at both ends of each lane's last step; begin_time(), step()
//   bernstein(i, out), degree()      q_i over the last step as a polynomial in Bernstein form on [0, 1]
//   refine(system)                   optional: makes dense() better, asked for once where a step has an event
//   dense(theta)                     the state inside the last step by that polynomial
//   again(system, theta, lanes)      the same by stepping again from its beginning, to the method's own
//   accuracy dense_is_exact()                 lanes whose polynomial is as good as round-off: again() isn't
//   needed bend(i)                          optional: bounds on how far q_i strays from a straight line in
//   the last step take(slot, other, lane)          takes over another one's last step, from its lane into a
//   slot of its own:
//                                    all of the above then answers for it
//   failure()                        why lanes stopped: Status codes, 0 where they did not
//   memory()                         everything that the next step depends on: a struct of reals, which a
//                                    checkpoint holds lane by lane
// All of it lane by lane: what one lane does never depends on what another holds.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "core/status.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::integrators {

/// Time, coordinates and velocities of a pack.
template <class R, int N>
struct State {
  R t{0.0};
  std::array<R, N> q{}, v{};
};

/// What the user chose: `[method]` of the deck.
struct MethodOptions {
  std::string name = "gauss";
  int stages = 8;
  double step = 0.0;                ///< fixed, or the first of an adaptive run
  std::optional<double> tolerance;  ///< adaptive where given
  std::string treatment = "E";      ///< of the initial rows, where the method has a choice
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
  for (std::size_t k = 0; k < count; ++k) std::memcpy(out + k * sizeof(R), in + k * sizeof(R), sizeof(double));
}

/// The highest degree of a dense polynomial.
inline constexpr int max_degree = 18;

/// Bounds over a step: on |q - the straight line between its ends|, and on |h q' - (q_end - q_begin)|.
template <class R>
struct Bend {
  R position{0.0}, slope{0.0};
};
/// These bounds from q's Bernstein coefficients of degree d.
template <class R>
Bend<R> bend(const R* c, int d) {
  const R chord = c[d] - c[0];
  Bend<R> result;
  for (int k = 0; k < d; ++k) {
    const R line = fma(R(static_cast<double>(k) / d), chord, c[0]);
    result.position = numerics::larger(numerics::absolute(c[k] - line), result.position);
    const R slope = fma(R(1.0 * d), c[k + 1] - c[k], -chord);
    result.slope = numerics::larger(numerics::absolute(slope), result.slope);
  }
  return result;
}

}  // namespace cotangent::integrators
