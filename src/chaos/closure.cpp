// SPDX-License-Identifier: BSD-3-Clause
#include "chaos/closure.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "numerics/decompositions.hpp"
#include "sections/lone_flight.hpp"

namespace cotangent::chaos {

namespace {

using Eigen::Index;

double strobe_period(const Closure& closure, const std::vector<double>& parameters) {
  return closure.returns * closure.section.strobe->every.evaluate(parameters);
}

struct Parts {
  std::vector<double> q, v, parameters;
  double period, energy;
};
Parts parts(const Closure& closure, const Unknowns& z) {
  const int n = closure.problem->dim();
  Parts p{{z.data(), z.data() + n}, {z.data() + n, z.data() + 2 * n}, closure.parameters, 0, closure.energy};
  if (closure.continued) {
    const double value = z[z.size() - 1];
    if (*closure.continued < 0) {
      p.energy = value;
    } else {
      p.parameters[static_cast<std::size_t>(*closure.continued)] = value;
    }
  }
  p.period = closure.strobed() ? strobe_period(closure, p.parameters) : z[2 * n];
  return p;
}

/// The power of 64 next to a size; of nothing, 1.
double order(double size) {
  return size > 0 && std::isfinite(size) ? std::exp2(6 * std::round(std::log2(size) / 6)) : 1;
}

/// On which an orbit that has no strobe begins.
Plane plane_of(const Closure& closure) {
  if (closure.plane) return *closure.plane;
  Plane plane{std::vector<double>(static_cast<std::size_t>(closure.problem->dim())), closure.section.value};
  plane.normal[static_cast<std::size_t>(closure.section.coordinate)] = 1;
  return plane;
}

/// The derivative on what is left of all deviations without the flow f, the energy's slope g and the normals
/// of the manifold; where a strobe gives the period, without the normals alone.
Eigen::MatrixXd transverse(const Closure& closure, const sections::Arc& arc,
                           const Eigen::MatrixXd& derivative) {
  const int size = closure.states();
  const Eigen::VectorXd unit = closure.units.of_state(*closure.problem);
  std::vector<Eigen::VectorXd> without;
  for (const auto& normal : vectors_of(arc.normals, size)) without.emplace_back(normal.cwiseProduct(unit));
  if (!closure.strobed()) {
    without.emplace_back(vectors_of(arc.flow, size).front().cwiseQuotient(unit));
    without.emplace_back(vectors_of(arc.energy_slope, size).front().cwiseProduct(unit));
  }
  const Eigen::MatrixXd across = orthogonal_complement(without, size);
  return across.transpose() * (unit.cwiseInverse().asDiagonal() * derivative * unit.asDiagonal()) * across;
}

/// The orbit's flight, begun on the manifold that the parameters make; none where it doesn't end.
struct OrbitArc {
  sections::Start start;
  sections::Arc arc;
};
std::optional<OrbitArc> fly(const Closure& closure, const Parts& at, const std::vector<double>& parameters) {
  const auto& problem = *closure.problem;
  sections::Start start{0, at.q, at.v, parameters};
  if (problem.constraints() > 0 && !problem.project(start.q, start.v, parameters, -1)) return std::nullopt;
  const double period = closure.strobed() ? strobe_period(closure, parameters) : at.period;
  sections::Arc arc = problem.arc(closure.method, start, period);
  if (arc.status != Status::finished) return std::nullopt;
  return OrbitArc{std::move(start), std::move(arc)};
}

/// How far the end is from the beginning, angles by whole turns, and the derivatives of that.
bool close_state(const Closure& closure, const Unknowns& z, const sections::Arc& arc,
                 const Eigen::MatrixXd& derivative, ClosedOrbit& orbit) {
  const int n = closure.problem->dim(), m = 2 * n;
  const auto coordinates = closure.problem->coordinates();
  for (int i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double off = (i < n ? arc.q[k] : arc.v[k - static_cast<std::size_t>(n)]) - z[i];
    if (i < n) {
      constexpr double turn = 2 * std::numbers::pi;
      const double turns = coordinates[k].angle ? std::round(off / turn) : 0;
      orbit.winding.push_back(static_cast<std::int64_t>(turns));
      off = std::fma(-turn, turns, off);
    }
    orbit.residual[i] = off;
    if (!closure.strobed()) orbit.jacobian(i, m) = arc.end_flow[k];
  }
  if (!derivative.allFinite() || !orbit.residual.allFinite()) return false;
  orbit.error = orbit.residual.head(m).norm();
  orbit.jacobian.topLeftCorner(m, m) = derivative - Eigen::MatrixXd::Identity(m, m);
  return true;
}

/// Without a strobe the orbit begins on a plane, with a given energy.
void meet_conditions(const Closure& closure, const OrbitArc& flown, double energy, ClosedOrbit& orbit) {
  const int n = closure.problem->dim(), m = 2 * n;
  const Plane plane = plane_of(closure);
  orbit.residual[m] = -plane.value;
  for (int j = 0; j < n; ++j) {
    const auto k = static_cast<std::size_t>(j);
    orbit.residual[m] += plane.normal[k] * flown.start.q[k];
    orbit.jacobian(m, j) = plane.normal[k];
  }
  orbit.residual[m + 1] = flown.arc.energy - energy;
  for (int j = 0; j < m; ++j) orbit.jacobian(m + 1, j) = flown.arc.energy_slope[static_cast<std::size_t>(j)];
}

/// By how much a parameter is moved for differences: in its own units. What passes 0 has those of its way.
double difference(const Closure& closure, double value) {
  return 1e-5 * std::max(std::abs(value), 1e-5 * closure.way);
}

/// The last column: how all that moves with what is continued. With a parameter the ends move as no tangent
/// map tells; by differences it steers the iteration alone.
bool follow(const Closure& closure, const Parts& at, double value, ClosedOrbit& orbit) {
  const int n = closure.problem->dim(), m = 2 * n;
  auto column = orbit.jacobian.col(orbit.jacobian.cols() - 1);
  if (*closure.continued < 0) {
    column[m + 1] = -1;
    return true;
  }
  const auto index = static_cast<std::size_t>(*closure.continued);
  const double step = difference(closure, value);
  auto less = at.parameters, more = at.parameters;
  less[index] -= step;
  more[index] += step;
  const auto before = fly(closure, at, less), after = fly(closure, at, more);
  if (!before || !after) return false;
  const sections::Arc &a = before->arc, &b = after->arc;
  for (int i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i < n ? i : i - n);
    column[i] = (i < n ? b.q[k] - a.q[k] : b.v[k] - a.v[k]) / (2 * step);
  }
  if (!closure.strobed()) column[m + 1] = (b.energy - a.energy) / (2 * step);
  return true;
}

}  // namespace

