// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a flight through its bounces: symplectic, and what neighbours differ by, with the order
// of convergence of central differences; by curved walls, in space, under gravity.
#include <Eigen/Dense>
#include <cmath>

#include "billiards/arc.hpp"
#include "billiards/sets/circle.hpp"
#include "billiards/sets/ellipse.hpp"
#include "billiards/sets/ellipsoid.hpp"
#include "catch.hpp"

using namespace cotangent;
using namespace cotangent::billiards;

namespace {

template <int D>
using Square = Eigen::Matrix<double, 2 * D, 2 * D>;

template <int D>
Square<D> derivative_of(const sections::Arc& arc) {
  return Eigen::Map<const Eigen::Matrix<double, 2 * D, 2 * D, Eigen::RowMajor>>(arc.derivative.data());
}

template <int D>
Square<D> symplectic_unit() {
  Square<D> unit = Square<D>::Zero();
  unit.template topRightCorner<D, D>().setIdentity();
  unit.template bottomLeftCorner<D, D>() = -Eigen::Matrix<double, D, D>::Identity();
  return unit;
}

/// The largest difference between the derivative and central differences of neighbours, this far apart.
template <int D>
double off_differences(const Domain<D>& domain, const Vector<D>& gravity, const sections::Start& start,
                       double time, double apart) {
  const auto exact = derivative_of<D>(fly_arc<D>(domain, gravity, start, {.time = time}));
  double largest = 0;
  for (std::size_t j = 0; j < 2 * D; ++j) {
    const auto moved = [&](double by) {
      sections::Start other = start;
      (j < D ? other.q[j] : other.v[j - D]) += by;
      return fly_arc<D>(domain, gravity, other, {.time = time});
    };
    const auto more = moved(apart), less = moved(-apart);
    for (std::size_t i = 0; i < 2 * D; ++i) {
      const double change = i < D ? more.q[i] - less.q[i] : more.v[i - D] - less.v[i - D];
      const double off = change / (2 * apart) - exact(static_cast<int>(i), static_cast<int>(j));
      largest = std::max(largest, std::abs(off));
    }
  }
  return largest;
}

template <int D>
void check(const Domain<D>& domain, const Vector<D>& gravity, const sections::Start& start, double time) {
  const auto arc = fly_arc<D>(domain, gravity, start, {.time = time});
  REQUIRE(arc.status == Status::finished);
  const auto m = derivative_of<D>(arc);
  const auto unit = symplectic_unit<D>();
  CHECK((m.transpose() * unit * m - unit).norm() < 1e-13 * m.squaredNorm());
  auto wrong = m;  // a control
  wrong.col(0) *= 1 + 1e-9;
  CHECK((wrong.transpose() * unit * wrong - unit).norm() > 1e-10);

  const double far = off_differences<D>(domain, gravity, start, time, 1e-4),
               near = off_differences<D>(domain, gravity, start, time, 5e-5);
  CHECK(far > 0);
  CHECK(std::abs(far / near - 4) < 0.1);

  // D f = f' and g' D = g, f the flow and g the energy's slope.
  const Eigen::Map<const Eigen::Matrix<double, 2 * D, 1>> flow(arc.flow.data()), end(arc.end_flow.data()),
      slope(arc.energy_slope.data());
  CHECK((m * flow - end).norm() < 1e-12 * m.norm());
  Eigen::Matrix<double, 2 * D, 1> slope_there;
  for (std::size_t d = 0; d < D; ++d) {
    slope_there[static_cast<int>(d)] = -gravity[d];
    slope_there[static_cast<int>(D + d)] = arc.v[d];
  }
  CHECK((m.transpose() * slope_there - slope).norm() < 1e-12 * m.norm());
}

}  // namespace

TEST_CASE("the derivative over bounces off an ellipse, under gravity or without") {
  Domain<2> domain;
  domain.add<Ellipse>("ellipse", {1.5, 1.0});
  domain.enclose_all();
  check<2>(domain, {}, {0, {0.1, 0.2}, {0.8, 0.7}, {}}, 7.0);
  check<2>(domain, {0.1, -1.0}, {0, {0.1, 0.2}, {0.8, 0.7}, {}}, 5.0);
}

TEST_CASE("the derivative over bounces in space") {
  Domain<3> domain;
  domain.add<Ellipsoid>("ellipsoid", {1.5, 1.0, 0.8});
  domain.enclose_all();
  check<3>(domain, {0.0, 0.0, -0.5}, {0, {0.1, 0.2, 0.0}, {0.8, 0.7, 0.3}, {}}, 4.0);
}

TEST_CASE("an arc's action and its end are those of the flight") {
  Domain<2> domain;
  domain.add<Circle>("circle", {1.0});
  domain.enclose_all();
  const auto free = fly_arc<2>(domain, {}, {0, {0.0, 0.0}, {2.0, 0.0}, {}}, {.time = 1.25});
  CHECK(std::abs(free.action - 5) < 1e-14);
  CHECK(std::abs(free.q[0] + 0.5) < 1e-14);
  CHECK(free.v[0] == -2);
  // Thrown up from the bottom: v = sqrt(2 h), the integral of v^2 over a flight (2 h)^(3/2) 2/3.
  const auto thrown = fly_arc<2>(domain, {0.0, -1.0}, {0, {0.0, -0.5}, {0.0, 0.0}, {}}, {.time = 4.0});
  CHECK(std::abs(thrown.action - 4.0 / 3.0) < 1e-14);
  // Out of a domain without walls on that side nothing comes back.
  const auto away = fly_arc<2>(domain, {}, {0, {3.0, 0.0}, {1.0, 0.0}, {}}, {.time = 1.0});
  CHECK(away.status == Status::infeasible_start);
}
