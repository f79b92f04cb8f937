// SPDX-License-Identifier: BSD-3-Clause
// A lane's bits are its own, with every method: the same at every width and for double, whatever its mates
// do, and after being saved and loaded.
#include <bit>
#include <cstdint>

#include "catch.hpp"
#include "goes_on.hpp"
#include "integrators/chebyshev_collocation.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
using numerics::Lanes;

namespace {

constexpr int orbits = 8, steps = 40;

/// Eight different starts of different energies.
State<double, 2> start_of(int orbit) {
  return {0.125 * orbit, {0.02 * orbit, -0.1 + 0.03 * orbit}, {0.3783906541 - 0.02 * orbit, 0.01 * orbit}};
}

using Bits = std::array<std::uint64_t, 5>;
template <class R>
Bits bits(const State<R, 2>& x, int lane) {
  const auto of = [&](const R& value) { return std::bit_cast<std::uint64_t>(numerics::lane(value, lane)); };
  return {of(x.t), of(x.q[0]), of(x.q[1]), of(x.v[0]), of(x.v[1])};
}

template <class R>
State<R, 2> pack(int first) {
  State<R, 2> x;
  for (int i = 0; i < numerics::width_of<R>; ++i) {
    const auto one = start_of(first + i);
    numerics::set_lane(x.t, i, one.t);
    for (int n = 0; n < 2; ++n) {
      numerics::set_lane(x.q[n], i, one.q[n]);
      numerics::set_lane(x.v[n], i, one.v[n]);
    }
  }
  return x;
}

/// The ends of all orbits, and the states inside their last steps, from packs of R.
template <template <class> class Method, class Model, class R>
std::vector<Bits> ends(const MethodOptions& options) {
  using Mask = numerics::mask_of<R>;
  const mechanics::System<Model, R> system;
  std::vector<Bits> result;
  for (int first = 0; first < orbits; first += numerics::width_of<R>) {
    Method<mechanics::System<Model, R>> method(options);
    method.start(system, pack<R>(first), Mask(true));
    for (int step = 0; step < steps; ++step) method.advance(system, Mask(true));
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      CHECK(numerics::lane(method.failure(), i) == 0);
      result.push_back(bits(method.end(), i));
      result.push_back(bits(method.dense(R(0.3)), i));
      result.push_back(bits(method.again(system, R(0.3), Mask(true)), i));
    }
    Method<mechanics::System<Model, R>> unasked(options);
    unasked.start(system, pack<R>(first), Mask(true));
    for (int step = 0; step < steps; ++step) unasked.advance(system, Mask(true));
    test::check_goes_on(method, unasked, system, Mask(true), numerics::width_of<R>,
                        [](const auto& state, int lane) { return bits(state, lane); });
  }
  return result;
}

/// A mate that leaves the valley at once: its lane overflows.
template <class R>
void ruin(State<R, 2>& x, int lane) {
  numerics::set_lane(x.q[1], lane, 40.0);
  numerics::set_lane(x.v[1], lane, 1e8);
}

template <template <class> class Method, class Model = mechanics::HenonHeiles>
void check(const MethodOptions& options) {
  using Four = Lanes<4>;
  using System = mechanics::System<Model, Four>;
  using Mask = numerics::Mask<4>;
  const auto alone = ends<Method, Model, double>(options);
  CHECK(alone == ends<Method, Model, Lanes<1>>(options));
  CHECK(alone == ends<Method, Model, Lanes<2>>(options));
  CHECK(alone == ends<Method, Model, Lanes<4>>(options));
  CHECK(alone == ends<Method, Model, Lanes<8>>(options));

  // Lane 1 overflows, lane 2 pauses now and then and is started afresh, lane 3 is moved to another pack half
  // way.
  const System system;
  auto x = pack<Four>(0);
  ruin(x, 1);
  Method<System> method(options), other(options);
  method.start(system, x, Mask(true));
  other.start(system, x, Mask(true));
  Mask active(true), only(false);
  only.set(2, true);
  int taken = 0;
  std::vector<double> saved(sizeof(method.memory()) / sizeof(Four));
  for (int step = 0; step < steps; ++step) {
    if (step == 7) method.start(system, pack<Four>(0), only);
    if (step == 7) taken = 0;
    active.set(2, step % 3 != 0);
    if (numerics::lane(method.failure(), 1) != 0) active.set(1, false);
    taken += method.advance(system, active)[2];
    if (step + 1 == steps / 2) save_lane<Four>(method.memory(), 3, saved.data());
  }
  CHECK(bits(method.end(), 0) == alone[0]);
  CHECK(numerics::lane(method.failure(), 0) == 0);
  if (!options.tolerance) CHECK(numerics::lane(method.failure(), 1) != 0);

  load_lane<Four>(other.memory(), 1, saved.data());
  other.resume(system);
  Mask one(false);
  one.set(1, true);
  for (int step = steps / 2; step < steps; ++step) other.advance(system, one);
  CHECK(bits(other.end(), 1) == alone[3 * 3]);
  CHECK(bits(other.dense(Four(0.3)), 1) == alone[3 * 3 + 1]);

  Method<mechanics::System<Model, double>> third(options);
  const mechanics::System<Model, double> single;
  third.start(single, start_of(2), true);
  for (int done = 0; done < taken;) done += third.advance(single, true);
  CHECK(bits(method.end(), 2) == bits(third.end(), 0));
}

}  // namespace

TEST_CASE("lanes of the one-step methods are their own") {
  check<ExplicitEuler>(fixed(0.0625));
  check<ImplicitEuler>(fixed(0.0625));
  check<SymplecticEuler>(fixed(0.0625));
  check<StormerVerlet>(fixed(0.0625));
  check<Rk4>(fixed(0.25));
  check<DormandPrince853>(fixed(0.5));
  check<DormandPrince853>(adaptive(1e-9));
}

TEST_CASE("lanes of collocation in differential form are their own") {
  check<ChebyshevLobattoCollocation>(fixed(0.5, 8, "E"));
  check<ChebyshevLobattoCollocation>(fixed(0.5, 5, "A"));
  check<LobattoCollocation>(fixed(0.5, 6, "C"));
  check<ChebyshevLobattoCollocation>(adaptive(1e-9));
}

TEST_CASE("lanes of Gauss collocation are their own, in either form") {
  check<Gauss>(fixed(0.75));
  check<Gauss>(fixed(2.0, 7));  // where some lanes need Newton's method
  check<Gauss>(adaptive(1e-9));
  check<Gauss, GeneralHenonHeiles>(fixed(0.75));
  check<Gauss, GeneralHenonHeiles>(fixed(0.5, 5));
  check<Gauss, GeneralHenonHeiles>(adaptive(1e-9));
}
