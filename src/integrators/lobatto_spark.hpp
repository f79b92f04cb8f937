// SPDX-License-Identifier: BSD-3-Clause
// The Lobatto IIIA-IIIB pair with s stages for any Lagrangian under constraints of a manifold, g(q) = 0, and
// of rolling, r(q, v) = 0: order 2 s - 2, symmetric; where nothing rolls also symplectic. With A, A^ of IIIA
// and IIIB, D the directions of the constraints' forces (grad g and dr/dv) and F_j = L_q(Q_j, V_j) and
// what force is applied + D(Q_j) Lambda_j,
//   Q_i = q + h sum_j A_ij V_j,     L_v(Q_i, V_i) = p + h sum_j A^_ij F_j,     q' = Q_s,
//   g(Q_i) = 0, i = 2 ... s,        sum_j b_j P_m(c_j) r(Q_j, V_j) = 0, m = 0 ... s - 2,
//   p' = p + h sum_j b_j F_j,       D(q') v' + g_t = 0.
// P_m are Legendre's polynomials on [0, 1]; Lambda_s enters p' alone. What rolls keeps its energy as far as
// reversibility keeps it. All V_j, Lambda_j together by Newton's method with the whole derivative. Reference:
// Jay, SIAM J. Numer. Anal. 33 (1996) 368, and Lagrange-d'Alembert SPARK integrators for nonholonomic
// Lagrangian systems (2009); Modin, Verdier, Numer. Math. 145 (2020) 405.
#pragma once

#include "integrators/lobatto_tables.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

struct LobattoSparkFormula : PlainFormula {
  static constexpr std::string_view name = "lobatto-spark";
  static constexpr std::string_view about =
      "Lobatto IIIA-IIIB pair, order 2 stages - 2, any Lagrangian: on manifolds and rolling, symmetric";
  static constexpr int order = 2;  // and more
  static constexpr bool has_tangent = true, stays_tangent = true;
  static constexpr std::array options{
      option::stages(LobattoTables::least, LobattoTables::most, "nodes in a step, both ends among them"),
      option::step};

  template <class System>
  using Dense = HermiteOfStages<System>;

  static void check(const MethodOptions& options) { LobattoTables::of(options.stages); }

  template <class System, class R, int N, class Mask>
  [[gnu::noinline]] static Mask step(const System& system, const Motion<System>&, const R& h,
                                     const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                     [[maybe_unused]] Dense<System>& dense, const MethodOptions& options) {
    Step<System> inside(system, *LobattoTables::of(options.stages), h, x);
    const Mask solved = inside.solve(active, change);
    if constexpr (System::driven) dense.work = inside.work();
    return solved;
  }

 private:
  template <class System>
  class Step {
    using R = typename System::Real;
    static constexpr int N = System::dim, C = System::constraints, K = System::multipliers;
    using Vector = typename System::Vector;
    using Matrix = typename System::Matrix;
    using Multipliers = typename System::Multipliers;
    using Mask = numerics::mask_of<R>;

    struct Stage {
      Vector q, v, residual;
      Multipliers lambda;
      typename System::Hessian at;
      std::array<Vector, K> direction;
      Matrix force_slope;
      Multipliers value;                            ///< g, r
      std::array<Vector, System::rolling> along_q;  ///< dr/dq
    };

   public:
    Step(const System& system, const LobattoTables& tables, const R& h, const Beginning<R, N>& x)
        : system_(system), tables_(tables), s_(tables.stages), h_(h), x_(x), stage_(s_) {
      const auto start = system.equations(x.q, x.v, x.t);
      p_ = system.momentum(x.q, x.v, x.t);
      for (int i = 0; i < s_; ++i) {
        stage_[i].lambda = start.multiplier;
        for (int n = 0; n < N; ++n) {
          stage_[i].v[n] = fma(R(tables.c[i]) * h, start.acceleration[n], x.v[n]);
        }
      }
      const int n = unknowns();
      matrix_.assign(n, std::vector<R>(n, R(0.0)));
      right_.assign(n, R(0.0));
      block_.resize(s_ * s_);
    }

    Mask solve(Mask active, Change<R, N>& change) {
      const auto size = [&] {
        R sum(0.0);
        for (const Stage& stage : stage_) {
          for (int n = 0; n < N; ++n) sum += numerics::absolute(stage.q[n]) + numerics::absolute(stage.v[n]);
        }
        return sum;
      };
      // Velocities follow from positions on the manifold, g(Q_i) / h: at rest nothing else is there.
      const auto noise = [&] {
        R sum(0.0);
        for (const Stage& stage : stage_) sum += sum_of_sizes<R>(stage.q);
        return C > 0 ? sum / numerics::absolute(h_) : R(0.0);
      };
      const Mask solved = newton<R>(
          active, 30, [&](Mask open) { return correct(open); }, size, noise);
      look();
      Vector p = p_, v = stage_[s_ - 1].v;
      for (int n = 0; n < N; ++n) {
        change.q[n] = h_ * tables_.whole([&](int j) { return stage_[j].v[n]; });
        p[n] = fma(h_, tables_.whole([&](int j) { return force(stage_[j], n, j < s_ - 1); }), p[n]);
      }
      const Mask ended = land(solved, p, v);
      for (int n = 0; n < N; ++n) change.y[n] = v[n] - x_.v[n];
      return ended;
    }

