// SPDX-License-Identifier: BSD-3-Clause
// The worked examples of V. P. Chan, The design, implementation, and applications of a novel numerical
// solver: the Lagrangian solver (master's thesis, OIST, 2018), section 3.2: an initial value, a boundary
// value and an eigenvalue problem by the differentiation matrix on Chebyshev nodes, against their exact
// solutions.
#include "catch.hpp"
#include "numerics/worked_examples.hpp"

using namespace cotangent::numerics;

TEST_CASE("worked example 1: an initial value problem, of order K") {
  CHECK(initial_value_error(8, 1) < 1e-6);
  CHECK(initial_value_error(16, 1) < 1e-16);
  CHECK(initial_value_error(4, 1) > 1e-5);
  const double order8 = std::log2(initial_value_error(8, 8) / initial_value_error(8, 16));
  CHECK(order8 == within(8, 0.25));  // measured: 7.81; "straightforwardly K - 1" is refuted
  const double order5 = std::log2(initial_value_error(5, 16) / initial_value_error(5, 32));
  CHECK(order5 == within(5, 0.1));
}

TEST_CASE("worked example 2: a boundary value problem, exact from degree 4 on") {
  for (int K = 4; K <= 16; ++K) CHECK(boundary_value_error(K) < 1e-15);
  CHECK(boundary_value_error(3) > 1e-3);  // the solution has degree 4
}

TEST_CASE("worked example 3: levels in a box, K = 3 N gives good results and K = 2 N doesn't") {
  CHECK(std::abs(level_errors(15)[4]) == Approx(4.0e-6).epsilon(0.02));
  CHECK(std::abs(level_errors(30)[9]) == Approx(1.3e-9).epsilon(0.04));
  CHECK(level_errors(10)[4] == Approx(-1.5e-2).epsilon(0.04));
  CHECK(level_errors(20)[9] == Approx(1.0e-3).epsilon(0.05));
}
