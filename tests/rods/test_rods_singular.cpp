// SPDX-License-Identifier: BSD-3-Clause
// Near singular postures: multipliers against quadruple precision, in both formulations; the normal equations
// alone, solved once in double precision, are the control.
#include "dense_rattle.hpp"
#include "la/petsc.hpp"

using namespace cotangent;
using namespace cotangent::particles;
using namespace cotangent::rods;

namespace {

__extension__ typedef __float128 Quad;

/// The matrix G M^-1 G^T and the right-hand side of the multipliers, over a real type.
template <class Real>
struct System {
  std::size_t n;
  std::vector<Real> matrix, right;

  System(const RodSystem<2>& rods, const std::vector<double>& state)
      : n(rods.rods.size()), matrix(n * n, Real(0)), right(n) {
    const std::size_t velocities = 2 * rods.mass.size();
    const auto apart = [&](const auto& rod, std::size_t from, std::size_t d) {
      return Real(state[from + 2 * static_cast<std::size_t>(rod.first) + d]) -
             Real(state[from + 2 * static_cast<std::size_t>(rod.second) + d]);
    };
    const auto moves = [&](std::int64_t i) { return rods.mass[static_cast<std::size_t>(i)] != fixed; };
    for (std::size_t k = 0; k < n; ++k) {
      const auto& rod = rods.rods[k];
      for (std::size_t j = 0; j < n; ++j) {
        const auto& other = rods.rods[j];
        Real weight = 0;
        for (const auto& [a, s] : {std::pair(rod.first, 1), {rod.second, -1}}) {
          for (const auto& [b, t] : {std::pair(other.first, 1), {other.second, -1}}) {
            if (a == b && moves(a)) weight += Real(s * t) / Real(rods.mass[static_cast<std::size_t>(a)]);
          }
        }
        for (std::size_t d = 0; d < 2; ++d)
          matrix[k * n + j] += weight * 4 * apart(rod, 0, d) * apart(other, 0, d);
      }
      for (std::size_t d = 0; d < 2; ++d) {
        const Real w = apart(rod, velocities, d);
        right[k] -= 2 * w * w +
                    2 * apart(rod, 0, d) * Real(rods.gravity[d]) * Real(moves(rod.first) - moves(rod.second));
      }
    }
  }

  /// By elimination; the matrix is positive.
  std::vector<double> solved() && {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = k + 1; i < n; ++i) {
        const Real factor = matrix[i * n + k] / matrix[k * n + k];
        for (std::size_t j = k; j < n; ++j) matrix[i * n + j] -= factor * matrix[k * n + j];
        right[i] -= factor * right[k];
      }
    }
    std::vector<double> x(n);
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) right[i] -= matrix[i * n + j] * right[j];
      right[i] /= matrix[i * n + i];
      x[i] = static_cast<double>(right[i]);
    }
    return x;
  }
};

/// Largest difference over the largest value.
double error(const std::vector<double>& x, const std::vector<double>& exact) {
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    apart = std::max(apart, std::abs(x[i] - exact[i]));
    largest = std::max(largest, std::abs(exact[i]));
  }
  return apart / largest;
}

RodSystem<2> posture(bool folded) {
  constexpr int n = 20;
  RodSystem<2> chain = rod_chain<2>(n, 1.0, 1.0, 1.0, 0.0, false);
  for (int i = 0; i <= n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const bool end = i == 0 || i == n;
    if (folded) {
      chain.position[at] = {(i % 2) * std::cos(1e-10 * i), -(i % 2) * std::sin(1e-10 * i)};
      if (i > 0) chain.mass[at] = std::pow(1e10, 0.5 * std::sin(2.3 * i));
    } else {
      chain.position[at] = {1.0 * i, end ? 0.0 : 1e-6 * (i % 2 ? -1.0 : -0.3) * std::sin(1.0 + i)};
    }
    if (i > 0 && (folded || !end)) chain.velocity[at] = {0.1 * std::cos(i), 0.1 * std::sin(3.0 * i)};
  }
  if (!folded) chain.mass[n] = fixed;
  for (auto& rod : chain.rods) {
    const auto &a = chain.position[static_cast<std::size_t>(rod.first)],
               &b = chain.position[static_cast<std::size_t>(rod.second)];
    rod.length = std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  return chain;
}

}  // namespace

TEST_CASE("both formulations stay accurate near singular postures") {
  const la::Petsc petsc;
  for (const bool folded : {true, false}) {
    const RodSystem<2> chain = posture(folded);
    for (const Formulation formulation : {Formulation::schur, Formulation::saddle_point}) {
      RodOptions options;
      options.step = 1e-6;
      options.formulation = formulation;
      options.project = true;
      RodRattle<2> rattle(chain, options);
      std::vector<double> multipliers(chain.rods.size(), 0.0);
      const auto own = rattle.multipliers();
      std::ranges::copy(own, multipliers.begin() + rattle.block().first_rod());
      multipliers = parallel::sum(multipliers);
      const auto state = test::state(rattle, chain.mass.size());
      const auto exact = System<Quad>(chain, state).solved(), plain = System<double>(chain, state).solved();
      bool fine = true;
      for (int k = 0; k < 50; ++k) fine = rattle.advance() == Status::pending && fine;
      INFO((folded ? "folded" : "stretched")
           << ", " << (formulation == Formulation::schur ? "schur" : "saddle point") << ": "
           << error(multipliers, exact) << ", normal equations alone " << error(plain, exact)
           << ", tangent to " << rattle.velocity_error());
      CHECK_ALL(error(multipliers, exact) < (folded ? 1e-11 : 1e-7));  // measured: 5e-13, 1e-15; 2e-9
      CHECK_ALL(error(plain, exact) > (folded ? 1e-10 : 1e-6));        // measured: 5e-7; 4e-5
      CHECK_ALL(fine);
      CHECK_ALL(rattle.velocity_error() < 1e-14);
    }
  }
}