std::vector<Eigen::VectorXd> vectors_of(const std::vector<double>& numbers, int size) {
  std::vector<Eigen::VectorXd> result;
  for (Index k = 0; k < std::ssize(numbers); k += size)
    result.emplace_back(Eigen::Map<const Eigen::VectorXd>(numbers.data() + k, size));
  return result;
}

Eigen::MatrixXd orthogonal_complement(const std::vector<Eigen::VectorXd>& vectors, int size) {
  if (vectors.empty()) return Eigen::MatrixXd::Identity(size, size);
  Eigen::MatrixXd all(size, std::ssize(vectors));
  for (Index k = 0; k < all.cols(); ++k) all.col(k) = vectors[static_cast<std::size_t>(k)];
  return numerics::orthonormal_basis(all).rightCols(size - all.cols());
}

Units Units::of(const sections::Problem& problem, const std::vector<double>& q, const std::vector<double>& v,
                double quarter) {
  const auto coordinates = problem.coordinates();
  double length = 0;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!coordinates[i].angle) length = std::max({length, std::abs(q[i]), std::abs(v[i]) * quarter});
  }
  return {order(length), order(quarter)};
}

Eigen::VectorXd Units::of_state(const sections::Problem& problem) const {
  const Index n = problem.dim();
  Eigen::VectorXd unit(2 * n);
  for (Index i = 0; i < n; ++i) {
    unit[i] = problem.coordinates()[static_cast<std::size_t>(i)].angle ? 1 : length;
    unit[n + i] = unit[i] / time;
  }
  return unit;
}

Eigen::VectorXd Closure::difference(const double* a, const double* b) const {
  const auto coordinates = problem->coordinates();
  Eigen::VectorXd off =
      Eigen::Map<const Eigen::VectorXd>(a, states()) - Eigen::Map<const Eigen::VectorXd>(b, states());
  for (Index i = 0; i < problem->dim(); ++i) {
    if (coordinates[static_cast<std::size_t>(i)].angle) off[i] = std::remainder(off[i], 2 * std::numbers::pi);
  }
  return off.cwiseQuotient(units.of_state(*problem));
}

