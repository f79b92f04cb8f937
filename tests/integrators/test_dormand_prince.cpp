// SPDX-License-Identifier: BSD-3-Clause
// Dormand-Prince 8(5,3): its coefficients by order conditions, its dense output, its step control.
#include "catch.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/rk4.hpp"
#include "mechanics/models/kepler.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;
namespace table = cotangent::integrators::dormand_prince_853;

namespace {

using Stages = std::array<double, table::all_stages>;

/// (A x)_i over the stages of the step, the weights b among the rows (row 12).
Stages times_a(const Stages& x) {
  Stages result{};
  for (const auto& entry : table::a) result[entry.stage] += entry.value * x[entry.from];
  return result;
}
Stages power_of_c(int n) {
  Stages result;
  for (int i = 0; i < table::all_stages; ++i) result[i] = std::pow(table::c[i], n);
  return result;
}

/// The greatest difference at theta = 0.3 and 0.7 between the dense output and steps to there, over steps h.
template <template <class> class Method>
std::array<double, 2> dense_orders(const std::vector<double>& steps) {
  const HenonHeilesSystem<double> system;
  std::vector<double> of_q, of_v;
  for (const double step : steps) {
    Method<HenonHeilesSystem<double>> method(fixed(step));
    method.start(system, henon_heiles_start<double>(), true);
    double q = 0, v = 0;
    for (double t = 0; t < 8; t += step) {
      REQUIRE(method.advance(system, true));
      for (const double theta : {0.3, 0.7}) {
        const auto a = method.dense(theta), b = method.again(system, theta, true);
        for (int n = 0; n < 2; ++n) {
          q = std::max(q, std::abs(a.q[n] - b.q[n]));
          v = std::max(v, std::abs(a.v[n] - b.v[n]));
        }
      }
    }
    of_q.push_back(q);
    of_v.push_back(v);
  }
  return {fitted_order(steps, of_q).order, fitted_order(steps, of_v).order};
}

}  // namespace

TEST_CASE("Dormand-Prince 8(5,3): order conditions hold to order 8 and no further") {
  const auto ones = power_of_c(0), row_sums = times_a(ones);
  for (int i = 0; i < table::all_stages; ++i) {
    CHECK(row_sums[i] == within(table::c[i], 1e-14));
  }
  for (int order = 1; order <= 9; ++order) {
    // The bushy tree; then the trees b A^m c^(order - 1 - m), which are worth (order - 1 - m)! / order!.
    double value = 1.0 / order;
    for (int m = 0; m < order; ++m) {
      auto x = power_of_c(order - 1 - m);
      for (int k = 0; k < m; ++k) x = times_a(x);
      const double sum = times_a(x)[table::stages];
      if (m > 0) value /= order - m;
      if (order <= 8) CHECK(sum == within(value, 1e-14));
      if (order == 9 && m == 1) CHECK(std::abs(sum - value) > 1e-6);
    }
  }
  // The embedded weights: of order 5 the difference to b, of order 3 three stages alone.
  for (int n = 0; n <= 5; ++n) {
    double five = 0, three = 0;
    for (int i = 0; i < table::stages; ++i) five += table::error5[i] * std::pow(table::c[i], n);
    for (const auto& entry : table::third_order) three += entry.value * std::pow(table::c[entry.from], n);
    if (n <= 4) CHECK(std::abs(five) < 1e-14);
    if (n == 5) CHECK(std::abs(five) > 1e-6);
    if (n <= 2) CHECK(three == within(1.0 / (n + 1), 1e-14));
    if (n == 3) CHECK(std::abs(three - 0.25) > 1e-4);
  }
}

TEST_CASE("dense output: order 7 of Dormand-Prince, 3 of a cubic") {
  const auto seven = dense_orders<DormandPrince853>({1.0, 0.5, 0.25});
  CHECK(seven[0] == within(8, 0.4));  // the error is of one power more than the order
  CHECK(seven[1] == within(7, 0.4));
  const auto cubic = dense_orders<Rk4>({0.125, 0.0625, 0.03125});
  CHECK(cubic[0] == within(4, 0.2));
  CHECK(cubic[1] == within(3, 0.2));
}

TEST_CASE("dense output meets the step's ends in coordinates and velocities") {
  using System = HenonHeilesSystem<double>;
  const System system;
  DormandPrince853<System> method(fixed(0.8));
  method.start(system, henon_heiles_start<double>(), true);
  for (int i = 0; i < 5; ++i) REQUIRE(method.advance(system, true));
  CHECK(distance(method.dense(0.0), method.begin()) < 1e-15);
  CHECK(distance(method.dense(1.0), method.end()) < 1e-15);
  CHECK(method.dense(0.5).t == within(method.begin_time() + 0.4, 1e-15));
  CHECK(!method.dense_is_exact());
}

TEST_CASE("the step follows the tolerance: errors in proportion, short steps where the orbit bends") {
  const State<double, 2> start{0.0, {0.1, 0.0}, {0.0, std::sqrt(19.0)}};  // eccentricity 0.9
  double last = 0;
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    const auto done = revolution<DormandPrince853>(start, adaptive(tolerance, 8, "E", 0.01));
    CHECK(done.error < 6000 * tolerance);  // measured: 300 to 2600 times
    CHECK(done.longest > 20 * done.shortest);
    CHECK(done.attempts < 1.5 * done.taken);
    if (last > 0) CHECK(done.error < 0.1 * last);
    last = done.error;
  }
}

TEST_CASE("a fall into the centre ends with a step too small, of that lane alone") {
  using Pair = numerics::Lanes<2>;
  using System = mechanics::System<mechanics::Kepler, Pair>;
  const System system;
  DormandPrince853<System> method(adaptive(1e-10));
  State<Pair, 2> x;
  x.q = {Pair(1.0), Pair(0.0)};
  x.v = {Pair(0.0), Pair(0.0)};
  x.v[1].set(1, 1.0);
  method.start(system, x, numerics::Mask<2>(true));
  for (int i = 0; i < 2000 && !any(method.failure() != Pair(0.0)); ++i)
    method.advance(system, numerics::Mask<2>(true));
  CHECK(method.failure()[0] == static_cast<double>(Status::step_too_small));
  CHECK(method.failure()[1] == 0);
  CHECK(method.end().t[0] == within(1.1107207345, 1e-6));  // pi / 2^(3/2)
}

TEST_CASE("methods without an error estimate refuse a tolerance") {
  using System = HenonHeilesSystem<double>;
  CHECK_THROWS_AS(Rk4<System>(adaptive(1e-8)), Error);
  CHECK_NOTHROW(DormandPrince853<System>(adaptive(1e-8)));
}

TEST_CASE("a state that overflows is a failure of its own, with the last good state kept") {
  using System = HenonHeilesSystem<double>;
  const System system;
  Rk4<System> method(fixed(0.5));
  method.start(system, {0.0, {0.0, 3.0}, {0.0, 5.0}}, true);  // escapes
  int steps = 0;
  while (method.advance(system, true)) ++steps;
  CHECK(steps > 3);
  CHECK(method.failure() == static_cast<double>(Status::non_finite));
  CHECK(std::isfinite(method.end().q[1]));
  CHECK(method.end().t == within(0.5 * steps, 1e-12));
}
