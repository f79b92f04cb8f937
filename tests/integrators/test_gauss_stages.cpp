// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation of a model whose struct states its number of stages has the bits of one that has them
// all, and no other number.
#include "catch.hpp"
#include "integrators/gauss.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

template <int S>
struct ForSomeStages : mechanics::HenonHeiles {
  static constexpr int stages = S;
};

const State<double, 2> star{0.0, {0.0, 0.2}, {0.45, 0.05}};

bool same_bits(const State<double, 2>& x, const State<double, 2>& y) {
  return x.q == y.q && x.v == y.v;
}

template <int S>
void check_bits() {
  INFO(S << " stages");
  const HenonHeilesSystem<double> all;
  const mechanics::System<ForSomeStages<S>, double> some;
  const auto options = fixed(0.1 * S, S);
  const auto expected = run<Gauss>(all, star, 50.0, options);
  CHECK(same_bits(run<Gauss>(some, star, 50.0, options), expected));
  CHECK(!same_bits(run<Gauss>(some, star, 50.0, fixed(0.1 * S + 1e-9, S)), expected));
}

}  // namespace

TEST_CASE("a model's only number of stages has the bits of any") {
  check_bits<1>();
  check_bits<5>();
  check_bits<10>();
  check_bits<13>();
  CHECK_THROWS_AS((Gauss<mechanics::System<ForSomeStages<10>, double>>(fixed(1.0, 8))), Error);
}