void Closure::continue_to(int number, double to) {
  continued = number;
  const double from = number < 0 ? energy : parameters[static_cast<std::size_t>(number)];
  way = from == to ? 1 : std::abs(to - from);
}

Plane Plane::across(const std::vector<double>& q, const std::vector<double>& v) {
  const double speed = std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
  Plane plane{v, 0};
  for (double& component : plane.normal) component /= speed;
  plane.value = std::inner_product(q.begin(), q.end(), plane.normal.begin(), 0.0);
  return plane;
}

std::optional<ClosedOrbit> evaluate(const Closure& closure, const Unknowns& z) {
  const Index m = 2 * closure.problem->dim(), rows = m + (closure.strobed() ? 0 : 2);
  const Parts at = parts(closure, z);
  if (!z.allFinite() || !(at.period > 0) || closure.problem->objection(at.parameters)) return std::nullopt;
  const auto flown = fly(closure, at, at.parameters);
  if (!flown) return std::nullopt;
  const auto& [start, arc] = *flown;
  ClosedOrbit orbit{z,  start.q, start.v, at.parameters, {}, at.period, arc.energy, arc.action, 0, {},
                    {}, {},      {}};
  orbit.residual = Eigen::VectorXd::Zero(rows);
  orbit.jacobian = Eigen::MatrixXd::Zero(rows, z.size());
  using ByRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd derivative = Eigen::Map<const ByRows>(arc.derivative.data(), m, m);
  if (!close_state(closure, z, arc, derivative, orbit)) return std::nullopt;
  if (!closure.strobed()) meet_conditions(closure, *flown, at.energy, orbit);
  orbit.transverse = transverse(closure, arc, derivative);
  if (closure.continued && !follow(closure, at, z[z.size() - 1], orbit)) return std::nullopt;
  const Eigen::VectorXcd eigenvalues = numerics::eigenvalues(orbit.transverse);
  orbit.multiplier.assign(eigenvalues.data(), eigenvalues.data() + eigenvalues.size());
  std::ranges::sort(orbit.multiplier, [](const auto& a, const auto& b) {
    return std::abs(a) != std::abs(b) ? std::abs(a) > std::abs(b) : a.imag() > b.imag();
  });
  return orbit;
}

double ClosedOrbit::contraction() const {
  // Of two rows by the determinant's own terms, whose sizes don't hang on units of length and time.
  const auto& m = transverse;
  const double determinant = numerics::determinant(m),
               terms = m.rows() == 2 ? std::abs(m(0, 0) * m(1, 1)) + std::abs(m(0, 1) * m(1, 0))
                                     : m.squaredNorm();
  return std::abs(determinant - 1) <= 1e-8 * (1 + terms) ? 1 : determinant;
}

Stability stability(const ClosedOrbit& orbit) {
  if (orbit.transverse.rows() == 2 && orbit.contraction() == 1) {
    constexpr double most = 2 + 1e-9;  // what is marginal shall not hang on round-off
    if (orbit.trace() > most) return Stability::unstable;
    return orbit.trace() < -most ? Stability::inverse : Stability::stable;
  }
  const auto& largest = orbit.multiplier.front();
  if (std::abs(largest) <= 1 + 1e-6) return Stability::stable;
  return largest.real() < 0 && std::abs(largest.imag()) < 1e-9 ? Stability::inverse : Stability::unstable;
}

Scales::Scales(const Closure& closure, const ClosedOrbit& orbit)
    : rows(orbit.jacobian.rows()), columns(orbit.jacobian.cols()) {
  const Index m = closure.states(), last = columns.size() - 1;
  rows.head(m) = columns.head(m) = closure.units.of_state(*closure.problem);
  if (!closure.strobed()) {
    columns[m] = closure.units.time;
    for (Index row = m; row < m + 2; ++row)
      rows[row] = order(orbit.jacobian.row(row).head(m).transpose().cwiseProduct(columns.head(m)).norm());
  }
  if (closure.continued) {
    const double norm = orbit.jacobian.col(last).cwiseQuotient(rows).norm();
    const bool round_off = *closure.continued >= 0 && norm * difference(closure, orbit.value()) < 1e-13;
    columns[last] = round_off ? 1 : 1 / order(norm);
  }
}

