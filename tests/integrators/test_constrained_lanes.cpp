// SPDX-License-Identifier: BSD-3-Clause
// A lane's bits are its own under constraints: with one in closed form and with several by elimination, the
// same at every width and for double, whatever its mates do, and after being saved and loaded.
#include <bit>
#include <concepts>
#include <cstdint>

#include "integrators/chebyshev_collocation.hpp"
#include "integrators/composition.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/lobatto_pair.hpp"
#include "integrators/reduced_gauss.hpp"
#include "integrators/shake.hpp"
#include "lanes_of.hpp"
#include "manifold_orbits.hpp"
#include "mechanics/models/four_bar_linkage.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
using numerics::Lanes;
using test::bits, test::ends, test::pack;

namespace {

/// A circle on which forces push and turn.
struct DrivenCircle {
  static constexpr int dim = 2;
  static constexpr std::array<mechanics::Parameter, 0> parameters{};
  auto operator()(const auto&, const auto& v) const {
    const auto [u, w] = v;
    return 0.5 * (u * u + w * w);
  }
  auto force(const auto& q, const auto&, const auto&, const auto& t) const {
    using std::cos, ad::cos, std::sin, ad::sin;
    const auto [x, y] = q;
    return std::tuple(0.4 * cos(1.3 * t) - 0.1 * y, 0.3 * x * sin(t));
  }
  auto constraint(const auto& q, const auto&) const {
    const auto [x, y] = q;
    return x * x + y * y - 1.0;
  }
};

constexpr int orbits = 16, steps = 60;

/// Starts on the surface of genus 2 or of the linkage.
template <class Model>
State<double, Model::dim> start_of(int orbit) {
  const mechanics::System<Model, double> system;
  if constexpr (Model::dim == 3) {
    const double angle = 0.3 + 0.7 * orbit, speed = 0.5 + 0.2 * (orbit % 8);
    return {0.125 * orbit, {0, 0, 1.0 / 6}, {speed * std::cos(angle), speed * std::sin(angle), 0}};
  } else {
    const double angle = 0.5 + 0.8 * orbit;
    return projected(system, {0.125 * orbit,
                              {std::cos(angle), std::sin(angle), std::cos(angle) + 2, std::sin(angle) + 2},
                              {-0.3 * (orbit % 8), 0.4, 0.1, 0.2}});
  }
}

template <template <class> class Method, class Model>
void check(const MethodOptions& options, bool fails_at_once = true) {
  using Four = Lanes<4>;
  using System = mechanics::System<Model, Four>;
  using Mask = numerics::Mask<4>;
  const auto alone = ends<Method, Model, double>(options, orbits, steps, start_of<Model>);
  if constexpr (COTANGENT_ALL_PAIRS || std::same_as<Method<System>, Rattle<System>>)
    CHECK(alone == ends<Method, Model, Lanes<1>>(options, orbits, steps, start_of<Model>));
  CHECK(alone == ends<Method, Model, Four>(options, orbits, steps, start_of<Model>));
  CHECK(alone == ends<Method, Model, Lanes<8>>(options, orbits, steps, start_of<Model>));
  if constexpr (COTANGENT_ALL_PAIRS ||
                std::same_as<Method<System>, Rattle<System>>)  // each width compiles for seconds
    CHECK(alone == ends<Method, Model, Lanes<16>>(options, orbits, steps, start_of<Model>));

  // Lane 1 is too fast for a multiplier to exist, lane 2 pauses now and then, lane 3 moves to another pack
  // half way, and takes along all that its steps depend on.
  const System system;
  auto x = pack<Four>(0, start_of<Model>);
  for (int n = 0; n < Model::dim; ++n) numerics::set_lane(x.v[n], 1, 1e4 * numerics::lane(x.v[n], 1));
  const auto fast = x;
  Method<System> method(options), other(options);
  method.start(system, x, Mask(true));
  other.start(system, x, Mask(true));
  Mask active(true);
  int taken = 0;
  std::vector<double> saved(sizeof(method.memory()) / sizeof(Four));
  for (int step = 0; step < steps; ++step) {
    active.set(2, step % 3 != 0);
    if (numerics::lane(method.failure(), 1) != 0) active.set(1, false);
    taken += method.advance(system, active)[2];
    if (step + 1 == steps / 2) save_lane<Four>(method.memory(), 3, saved.data());
  }
  CHECK(bits(method.end(), 0) == alone[0]);
  CHECK(numerics::lane(method.failure(), 0) == 0);
  CHECK(numerics::lane(method.failure(), 1) == static_cast<double>(Status::newton_diverged));
  if (fails_at_once) CHECK(bits(method.end(), 1) == bits(fast, 1));
  CHECK(taken == steps - steps / 3);

  load_lane<Four>(other.memory(), 1, saved.data());
  other.resume(system);
  Mask one(false);
  one.set(1, true);
  for (int step = steps / 2; step < steps; ++step) other.advance(system, one);
  CHECK(bits(other.end(), 1) == alone[3 * 3]);
  CHECK(bits(other.dense(Four(0.3)), 1) == alone[3 * 3 + 1]);
  CHECK(bits(other.again(system, Four(0.3), one), 1) == alone[3 * 3 + 2]);

  Method<mechanics::System<Model, double>> third(options);
  const mechanics::System<Model, double> single;
  third.start(single, start_of<Model>(2), true);
  for (int done = 0; done < taken; ++done) third.advance(single, true);
  CHECK(bits(method.end(), 2) == bits(third.end(), 0));
}

MethodOptions with_tolerance(double tolerance) {
  auto options = fixed(0.03);
  options.constraint_tolerance = tolerance;
  return options;
}

template <class System>
using KahanLi = RattleComposition<System, KahanLi6>;
template <class System>
using Pair4 = LobattoPair<System, 3>;

/// The work summed over all steps, lane by lane.
template <class R>
std::vector<std::uint64_t> works(const MethodOptions& options) {
  using System = mechanics::System<DrivenCircle, R>;
  using Mask = numerics::mask_of<R>;
  std::vector<std::uint64_t> result;
  for (int first = 0; first < orbits; first += numerics::width_of<R>) {
    State<R, 2> x;
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      const double a = 0.4 * (first + i), speed = 0.3 * ((first + i) % 7) - 1;
      numerics::set_lane(x.q[0], i, std::cos(a));
      numerics::set_lane(x.q[1], i, std::sin(a));
      numerics::set_lane(x.v[0], i, -speed * std::sin(a));
      numerics::set_lane(x.v[1], i, speed * std::cos(a));
    }
    ReducedGauss<System> method(options);
    method.start({}, x, Mask(true));
    R sum(0.0);
    for (int step = 0; step < 4 * steps; ++step) {
      REQUIRE(all(method.advance({}, Mask(true))));
      sum += method.work();
    }
    for (int i = 0; i < numerics::width_of<R>; ++i)
      result.push_back(std::bit_cast<std::uint64_t>(numerics::lane(sum, i)));
  }
  return result;
}

}  // namespace