    /// The work that driving did, from the stages, which are known.
    R work() const {
      return h_ * tables_.whole([&](int j) {
        return system_.power(stage_[j].q, stage_[j].v, fma(R(tables_.c[j]), h_, x_.t));
      });
    }

   private:
    int unknowns() const { return s_ * N + (s_ - 1) * K; }
    R a(int i, int j) const { return R(tables_.to_positions(i, j)); }
    R mate(int i, int j) const { return R(tables_.to_momenta(i, j)); }

    /// L_q and, for all stages but the last, the constraints' forces.
    R force(const Stage& stage, int n, bool constrained) const {
      R sum = stage.at.q[n];
      for (int k = 0; k < K && constrained; ++k) sum = fma(stage.lambda[k], stage.direction[k][n], sum);
      return sum;
    }

    /// Positions from velocities, and everything that is known there.
    void look() {
      for (int i = 0; i < s_; ++i) {
        Stage& stage = stage_[i];
        for (int n = 0; n < N; ++n) {
          stage.q[n] = fma(h_, tables_.way(i, [&](int j) { return stage_[j].v[n]; }), x_.q[n]);
        }
        const R time = fma(R(tables_.c[i]), h_, x_.t);
        stage.at = system_.hessian(stage.q, stage.v, time);
        stage.force_slope = system_.force_slope(stage.q, stage.v, stage.lambda, time);
        if constexpr (C > 0) {
          const auto g = system_.constraint(stage.q, time);
          for (int k = 0; k < C; ++k) {
            stage.value[k] = g.value[k];
            stage.direction[k] = g.gradient[k];
          }
        }
        if constexpr (System::rolls) {
          const auto r = system_.slip(stage.q, stage.v);
          for (int k = 0; k < System::rolling; ++k) {
            stage.value[C + k] = r.value[k];
            stage.direction[C + k] = r.v[k];
          }
          stage.along_q = r.q;
        }
      }
    }

    /// One Newton correction of velocities and multipliers in the open lanes; returns the velocities' change.
    R correct(Mask open) {
      look();
      balance();
      constrain();
      numerics::solve_in_place<R>(unknowns(), matrix_, right_);
      R change(0.0);
      for (int i = 0; i < s_; ++i) {
        Stage& stage = stage_[i];
        for (int n = 0; n < N; ++n) {
          const R by = right_[i * N + n];
          change += numerics::absolute(by);
          stage.v[n] = select(open, stage.v[n] + by, stage.v[n]);
        }
        for (int k = 0; k < K && i < s_ - 1; ++k) {
          stage.lambda[k] = select(open, stage.lambda[k] + right_[multiplier(i, k)], stage.lambda[k]);
        }
      }
      return change;
    }

    int multiplier(int stage, int k) const { return s_ * N + stage * K + k; }

    /// The rows of L_v(Q_i, V_i) = p + h sum_j A^_ij F_j.
    void balance() {
      for (int j = 0; j < s_; ++j) {  // dF_j / dV_k
        const Stage& stage = stage_[j];
        for (int k = 0; k < s_; ++k) {
          for (int n = 0; n < N; ++n) {
            for (int m = 0; m < N; ++m) {
              R bent = stage.at.qq[n][m];
              if (j < s_ - 1) bent += stage.force_slope[n][m];
              block_[j * s_ + k][n][m] =
                  fma(h_ * a(j, k), bent, j == k ? stage.at.force_by_velocity(n, m) : R(0.0));
            }
          }
        }
      }
      for (int i = 0; i < s_; ++i) {
        for (int n = 0; n < N; ++n) {
          auto& row = matrix_[i * N + n];
          const R kick = tables_.kick(i, [&](int j) { return force(stage_[j], n, true); });
          right_[i * N + n] = fma(h_, kick, p_[n] - stage_[i].at.v[n]);
          for (int k = 0; k < s_; ++k) {
            for (int m = 0; m < N; ++m) {
              R entry = i == k ? stage_[i].at.vv[n][m] : R(0.0);
              entry = fma(h_ * a(i, k), stage_[i].at.qv[m][n], entry);
              for (int j = 0; j < s_ - 1; ++j) {
                entry = fma(-(h_ * mate(i, j)), block_[j * s_ + k][n][m], entry);
              }
              row[k * N + m] = entry;
            }
          }
          for (int j = 0; j < s_ - 1; ++j) {
            for (int k = 0; k < K; ++k) {
              row[multiplier(j, k)] = -(h_ * mate(i, j)) * stage_[j].direction[k][n];
            }
          }
        }
      }
    }

