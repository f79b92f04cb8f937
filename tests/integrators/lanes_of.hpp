// SPDX-License-Identifier: BSD-3-Clause
// What tests of lanes share: the bits of states, packs of orbits, and where a method takes these.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "goes_on.hpp"
#include "integrators/method.hpp"

namespace cotangent::test {

using Bits = std::vector<std::uint64_t>;

/// The bits of time, places and velocities in a lane.
template <class R, int N>
Bits bits(const integrators::State<R, N>& x, int lane) {
  Bits result{std::bit_cast<std::uint64_t>(numerics::lane(x.t, lane))};
  for (int n = 0; n < N; ++n) {
    result.push_back(std::bit_cast<std::uint64_t>(numerics::lane(x.q[n], lane)));
    result.push_back(std::bit_cast<std::uint64_t>(numerics::lane(x.v[n], lane)));
  }
  return result;
}

/// A pack of the orbits from `first` on, start_of(orbit) a state of doubles.
template <class R, class StartOf>
auto pack(int first, const StartOf& start_of) {
  constexpr int N = std::tuple_size_v<decltype(start_of(first).q)>;
  integrators::State<R, N> x;
  for (int i = 0; i < numerics::width_of<R>; ++i) {
    const auto one = start_of(first + i);
    numerics::set_lane(x.t, i, one.t);
    for (int n = 0; n < N; ++n) {
      numerics::set_lane(x.q[n], i, one.q[n]);
      numerics::set_lane(x.v[n], i, one.v[n]);
    }
  }
  return x;
}

/// The ends of so many orbits after so many steps, and the states inside their last steps, from packs of R.
template <template <class> class Method, class Model, class R, class StartOf>
std::vector<Bits> ends(const integrators::MethodOptions& options, int orbits, int steps,
                       const StartOf& start_of) {
  using System = mechanics::System<Model, R>;
  const numerics::mask_of<R> all(true);
  const System system;
  std::vector<Bits> result;
  for (int first = 0; first < orbits; first += numerics::width_of<R>) {
    Method<System> method(options), unasked(options);
    for (Method<System>* each : {&method, &unasked}) {
      each->start(system, pack<R>(first, start_of), all);
      for (int step = 0; step < steps; ++step) each->advance(system, all);
    }
    for (int i = 0; i < numerics::width_of<R>; ++i) {
      CHECK(numerics::lane(method.failure(), i) == 0);
      result.push_back(bits(method.end(), i));
      result.push_back(bits(method.dense(R(0.3)), i));
      result.push_back(bits(method.again(system, R(0.3), all), i));
    }
    check_goes_on(method, unasked, system, all, numerics::width_of<R>,
                  [](const auto& state, int lane) { return bits(state, lane); });
  }
  return result;
}

}  // namespace cotangent::test