Eigen::MatrixXd Scales::apply(const Eigen::MatrixXd& jacobian) const {
  Eigen::MatrixXd a = jacobian * columns.asDiagonal();
  const Index known = rows.size();
  a.topRows(known).array().colwise() /= rows.array();
  for (Index row = known; row < a.rows(); ++row) a.row(row) /= order(a.row(row).norm());
  return a;
}

std::optional<ClosedOrbit> close(const Closure& closure, const Unknowns& guess,
                                 const std::optional<Condition>& condition, int iterations, int* taken) {
  auto orbit = evaluate(closure, guess);
  if (!orbit) return std::nullopt;
  const Scales scales(closure, *orbit);
  const Index m = closure.states();
  const double size = 1 + guess.head(m).cwiseQuotient(scales.columns.head(m)).norm();
  const double enough = 1e-9 * size;  // of closing, where round-off forbids more
  const double condition_size =
      condition ? order(condition->direction.cwiseProduct(scales.columns).norm()) : 1;
  const auto rest = [&](const ClosedOrbit& at) {
    double sum = at.residual.cwiseQuotient(scales.rows).squaredNorm();
    if (condition)
      sum += std::pow(condition->direction.dot(at.unknowns - condition->from) / condition_size, 2);
    return std::sqrt(sum);
  };
  for (int k = 0; orbit && k < iterations; ++k) {
    if (taken) *taken = k;
    const Index rows = orbit->residual.size(), extra = condition ? 1 : 0;
    Eigen::MatrixXd a(rows + extra, guess.size());
    Eigen::VectorXd b(rows + extra);
    a.topRows(rows) = orbit->jacobian;
    b.head(rows) = orbit->residual.cwiseQuotient(scales.rows);
    if (condition) {
      a.row(rows) = condition->direction.transpose();
      b[rows] = condition->direction.dot(orbit->unknowns - condition->from) / condition_size;
    }
    const Eigen::VectorXd scaled = -numerics::shortest_solution(scales.apply(a), b, 1e-11);
    if (!scaled.allFinite()) return std::nullopt;
    const Unknowns step = scaled.cwiseProduct(scales.columns);
    const double before = rest(*orbit);
    std::optional<ClosedOrbit> next;
    double part = 1;
    const double least = before <= enough ? 0.9 : 0.01;
    for (; part > least; part /= 2) {
      next = evaluate(closure, orbit->unknowns + part * step);
      if (next && rest(*next) < before) break;
    }
    if (part <= least) {
      return before <= enough ? orbit : std::nullopt;  // nothing is nearer
    }
    orbit = next;
    if (part == 1 && scaled.norm() <= 1e-15 * size) break;
  }
  if (!orbit || !(rest(*orbit) <= enough)) return std::nullopt;
  return orbit;
}

double passing_time(const Closure& closure, const std::vector<double>& velocity, const sections::Start& from,
                    double about, double most) {
  const Plane plane = plane_of(closure);
  const auto along = [&](const std::vector<double>& vector, double less = 0) {
    return std::inner_product(vector.begin(), vector.end(), plane.normal.begin(), -less);
  };
  const double sign = along(velocity) < 0 ? -1 : 1;
  for (int round = 0; round < 4; ++round) {
    const auto there = closure.problem->arc(closure.method, from, about);
    if (there.status != Status::finished) break;
    const double off = along(there.q, plane.value), speed = along(there.v);
    if (sign * speed > 0) about = std::clamp(about - off / speed, 0.0, most);
  }
  return about;
}

std::optional<Unknowns> first_return(const Closure& closure, const std::vector<double>& q,
                                     const std::vector<double>& v, std::int64_t patience) {
  std::vector<double> z(q);
  z.insert(z.end(), v.begin(), v.end());
  if (!closure.strobed()) {
    sections::Observation watch;
    watch.section = closure.section;
    watch.stop.crossings = closure.returns;
    watch.stop.patience = patience;
    const auto flown =
        sections::fly_alone(*closure.problem, closure.method, watch, {0, q, v, closure.parameters});
    if (flown.status != Status::finished || flown.crossings.time.empty()) return std::nullopt;
    z.push_back(flown.crossings.time.back());
  }
  return Eigen::Map<const Unknowns>(z.data(), std::ssize(z));
}

}  // namespace cotangent::chaos