    /// The rows of the constraints: those of the manifold in units of h, those of rolling as moments.
    void constrain() {
      for (int m = 0; m < s_ - 1; ++m) {
        for (int k = 0; k < K; ++k) {
          auto& row = matrix_[multiplier(m, k)];
          R& right = right_[multiplier(m, k)];
          std::fill(row.begin(), row.end(), R(0.0));
          right = R(0.0);
          if (k < C) {
            const Stage& stage = stage_[m + 1];
            right = -(stage.value[k] / h_);
            for (int j = 0; j < s_; ++j) {
              for (int n = 0; n < N; ++n) row[j * N + n] = a(m + 1, j) * stage.direction[k][n];
            }
            continue;
          }
          if constexpr (System::rolls) {
            for (int j = 0; j < s_; ++j) {
              const R weight(tables_.moment[m * s_ + j]);
              right = fma(-weight, stage_[j].value[k], right);
              for (int n = 0; n < N; ++n) {
                row[j * N + n] = fma(weight, stage_[j].direction[k][n], row[j * N + n]);
                const R along = weight * h_ * stage_[j].along_q[k - C][n];
                for (int i = 0; i < s_; ++i) row[i * N + n] = fma(along, a(j, i), row[i * N + n]);
              }
            }
          }
        }
      }
    }

    /// The end's velocities: L_v(q', v) = p + D mu and D v + g_t = 0; v is a guess on entry.
    Mask land(Mask solved, const Vector& p, Vector& v) const {
      const Stage& last = stage_[s_ - 1];
      Multipliers mu{};
      const auto speed = [&] {
        R sum(0.0);
        for (int n = 0; n < N; ++n) sum += numerics::absolute(last.q[n]) + numerics::absolute(v[n]);
        return sum;
      };
      return newton<R>(
          solved, 30,
          [&](Mask open) {
            const auto at = system_.hessian(last.q, v, x_.t + h_);
            std::array<std::array<R, N + K>, N + K> matrix{};
            std::array<R, N + K> right{};
            for (int n = 0; n < N; ++n) {
              right[n] = p[n] - at.v[n];
              for (int k = 0; k < K; ++k) right[n] = fma(mu[k], last.direction[k][n], right[n]);
              for (int m = 0; m < N; ++m) matrix[n][m] = at.vv[n][m];
            }
            const auto slips = slipping(last.q, v);
            for (int k = 0; k < K; ++k) {
              right[N + k] = -slips[k];
              if (k < C) {
                for (int n = 0; n < N; ++n) right[N + k] = fma(-last.direction[k][n], v[n], right[N + k]);
              }
              for (int n = 0; n < N; ++n) {
                matrix[n][N + k] = -last.direction[k][n];
                matrix[N + k][n] = last.direction[k][n];
              }
            }
            numerics::solve_in_place<R>(N + K, matrix, right);
            R change(0.0);
            for (int n = 0; n < N; ++n) {
              change += numerics::absolute(right[n]);
              v[n] = select(open, v[n] + right[n], v[n]);
            }
            for (int k = 0; k < K; ++k) mu[k] = select(open, mu[k] + right[N + k], mu[k]);
            return change;
          },
          speed);
    }
    /// r at the end; g_t for the manifold's constraints.
    Multipliers slipping([[maybe_unused]] const Vector& q, [[maybe_unused]] const Vector& v) const {
      Multipliers result;
      for (int k = 0; k < C; ++k) result[k] = R(0.0);
      if constexpr (System::moving) {
        const auto rate =
            mechanics::constraint_rate<typename System::Model>(q, system_.parameters, R(x_.t + h_));
        for (int k = 0; k < C; ++k) result[k] = rate[k];
      }
      if constexpr (System::rolls) {
        const auto r = system_.slip(q, v);
        for (int k = 0; k < System::rolling; ++k) result[C + k] = r.value[k];
      }
      return result;
    }

    const System& system_;
    const LobattoTables& tables_;
    const int s_;
    const R& h_;
    const Beginning<R, N>& x_;
    Vector p_;
    std::vector<Stage> stage_;
    std::vector<Matrix> block_;
    std::vector<std::vector<R>> matrix_;
    std::vector<R> right_;
  };
};

template <class System>
using LobattoSpark = OneStep<System, LobattoSparkFormula>;

}  // namespace cotangent::integrators
