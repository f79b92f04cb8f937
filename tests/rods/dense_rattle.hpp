// SPDX-License-Identifier: BSD-3-Clause
// RATTLE for rods as the textbook has it, with dense matrices and pivoting, by one process, over any real
// type; derivatives by hand. What the distributed solvers have to agree with.
#pragma once

#include <Eigen/Dense>

#include "mpi_test.hpp"
#include "rods/rattle.hpp"

namespace cotangent::test {

template <int D, class Real>
struct DenseRattle {
  using Dynamic = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
  using Column = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  const rods::RodSystem<D>& system;
  Column q, v, inverse_mass, force;
  /// Accelerations by pairs; none where it is empty.
  std::function<Column(const Column& x)> pairs;

  explicit DenseRattle(const rods::RodSystem<D>& rods) : system(rods) {
    const Eigen::Index n = D * static_cast<Eigen::Index>(rods.mass.size());
    q = v = inverse_mass = force = Column::Zero(n);
    for (std::size_t i = 0; i < rods.mass.size(); ++i) {
      for (int d = 0; d < D; ++d) {
        const auto at = static_cast<Eigen::Index>(D * i + d);
        q[at] = rods.position[i][d];
        v[at] = rods.velocity[i][d];
        inverse_mass[at] = Real(1) / Real(rods.mass[i]);
        force[at] = rods.mass[i] == rods::fixed ? 0 : rods.gravity[d];  // an acceleration
      }
    }
  }

  static std::array<double, D> point(const Column& x, std::int64_t i) {
    std::array<double, D> result;
    for (int d = 0; d < D; ++d) result[d] = static_cast<double>(x[D * i + d]);
    return result;
  }
  Column g(const Column& x) const {
    Column result(static_cast<Eigen::Index>(system.rods.size()));
    for (Eigen::Index k = 0; k < result.size(); ++k) {
      const auto& rod = system.rods[static_cast<std::size_t>(k)];
      if (rod.holds()) {
        result[k] = system.surface->level(point(x, rod.first)).value;
        continue;
      }
      result[k] = (x.segment(D * rod.first, D) - x.segment(D * rod.second, D)).squaredNorm() -
                  Real(rod.length) * Real(rod.length);
    }
    return result;
  }
  Dynamic G(const Column& x) const {
    Dynamic result = Dynamic::Zero(static_cast<Eigen::Index>(system.rods.size()), x.size());
    for (Eigen::Index k = 0; k < result.rows(); ++k) {
      const auto& rod = system.rods[static_cast<std::size_t>(k)];
      if (rod.holds()) {
        const auto slope = system.surface->level(point(x, rod.first)).gradient;
        for (int d = 0; d < D; ++d) result(k, D * rod.first + d) = slope[d];
        continue;
      }
      const Column r = x.segment(D * rod.first, D) - x.segment(D * rod.second, D);
      result.block(k, D * rod.first, 1, D) = 2 * r.transpose();
      result.block(k, D * rod.second, 1, D) = -2 * r.transpose();
    }
    return result;
  }

  void make_tangent() {
    const Dynamic now = G(q);
    const Dynamic matrix = now * inverse_mass.asDiagonal() * now.transpose();
    const Column rate = now * v;
    v -= inverse_mass.asDiagonal() * (now.transpose() * matrix.fullPivLu().solve(rate)).eval();
  }
  /// G(q) M^-1 G(q)^T lambda = -(v.Hv + G f), H that of |r|^2.
  Column multipliers() const {
    const Dynamic now = G(q);
    Column right = now * force;
    for (Eigen::Index k = 0; k < right.size(); ++k) {
      const auto& rod = system.rods[static_cast<std::size_t>(k)];
      if (rod.holds()) {
        right[k] += system.surface->curvature(point(q, rod.first), point(v, rod.first));
        continue;
      }
      right[k] += 2 * (v.segment(D * rod.first, D) - v.segment(D * rod.second, D)).squaredNorm();
    }
    const Dynamic matrix = now * inverse_mass.asDiagonal() * now.transpose();
    return -matrix.fullPivLu().solve(right);
  }
  /// Moves `from` by multipliers along M^-1 G_old^T until g = 0; returns what moved.
  Column constrained(const Column& from, const Dynamic& old) const {
    Column lambda = Column::Zero(old.rows()), moved = Column::Zero(from.size());
    for (int i = 0; i < 12; ++i) {
      const Dynamic matrix = G(from + moved) * inverse_mass.asDiagonal() * old.transpose();
      lambda -= matrix.fullPivLu().solve(g(from + moved));
      moved = inverse_mass.asDiagonal() * (old.transpose() * lambda);
    }
    return moved;
  }
  void advance(Real h) {
    const auto acceleration = [&] { return pairs ? Column(force + pairs(q)) : force; };
    const Column before = acceleration(), from = q + h * (v + h / 2 * before);
    const Column moved = constrained(from, G(q));
    q = from + moved;
    v += h / 2 * (before + acceleration()) + moved / h;
    make_tangent();
  }
  /// The control: explicit Euler, projected onto both constraints after the step.
  void advance_by_euler(Real h) {
    const Column from = q + h * v;
    v += h * force;
    q = from + constrained(from, G(q));
    make_tangent();
  }
  Real energy() const {
    Real sum = 0;
    for (Eigen::Index i = 0; i < q.size(); ++i) {
      if (inverse_mass[i] > 0) sum += (v[i] * v[i] / 2 - force[i] * q[i]) / inverse_mass[i];
    }
    return sum;
  }
};

/// The state of all points on every rank: positions, then velocities, coordinate by coordinate.
template <int D>
std::vector<double> state(const rods::RodRattle<D>& rattle, std::size_t points) {
  std::vector<double> all(2 * D * points, 0.0);
  const auto& block = rattle.block();
  for (int i = 0; i < block.point_count(); ++i) {
    if (!block.owns_point(i)) continue;
    const auto from = static_cast<std::size_t>(i), to = static_cast<std::size_t>(block.point(i)) * D;
    for (int d = 0; d < D; ++d) {
      all[to + d] = block.position[d][from];
      all[D * points + to + d] = block.velocity[d][from];
    }
  }
  return parallel::sum(all);
}

/// The largest difference between this and the dense state.
template <int D, class Real>
double difference(const std::vector<double>& state, const DenseRattle<D, Real>& dense) {
  double worst = 0;
  const auto n = static_cast<std::size_t>(dense.q.size());
  for (std::size_t i = 0; i < n; ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(state[i] - dense.q[static_cast<Eigen::Index>(i)])));
    worst =
        std::max(worst, std::abs(static_cast<double>(state[n + i] - dense.v[static_cast<Eigen::Index>(i)])));
  }
  return worst;
}

