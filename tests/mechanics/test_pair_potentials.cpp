// SPDX-License-Identifier: BSD-3-Clause
// Pair potentials against their formulas and against differences of themselves.
// Ricker's values: D. Shapero, "Billiards on surfaces" (shapero.xyz).
#include "catch.hpp"
#include "mechanics/potentials/lennard_jones.hpp"
#include "mechanics/potentials/ricker.hpp"
#include "mechanics/potentials/soft.hpp"
#include "mechanics/potentials/yukawa.hpp"

using namespace cotangent::mechanics;

namespace {

template <class P, std::size_t n>
void slopes(const std::array<double, n>& p) {
  for (const double r : {0.6, 0.9, 1.1, 1.7}) {
    const double s = r * r, d = 1e-6 * s;
    const auto u = pair_energy<P>(s, p);
    const double quotient = (pair_energy<P>(s + d, p).value - pair_energy<P>(s - d, p).value) / (2 * d);
    INFO(P::name << " at r = " << r);
    CHECK(u.slope == Approx(quotient).epsilon(1e-7).margin(1e-9));
  }
}

}  // namespace

TEST_CASE("Ricker's values as Shapero has them") {
  const std::array<double, 2> p{0.5, 1.0 / 6};
  CHECK(pair_energy<Ricker>(0.0, p).value == Approx(1.1204222676).epsilon(1e-10));
  CHECK(pair_energy<Ricker>(1.0 / 36, p).value == Approx(-0.5).epsilon(1e-14));
  CHECK(std::abs(pair_energy<Ricker>(1.0 / 108, p).value) < 1e-15);
  CHECK(std::abs(pair_energy<Ricker>(1.0 / 36, p).slope) < 1e-13);
  for (const double r : {0.01, 0.1, 0.3}) {  // U'(r) / r = 2 dU/ds
    const double force = (13068.6053 * r * r - 363.016815) * std::exp(-54 * r * r);
    CHECK(2 * pair_energy<Ricker>(r * r, p).slope == Approx(force).epsilon(1e-8));
  }
}

TEST_CASE("slopes are the derivatives of energies") {
  slopes<Ricker>(std::array{0.7, 1.0});
  slopes<LennardJones>(std::array{1.3, 1.0});
  slopes<Yukawa>(std::array{2.0, 0.8});
  slopes<Soft>(std::array{2.0, 1.8});
  CHECK(pair_energy<LennardJones>(std::pow(2.0, 1.0 / 3), std::array{1.3, 1.0}).value == within(-1.3, 1e-14));
  CHECK(pair_energy<Yukawa>(4.0, std::array{2.0, 0.8}).value == within(std::exp(-2.5), 1e-15));
}

TEST_CASE("the switch ends energy and force without a jump") {
  const std::array<double, 2> p{1.0, 1.0};
  const CutOff cut{2.5, 2.0, 0.0};
  for (const double r : {2.0, 2.5}) {
    for (const double side : {-1e-7, 1e-7}) {
      const double s = r * r * (1 + side);
      const auto u = switched_pair_energy<LennardJones>(std::min(s, 6.25), p, cut);
      const auto plain = pair_energy<LennardJones>(s, p);
      CHECK(u.value == within(r < 2.2 ? plain.value : 0.0, 1e-9));
      CHECK(u.slope == within(r < 2.2 ? plain.slope : 0.0, 1e-7));
    }
  }
  const double s = 5.0, d = 1e-5;
  const double quotient = (switched_pair_energy<LennardJones>(s + d, p, cut).value -
                           switched_pair_energy<LennardJones>(s - d, p, cut).value) /
                          (2 * d);
  CHECK(switched_pair_energy<LennardJones>(s, p, cut).slope == Approx(quotient).epsilon(1e-7));
}

TEST_CASE("ranges are where potentials fall below a tolerance, and no nearer") {
  const std::array<double, 2> ricker{0.5, 1.0 / 6};
  const auto energy = [&](double s) { return pair_energy<Ricker>(s, ricker); };
  const double r = range(energy, ricker[1], 1e-12).value();
  CHECK(r > 0.7);
  CHECK(r < 1.0);
  CHECK(std::abs(2 * r * energy(r * r).slope) <= 1e-12);
  CHECK(std::abs(2 * 0.99 * r * energy(0.98 * r * r).slope) > 1e-12);
  const std::array<double, 2> slow{1.0, 1e8};
  CHECK_FALSE(range([&](double s) { return pair_energy<Yukawa>(s, slow); }, 1.0, 1e-9).has_value());
}
