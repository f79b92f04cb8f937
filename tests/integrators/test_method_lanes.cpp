// SPDX-License-Identifier: BSD-3-Clause
// A lane's bits are its own, with every method: the same at every width and for double, whatever its mates
// do, and after being saved and loaded.
#include "catch.hpp"
#include "integrators/chebyshev_collocation.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "lanes_of.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
using numerics::Lanes;
using test::bits, test::ends, test::pack;

namespace {

constexpr int orbits = 8, steps = 40;

/// Eight different starts of different energies.
State<double, 2> start_of(int orbit) {
  return {0.125 * orbit, {0.02 * orbit, -0.1 + 0.03 * orbit}, {0.3783906541 - 0.02 * orbit, 0.01 * orbit}};
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
  const auto alone = ends<Method, Model, double>(options, orbits, steps, start_of);
  CHECK(alone == ends<Method, Model, Lanes<1>>(options, orbits, steps, start_of));
  CHECK(alone == ends<Method, Model, Lanes<2>>(options, orbits, steps, start_of));
  CHECK(alone == ends<Method, Model, Lanes<4>>(options, orbits, steps, start_of));
  CHECK(alone == ends<Method, Model, Lanes<8>>(options, orbits, steps, start_of));

  // Lane 1 overflows, lane 2 pauses now and then and is started afresh, lane 3 is moved to another pack half
  // way.
  const System system;
  auto x = pack<Four>(0, start_of);
  ruin(x, 1);
  Method<System> method(options), other(options);
  method.start(system, x, Mask(true));
  other.start(system, x, Mask(true));
  Mask active(true), only(false);
  only.set(2, true);
  int taken = 0;
  std::vector<double> saved(sizeof(method.memory()) / sizeof(Four));
  for (int step = 0; step < steps; ++step) {
    if (step == 7) method.start(system, pack<Four>(0, start_of), only);
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