TEST_CASE("the work of projected steps is a lane's own") {
  auto options = fixed(0.05, 2);
  for (const char* projection : {"none", "standard", "symmetric"}) {
    INFO(projection);
    options.projection = projection;
    const auto alone = works<Lanes<1>>(options);  // whose cosine is not that of doubles
    CHECK(alone == works<Lanes<4>>(options));
    CHECK(alone == works<Lanes<8>>(options));
  }
}

TEST_CASE("lanes under one constraint are their own") {
  check<Rattle, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-14));
  check<Rattle, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-6));
  check<Rattle, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-18));
}

TEST_CASE("lanes under several constraints are their own") {
  check<Rattle, mechanics::FourBarLinkage>(with_tolerance(1e-14));
  check<Rattle, mechanics::FourBarLinkage>(with_tolerance(1e-7));
}

TEST_CASE("lanes of the other methods that hold constraints are their own") {
  check<KahanLi, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-14), false);
  check<Pair4, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-14), false);
  check<Shake, mechanics::ParticleOn<mechanics::Lemniscate>>(with_tolerance(1e-14), false);
  check<ChebyshevLobattoCollocation, mechanics::ParticleOn<mechanics::Lemniscate>>(fixed(0.03, 5), false);
  check<LobattoCollocation, mechanics::FourBarLinkage>(fixed(0.03, 4, "C"), false);
}
