// SPDX-License-Identifier: BSD-3-Clause
// The pendulum's multiplier, lambda = (|p|^2 - q_y) / |q|^2 in p' = (0, -1) - lambda q, against those of its
// discretisations, whose constraint |q|^2 - 1 has the gradient 2 q: minus two of them are one of that.
// Reference: P. Mullen, M. Desbrun, CS 101: Numerical Geometric Integration, slides "Projection Methods &
// Constraints".
#include "integrators/constrained.hpp"

namespace cotangent::integrators {
namespace {

/// How far multipliers times -2 are from lambda at RATTLE's states, at worst until T = 10.
struct Deviation {
  double before = 0, after = 0, mean = 0;  ///< RATTLE's of the step that ends at a state, that begins there
  double shake = 0, variational = 0;
  double shake_from_mean = 0, variational_from_shake = 0;  ///< by themselves
  double first_variational = 0;                            ///< over lambda at the start
};

double lambda(const State<double, 2>& x) {
  const auto [q_x, q_y] = x.q;
  return (x.v[0] * x.v[0] + x.v[1] * x.v[1] - q_y) / (q_x * q_x + q_y * q_y);
}

/// RATTLE's second multiplier of a step of h from a to b: v' = (q' - q)/h + h/2 ((0, -1) + 2 mu q').
double second_multiplier(const State<double, 2>& a, const State<double, 2>& b, double h) {
  double along = b.q[1];
  for (int n = 0; n < 2; ++n) along += 2 / h * (b.v[n] - (b.q[n] - a.q[n]) / h) * b.q[n];
  return along / 2;
}

Deviation deviation(double h) {
  const Circle system;
  MethodOptions options;
  options.step = h;
  Rattle<Circle> rattle(options);
  ShakeTwoStep<Circle> shake(options);
  Variational<Circle> variational(options);
  rattle.start(system, pendulum_start(), true);
  shake.start(system, pendulum_start(), true);
  variational.start(system, pendulum_start(), true);
  Deviation d;
  double ended = 0, ahead = 0;  // multipliers at the step's beginning: of RATTLE's last, and SHAKE's
  const auto worst = [](double& most, double found) { most = std::max(most, std::abs(found)); };
  for (int i = 0; i * h < 10; ++i) {
    REQUIRE(
        (rattle.advance(system, true) && shake.advance(system, true) && variational.advance(system, true)));
    const double exact = lambda(rattle.begin());
    const double begun = rattle.memory().carry.lambda[0], its = variational.memory().carry.lambda[0];
    worst(d.after, exact + 2 * begun);
    if (i == 0) {
      d.first_variational = -2 * its / exact;
    } else {
      worst(d.before, exact + 2 * ended);
      worst(d.mean, exact + begun + ended);
      worst(d.shake, exact + 2 * ahead);
      worst(d.variational, exact + 2 * its);
      worst(d.shake_from_mean, ahead - (begun + ended) / 2);
      worst(d.variational_from_shake, its - ahead);
    }
    ended = second_multiplier(rattle.begin(), rattle.end(), h);
    ahead = shake.memory().carry.lambda[0];
  }
  return d;
}

TEST_CASE("the pendulum's multiplier and the discrete ones") {
  const Deviation coarse = deviation(0.1), fine = deviation(0.05);
  // SHAKE's and the variational one are of order 2, and the same numbers.
  CHECK(coarse.shake == Approx(2.109e-3).epsilon(1e-3));
  CHECK(fine.shake == Approx(5.278e-4).epsilon(1e-3));
  CHECK(coarse.variational == Approx(coarse.shake).epsilon(1e-9));
  // RATTLE has two at each point, of order 1, whose mean is SHAKE's.
  CHECK(coarse.before == Approx(4.494e-2).epsilon(1e-3));
  CHECK(fine.before == Approx(2.206e-2).epsilon(1e-3));
  CHECK(coarse.after == Approx(4.496e-2).epsilon(1e-3));
  CHECK(fine.after == Approx(2.206e-2).epsilon(1e-3));
  CHECK(coarse.mean == Approx(coarse.shake).epsilon(1e-9));
  for (const Deviation& d : {coarse, fine}) {
    CHECK(d.shake_from_mean < 1e-12);  // 3e-14, 1.2e-13
    CHECK(d.variational_from_shake < 1e-12);
    // The first step of the variational integrator begins with a tangent momentum: it needs half a
    // multiplier.
    CHECK(d.first_variational == Approx(0.5).epsilon(4e-3));
  }
}

}  // namespace
}  // namespace cotangent::integrators