/// A chain whose masses vary by this factor, bent irregularly, its points in motion; its end hung up too
/// where wanted.
template <int D>
rods::RodSystem<D> uneven_chain(int rods, double ratio, bool closed, bool both_ends) {
  auto chain = rods::rod_chain<D>(rods, 1.0, 1.0, 1.0, 0.7, closed);
  for (std::size_t i = 1; i < chain.mass.size(); ++i) {
    const double wave = std::sin(2.3 * static_cast<double>(i));
    chain.mass[i] = std::pow(ratio, 0.5 * wave);
    if (!closed) chain.position[i][0] += 0.3 * wave;
    if (!closed && D == 3) chain.position[i][1] += 0.2 * std::cos(1.7 * static_cast<double>(i));
    for (int d = 0; d < D; ++d) chain.velocity[i][d] = 0.3 * std::cos(static_cast<double>(i * (d + 1)));
  }
  if (both_ends) {
    chain.mass.back() = rods::fixed;
    chain.velocity.back() = {};
  }
  for (auto& rod : chain.rods) {
    double sum = 0;
    for (int d = 0; d < D; ++d) {
      const double r = chain.position[static_cast<std::size_t>(rod.first)][d] -
                       chain.position[static_cast<std::size_t>(rod.second)][d];
      sum += r * r;
    }
    rod.length = std::sqrt(sum);
  }
  return chain;
}

/// An ellipsoid with half axes 2, 1.5 and 1, its derivatives by hand.
inline rods::HoldingSurface<3> ellipsoid() {
  static constexpr std::array<double, 3> inverse{0.25, 1 / 2.25, 1.0};
  return {[](const std::array<double, 3>& q) {
            rods::HoldingSurface<3>::Level level{-1.0, {}};
            for (int d = 0; d < 3; ++d) {
              level.value += inverse[d] * q[d] * q[d];
              level.gradient[d] = 2 * inverse[d] * q[d];
            }
            return level;
          },
          [](const std::array<double, 3>&, const std::array<double, 3>& v) {
            double sum = 0;
            for (int d = 0; d < 3; ++d) sum += 2 * inverse[d] * v[d] * v[d];
            return sum;
          }};
}

/// A chain on it, in motion, with a rod from its middle to a nail above.
inline rods::RodSystem<3> held_chain(int rods) {
  auto chain = rods::rod_chain<3>(rods, 0.3, 1.0, 1.0, 0.0, false);
  chain.mass[0] = 1.0;
  for (std::size_t i = 0; i < chain.mass.size(); ++i) {
    const auto x = static_cast<double>(i);
    chain.mass[i] = 1.0 + 0.5 * std::sin(2.3 * x);
    chain.velocity[i] = {0.3 * std::cos(x), 0.4 * std::sin(2 * x), 0.2};
  }
  rods::lay_along(chain, ellipsoid(), {2.0, 0.0, 0.0}, {0.0, 1.0, 0.7});
  const std::array<double, 3> nail{0.5, 0.4, 3.0};
  double sum = 0;
  for (int d = 0; d < 3; ++d) sum += std::pow(chain.position[4][d] - nail[d], 2);
  chain.rods.push_back({4, std::ssize(chain.position), std::sqrt(sum)});
  chain.position.push_back(nail);
  chain.velocity.push_back({});
  chain.mass.push_back(rods::fixed);
  chain.hold_on(ellipsoid());
  return chain;
}

/// A net of width x width knots in space, hung up at two corners: no chain at all.
inline rods::RodSystem<3> net(int width) {
  rods::RodSystem<3> net;
  net.gravity = {0, 0, -1};
  for (int i = 0; i < width; ++i) {
    for (int j = 0; j < width; ++j) {
      net.position.push_back({1.0 * i, 1.0 * j, 0.1 * i * i - 0.15 * i * j});
      net.velocity.push_back({0, 0, 0});
      net.mass.push_back(i == 0 && (j == 0 || j + 1 == width) ? rods::fixed : 1.0 + 0.1 * j);
    }
  }
  const auto join = [&](std::int64_t a, std::int64_t b) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      const double r =
          net.position[static_cast<std::size_t>(a)][d] - net.position[static_cast<std::size_t>(b)][d];
      sum += r * r;
    }
    net.rods.push_back({a, b, std::sqrt(sum)});
  };
  for (int i = 0; i < width; ++i) {
    for (int j = 0; j < width; ++j) {
      if (i + 1 < width) join(i * width + j, (i + 1) * width + j);
      if (j + 1 < width && i > 0) join(i * width + j, i * width + j + 1);
    }
  }
  return net;
}

}  // namespace cotangent::test
