// SPDX-License-Identifier: BSD-3-Clause
// The equations of collocation in differential form: their Jacobian against differences, and what Newton's
// method makes of it, with the Jacobian as printed in V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), (3.40), as
// the control.
#include "catch.hpp"
#include "integrators/chebyshev_collocation.hpp"
#include "mechanics/models/magnetic_chain.hpp"
#include "orbits.hpp"

using namespace cotangent;
using namespace cotangent::integrators;

namespace {

using System = mechanics::System<mechanics::MagneticChain, double>;
using Equations = CollocationEquations<System>;
using Unknowns = std::vector<std::array<double, 2>>;

System chain(double alpha) {
  System system;
  system.parameters[0] = alpha;
  return system;
}

/// The Jacobian as (3.40) has it: in the block of d L_v / d X the transposition is missing.
void untranspose(Equations& equations, const CollocationTables& tables, Treatment treatment, double h) {
  for (int row = treatment == Treatment::e ? 1 : 0; row < tables.degree; ++row) {
    const int k = treatment == Treatment::a ? row + 1 : row;
    for (int j = 1; j <= tables.degree; ++j) {
      const auto& qv = equations.at(j).qv;
      for (int n = 0; n < 2; ++n) {
        for (int m = 0; m < 2; ++m) {
          equations.jacobian()[2 * row + n][2 * (j - 1) + m] +=
              h * tables.derivative(k, j) * (qv[n][m] - qv[m][n]);
        }
      }
    }
  }
}

double norm(const std::vector<double>& x) {
  double most = 0;
  for (const double value : x) most = std::max(most, std::abs(value));
  return most;
}

/// The corrections of Newton's method for a step h from x, until one is below 1e-12.
std::vector<double> corrections(const System& system, const State<double, 2>& x, double h,
                                Treatment treatment, bool as_printed, Unknowns& y) {
  const auto tables = CollocationTables::of(NodeFamily::chebyshev_lobatto, 8);
  Equations equations(tables, treatment);
  equations.begin(system, h, x.t, x.q, x.v);
  std::vector<double> sizes;
  while (sizes.size() < 60 && (sizes.empty() || sizes.back() > 1e-12)) {
    equations.evaluate(system, y.data());
    if (as_printed) untranspose(equations, *tables, treatment, h);
    auto& d = equations.residual();
    numerics::solve_in_place<double>(equations.size(), equations.jacobian(), d);
    for (int i = 0; i < equations.size(); ++i) y[i / 2][i % 2] -= d[i];
    sizes.push_back(norm(d));
  }
  return sizes;
}

}  // namespace

TEST_CASE("the Jacobian agrees with differences in every treatment; as printed it doesn't") {
  const System system = chain(10);
  const double h = 0.5;
  const auto tables = CollocationTables::of(NodeFamily::chebyshev_lobatto, 8);
  Unknowns y(8);
  for (int k = 0; k < 8; ++k) y[k] = {0.02 * k, -0.03 * std::sin(0.7 * k)};
  for (const Treatment treatment : {Treatment::a, Treatment::c, Treatment::e}) {
    Equations equations(tables, treatment);
    equations.begin(system, h, 0.0, {0.4, 0.3}, {1.0, -0.6});
    equations.evaluate(system, y.data());
    const auto right = equations.jacobian();
    untranspose(equations, *tables, treatment, h);
    const auto printed = equations.jacobian();
    double worst = 0, worst_printed = 0;
    for (int j = 0; j < equations.size(); ++j) {
      const double difference = 1e-6;
      auto moved = y;
      moved[j / 2][j % 2] += difference;
      equations.evaluate(system, moved.data());
      const auto up = equations.residual();
      moved[j / 2][j % 2] -= 2 * difference;
      equations.evaluate(system, moved.data());
      for (int i = 0; i < equations.size(); ++i) {
        const double slope = (up[i] - equations.residual()[i]) / (2 * difference);
        worst = std::max(worst, std::abs(right[i][j] - slope));
        worst_printed = std::max(worst_printed, std::abs(printed[i][j] - slope));
      }
    }
    CHECK(worst < 1e-6);
    CHECK(worst_printed > 1);
  }
}

TEST_CASE(
    "Newton's method converges quadratically; with the Jacobian as printed, linearly to the same solution") {
  const System system = chain(10);
  const State<double, 2> x{0.0, {0.3, -0.2}, {1.5, -1.0}};
  Unknowns right(8), printed(8);
  const auto fast = corrections(system, x, 0.5, Treatment::e, false, right);
  const auto slow = corrections(system, x, 0.5, Treatment::e, true, printed);
  for (std::size_t k = 2; k + 1 < fast.size(); ++k) CHECK(fast[k] < 10 * fast[k - 1] * fast[k - 1]);
  CHECK(slow.size() > fast.size() + 2);
  for (int k = 0; k < 8; ++k) {
    for (int n = 0; n < 2; ++n) CHECK(right[k][n] == within(printed[k][n], 1e-12));
  }
}

TEST_CASE("iterations a step on the hanging chain, alpha = 10, E = -6.5, from rest as the guess") {
  const double pi = 3.141592653589793;
  const System system = chain(10);
  const auto tables = CollocationTables::of(NodeFamily::chebyshev_lobatto, 8);
  for (const double step : {0.25, 0.5, 1.0}) {
    State<double, 2> x{0.0, {pi, -pi}, {0.10623394393724173, 2.0}};
    double right = 0, printed = 0;
    const int steps = static_cast<int>(50 / step);
    for (int i = 0; i < steps; ++i) {
      Unknowns rest(8);
      for (int k = 0; k < 8; ++k)
        rest[k] = {-tables->c[k + 1] * step * x.v[0], -tables->c[k + 1] * step * x.v[1]};
      Unknowns y = rest;
      right += corrections(system, x, step, Treatment::e, false, y).size() / static_cast<double>(steps);
      y = rest;
      printed += corrections(system, x, step, Treatment::e, true, y).size() / static_cast<double>(steps);
      x = run<ChebyshevLobattoCollocation>(system, x, step, fixed(0.25));  // the orbit itself, accurately
    }
    CHECK(right < 5.8);            // measured: 4.8, 5.0, 5.7
    CHECK(printed > 1.6 * right);  // measured: 8.0, 9.3, 11.6
  }
}
