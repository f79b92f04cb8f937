// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a flight through its bounces: symplectic, and what neighbours differ by, with the order
// of convergence of central differences; by curved walls, at rest or moving, in space, under gravity, in
// fields.
#include <Eigen/Dense>
#include <cmath>

#include "billiards/arc.hpp"
#include "billiards/fields/harmonic.hpp"
#include "billiards/fields/henon_heiles.hpp"
#include "billiards/fields/kepler.hpp"
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

/// What moves between which walls.
template <int D>
struct Motion {
  const Domain<D>& domain;
  Vector<D> gravity{};
  const Field<D>* field = nullptr;

  sections::Arc fly(const sections::Start& start, const ArcEnd& end) const {
    return fly_arc<D>(domain, gravity, field, start, end);
  }
};

/// The largest difference between the derivative and central differences of neighbours, this far apart.
template <int D>
double off_differences(const Motion<D>& motion, const sections::Start& start, double time, double apart) {
  const auto exact = derivative_of<D>(motion.fly(start, {.time = time}));
  double largest = 0;
  for (std::size_t j = 0; j < 2 * D; ++j) {
    const auto moved = [&](double by) {
      sections::Start other = start;
      (j < D ? other.q[j] : other.v[j - D]) += by;
      return motion.fly(other, {.time = time});
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
double off_symplectic(const Square<D>& m) {
  const auto unit = symplectic_unit<D>();
  return (m.transpose() * unit * m - unit).norm() / m.squaredNorm();
}

/// Neighbours differ by the derivative, to the second order of how far apart they are.
template <int D>
void check_neighbours(const Motion<D>& motion, const sections::Start& start, double time) {
  const double far = off_differences<D>(motion, start, time, 1e-4),
               near = off_differences<D>(motion, start, time, 5e-5);
  INFO("off differences " << far << ", " << near);
  CHECK(far > 0);
  CHECK(far < 1);
  CHECK(std::abs(far / near - 4) < 0.1);
}

template <int D>
void check(const Motion<D>& motion, const sections::Start& start, double time, double round_off = 1e-13) {
  const auto arc = motion.fly(start, {.time = time});
  REQUIRE(arc.status == Status::finished);
  const auto m = derivative_of<D>(arc);
  CHECK(off_symplectic<D>(m) < round_off);
  auto wrong = m;  // a control
  wrong.col(0) *= 1 + 1e-9;
  CHECK(off_symplectic<D>(wrong) * m.squaredNorm() > 1e-10);
  check_neighbours<D>(motion, start, time);

  // D f = f' and g' D = g, f the flow and g the energy's slope.
  const Eigen::Map<const Eigen::Matrix<double, 2 * D, 1>> flow(arc.flow.data()), end(arc.end_flow.data()),
      slope(arc.energy_slope.data());
  CHECK((m * flow - end).norm() < 10 * round_off * m.norm());
  for (std::size_t j = 0; j < 2 * D; ++j) {
    const auto energy = [&](double by) {
      sections::Start other = start;
      (j < D ? other.q[j] : other.v[j - D]) += by;
      return motion.fly(other, {.time = 0.01}).energy;
    };
    CHECK(std::abs((energy(1e-4) - energy(-1e-4)) / 2e-4 - arc.energy_slope[j]) < 1e-6);
  }
  const auto onward = motion.fly({0, arc.q, arc.v, {}}, {.time = 1e-3});
  const Eigen::Map<const Eigen::Matrix<double, 2 * D, 1>> slope_there(onward.energy_slope.data());
  CHECK((m.transpose() * slope_there - slope).norm() < 10 * round_off * m.norm());
}

}  // namespace

TEST_CASE("the derivative over bounces off an ellipse, under gravity or without") {
  Domain<2> domain;
  domain.add<Ellipse>("ellipse", {1.5, 1.0});
  domain.enclose_all();
  check<2>({domain}, {0, {0.1, 0.2}, {0.8, 0.7}, {}}, 7.0);
  check<2>({domain, {0.1, -1.0}}, {0, {0.1, 0.2}, {0.8, 0.7}, {}}, 5.0);
}

TEST_CASE("the derivative over bounces in space") {
  Domain<3> domain;
  domain.add<Ellipsoid>("ellipsoid", {1.5, 1.0, 0.8});
  domain.enclose_all();
  check<3>({domain, {0.0, 0.0, -0.5}}, {0, {0.1, 0.2, 0.0}, {0.8, 0.7, 0.3}, {}}, 4.0);
}

TEST_CASE("the derivative over bounces and arcs in a field", "[long]") {
  Domain<2> ellipse;
  ellipse.add<Ellipse>("ellipse", {1.5, 1.0});
  ellipse.enclose_all();
  const FieldOf<HenonHeilesField> hill({1.0});
  check<2>({ellipse, {}, &hill}, {0, {0.1, 0.2}, {1.0, 0.9}, {}}, 5.0, 1e-11);
  check<2>({ellipse, {0.3, -1.0}, &hill}, {0, {0.1, 0.2}, {1.0, 0.9}, {}}, 4.0, 1e-11);
  Domain<3> ellipsoid;
  ellipsoid.add<Ellipsoid>("ellipsoid", {1.5, 1.0, 0.8});
  ellipsoid.enclose_all();
  const FieldOf<KeplerInSpace> centre({1.0});
  check<3>({ellipsoid, {0.0, 0.0, -0.5}, &centre}, {0, {0.5, 0.2, 0.1}, {0.3, 1.4, 0.9}, {}}, 3.0, 1e-11);
}

TEST_CASE("the derivative over hits of walls that swing and take energy") {
  const auto swinging = [](double restitution, const Vector<2>& velocity) {
    Domain<2> domain;
    Place<2> place;
    place.amplitude = {0.2, 0.1};
    place.velocity = velocity;
    place.frequency = 2.5;
    place.phase = 0.4;
    domain.add<Ellipse>("ellipse", {1.5, 1.0}, place, Law{.restitution = restitution});
    domain.enclose_all();
    return domain;
  };
  const sections::Start start{0, {0.1, 0.2}, {1.0, 0.9}, {}};
  const Vector<2> gravity{0.1, -0.5};
  const auto elastic = swinging(1.0, {0.0, 0.0}), inelastic = swinging(0.9, {0.05, 0.0});
  const Motion<2> kept{elastic, gravity}, lost{inelastic, gravity};
  check_neighbours<2>(kept, start, 5.0);
  check_neighbours<2>(lost, start, 5.0);
  // Motion between elastic walls is Hamiltonian, however they move; each hit of others takes its share of
  // phase volume, once along the way and once of the velocity.
  CHECK(off_symplectic<2>(derivative_of<2>(kept.fly(start, {.time = 5.0}))) < 1e-13);
  const auto hits = lost.fly(start, {.bounces = 5});
  const auto m = derivative_of<2>(hits);
  CHECK(std::abs(m.determinant() / std::pow(0.9, 10) - 1) < 1e-10);
  CHECK(off_symplectic<2>(m) > 1e-4);  // the control
  // And in a field.
  const FieldOf<HenonHeilesField> hill({1.0});
  check_neighbours<2>({inelastic, gravity, &hill}, start, 4.0);
}

TEST_CASE("an arc's action and its end are those of the flight") {
  Domain<2> domain;
  domain.add<Circle>("circle", {1.0});
  domain.enclose_all();
  const auto free = fly_arc<2>(domain, {}, nullptr, {0, {0.0, 0.0}, {2.0, 0.0}, {}}, {.time = 1.25});
  CHECK(std::abs(free.action - 5) < 1e-14);
  CHECK(std::abs(free.q[0] + 0.5) < 1e-14);
  CHECK(free.v[0] == -2);
  // Thrown up from the bottom: v = sqrt(2 h), the integral of v^2 over a flight (2 h)^(3/2) 2/3.
  const auto thrown =
      fly_arc<2>(domain, {0.0, -1.0}, nullptr, {0, {0.0, -0.5}, {0.0, 0.0}, {}}, {.time = 4.0});
  CHECK(std::abs(thrown.action - 4.0 / 3.0) < 1e-14);
  // In a harmonic trap along x from the middle: v = 2 cos t up to the wall at t = pi / 6, and mirrored.
  const FieldOf<Harmonic> trap({1.0, 1.0});
  const auto held = fly_arc<2>(domain, {}, &trap, {0, {0.0, 0.0}, {2.0, 0.0}, {}}, {.time = M_PI / 3});
  CHECK(std::abs(held.action - (2 * M_PI / 3 + std::sqrt(3.0))) < 1e-13);
  CHECK(std::abs(held.q[0]) < 1e-13);
  // Held by the trap alone it meets no wall.
  const auto inside = fly_arc<2>(domain, {}, &trap, {0, {0.0, 0.0}, {0.5, 0.0}, {}}, {.bounces = 1});
  CHECK(inside.status == Status::left_domain);
  // Out of a domain without walls on that side nothing comes back.
  const auto away = fly_arc<2>(domain, {}, nullptr, {0, {3.0, 0.0}, {1.0, 0.0}, {}}, {.time = 1.0});
  CHECK(away.status == Status::infeasible_start);
}
