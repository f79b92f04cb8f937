// SPDX-License-Identifier: BSD-3-Clause
// The constrained Lobatto IIIA-IIIB pair with s stages: order 2 s - 2, symplectic and symmetric on the
// constraint manifold; s = 2 is RATTLE. A belongs to the nodes c of Lobatto (IIIA), B to its mate (IIIB);
// with F_j = M^-1 (f(Q_j) + G(Q_j)^T Lambda_j),
//   Q_i = q + h c_i v + h^2 sum_j (A B)_ij F_j,   g(Q_i) = 0,   i = 2 ... s,   q' = Q_s,
//   v' = v + h sum_j b_j F_j,   G(q') v' = 0.
// Lambda_s enters v' alone. All Lambda_j together by Newton's method with forces and gradients of the last
// iterate, whose error contracts by a factor of h^2.
// Reference: Jay, SIAM J. Numer. Anal. 33 (1996) 368; Hairer, Lubich, Wanner (2006), VII.1.5.
#pragma once

#include "integrators/manifold.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

/// Nodes, weights and the products A B of the pair with S stages, from Lagrange polynomials on the nodes.
template <int S>
struct LobattoPairTables {
  std::array<double, S> c, b;
  std::array<std::array<double, S>, S> ab;

  static const LobattoPairTables& get();
};

template <int S>
struct LobattoPairFormula {
  static_assert(S >= 2 && S <= 4);
  static constexpr std::string_view name = S == 2   ? "lobatto-pair-2"
                                           : S == 3 ? "lobatto-pair-4"
                                                    : "lobatto-pair-6";
  static constexpr std::string_view about =
      S == 2   ? "constrained Lobatto IIIA-IIIB pair with 2 stages, order 2: RATTLE, as a check"
      : S == 3 ? "constrained Lobatto IIIA-IIIB pair with 3 stages (Jay), order 4: symplectic and symmetric"
               : "constrained Lobatto IIIA-IIIB pair with 4 stages (Jay), order 6: symplectic and symmetric";
  static constexpr int order = 2 * S - 2;
  static constexpr bool adaptive = false;
  static constexpr std::array options{option::step, option::constraint_tolerance};
  template <class System>
  static constexpr bool momenta = false;
  template <class System>
  using Dense = CubicHermite<System>;

  template <class System>
  struct StageCache {
    typename System::Multipliers lambda;
  };

  template <class System, class R, int N>
  static StageCache<System> begin(const System& system, const Motion<System>&, const State<R, N>& x) {
    return {system.multiplier(x.q, x.v, x.t)};
  }

  template <class System, class R, int N, class Mask>
  [[gnu::noinline]] static Mask step(const System& system, const Motion<System>& motion, const R& h,
                                     const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                     Dense<System>&, const StageCache<System>& before,
                                     StageCache<System>& next, const MethodOptions&) {
    constexpr int C = System::constraints, unknowns = (S - 1) * C;
    using Vector = std::array<R, N>;
    const auto& table = LobattoPairTables<S>::get();
    struct Stage {
      Vector q, acceleration;  // free
      typename System::Constraint at;
      Directions<System> response;
      typename System::Multipliers lambda;
    };
    std::array<Stage, S> stage;
    const auto look = [&](Stage& s, double c) {
      s.acceleration = motion.free_acceleration(system, s.q, fma(R(c), h, x.t));
      s.at = system.constraint(s.q);
      for (int k = 0; k < C; ++k) s.response[k] = motion.over_mass(s.at.gradient[k]);
    };
    for (Stage& s : stage) {
      s.q = x.q;
      s.lambda = before.lambda;
    }
    look(stage[0], 0.0);
    for (int i = 1; i < S; ++i) {
      stage[i] = stage[0];
      for (int n = 0; n < N; ++n) {
        R a = stage[0].acceleration[n];
        for (int k = 0; k < C; ++k) a = fma(before.lambda[k], stage[0].response[k][n], a);
        const R away = R(table.c[i]) * h;
        stage[i].q[n] = fma(away, fma(R(0.5) * away, a, x.v[n]), x.q[n]);
      }
      look(stage[i], table.c[i]);
    }
    const auto position = [&](int i, int n) {
      R sum(0.0);
      for (int j = 0; j < S - 1; ++j) {
        R a = stage[j].acceleration[n];
        for (int k = 0; k < C; ++k) a = fma(stage[j].lambda[k], stage[j].response[k][n], a);
        sum = fma(R(table.ab[i][j]), a, sum);
      }
      return fma(h, fma(h, sum, R(table.c[i]) * x.v[n]), x.q[n]);
    };
    const auto correct = [&](Mask open) {
      std::array<std::array<R, unknowns>, unknowns> matrix;
      std::array<R, unknowns> shift;
      R size(0.0);
      std::array<Vector, S> q;
      for (int i = 1; i < S; ++i) {
        for (int n = 0; n < N; ++n) q[i][n] = position(i, n);
      }
      for (int i = 1; i < S; ++i) {
        for (int n = 0; n < N; ++n) {
          size += numerics::absolute(q[i][n] - stage[i].q[n]);
          stage[i].q[n] = select(open, q[i][n], stage[i].q[n]);
        }
        const Stage before = stage[i];
        look(stage[i], table.c[i]);
        if (!all(open)) {
          stage[i].acceleration = select_reals<R>(open, stage[i].acceleration, before.acceleration);
          stage[i].at = select_reals<R>(open, stage[i].at, before.at);
          stage[i].response = select_reals<R>(open, stage[i].response, before.response);
        }
      }
      for (int i = 1; i < S; ++i) {
        for (int j = 0; j < S - 1; ++j) {
          const auto block = products<System>(stage[i].at.gradient, stage[j].response);
          for (int k = 0; k < C; ++k) {
            for (int l = 0; l < C; ++l) {
              matrix[(i - 1) * C + k][j * C + l] = (h * h * R(table.ab[i][j])) * block[k][l];
            }
          }
        }
        for (int k = 0; k < C; ++k) shift[(i - 1) * C + k] = stage[i].at.value[k];
      }
      numerics::solve_in_place<R>(unknowns, matrix, shift);
      for (int j = 0; j < S - 1; ++j) {
        for (int k = 0; k < C; ++k) {
          stage[j].lambda[k] = select(open, stage[j].lambda[k] - shift[j * C + k], stage[j].lambda[k]);
        }
      }
      return size;
    };
    const Mask solved = fixed_point<R>(active, State<R, N>{x.t, x.q, x.q}, stage[S - 1].q, correct);

    Stage& last = stage[S - 1];
    Vector v = x.v;
    for (int n = 0; n < N; ++n) {
      last.q[n] = position(S - 1, n);
      change.q[n] = last.q[n] - x.q[n];
    }
    look(last, 1.0);
    for (int n = 0; n < N; ++n) {
      R sum(0.0);
      for (int j = 0; j < S; ++j) {
        R a = stage[j].acceleration[n];
        for (int k = 0; k < C && j < S - 1; ++k) a = fma(stage[j].lambda[k], stage[j].response[k][n], a);
        sum = fma(R(table.b[j]), a, sum);
      }
      v[n] = fma(h, sum, v[n]);
    }
    make_tangent<System>(last.at.gradient, last.response, v);
    for (int n = 0; n < N; ++n) change.y[n] = v[n] - x.v[n];
    next.lambda = stage[S - 2].lambda;
    return solved;
  }
};

template <class System, int S>
using LobattoPair = OneStep<System, LobattoPairFormula<S>>;

}  // namespace cotangent::integrators
