// SPDX-License-Identifier: BSD-3-Clause
// Chan's equations (2018) for one step of motion on a manifold, g(q) = 0, and of rolling, r(q, v) = 0: the
// differential-algebraic system that his summary names as future work. With G = grad g and D = dr/dv at the
// nodes c_k (k = 0 ... K) of a step h,
//   EL_k:   (1/h) sum_l D_kl L_v(X_l, V_l) = L_q(X_k, V_k) + G_k lambda_k + D_k nu_k
//   KIN_k:  (1/h) sum_l D_kl X_l = V_k + G_k mu_k
//   g(X_k) = 0,  G_k V_k + g_t = 0,  r(X_k, V_k) = 0,   k = 1 ... K.
// The manifold's constraints stand as Gear, Gupta and Leimkuhler have them: with mu, which is zero in the
// exact motion, positions and velocities are both held, and the index is 2 where it would be 3; that of
// rolling is 2 as it stands. Rows EL and KIN give way to the initial values as in free motion (Treatment),
// their multipliers with them: lambda_k, nu_k belong to EL_k, mu_k to KIN_k. Then as many multipliers are
// left as conditions, but with E and rolling, where EL has one row less: there one more, rho, bends both
// ends, KIN_0 by D_0 rho and KIN_K by (-1)^K D_K rho, which is symmetric and fixes the one polynomial of
// degree K - 1 that vanishes at all inner nodes. Orders and symmetry are those of free motion; each step ends
// on the manifold, tangent to it, and rolling. Reference: V. P. Chan, The design, implementation, and
// applications of a novel numerical solver: the Lagrangian solver (master's thesis, OIST, 2018), (3.46),
// chapter 7; Gear, Leimkuhler, Gupta, J. Comput. Appl. Math. 12 (1985) 77; Hairer, Wanner, Solving Ordinary
// Differential Equations II (1996), VII.
#pragma once

#include <algorithm>

#include "integrators/collocation_equations.hpp"

namespace cotangent::integrators {

template <class System>
class ConstrainedCollocationEquations : public CollocationEquations<System> {
  using Base = CollocationEquations<System>;

 public:
  using typename Base::Mask;
  using typename Base::R;
  using typename Base::Vector;
  using Matrix = numerics::Matrix<R, Base::N>;
  using Multipliers = typename System::Multipliers;
  static constexpr int N = Base::N, C = System::constraints, S = System::rolling, M = System::multipliers;

  ConstrainedCollocationEquations(std::shared_ptr<const CollocationTables> tables, Treatment treatment)
      : Base(tables, treatment, tables->degree * (N + C + M)),
        node_(tables->degree + 1),
        ends_(treatment == Treatment::e) {}

  /// Fixes the step: h from (t, q, v), the multipliers as there.
  void begin(const System& system, const R& h, const R& t, const Vector& q, const Vector& v) {
    Base::begin(system, h, t, q, v);
    node_[0].direction = system.force_directions(q, v, t);
    first_ = system.equations(q, v, t).multiplier;
    restart(Mask(true));
  }
  /// Forgets in these lanes what was found of the multipliers.
  void restart(Mask lanes) {
    for (Node& node : node_) {
      node.force = select_reals<R>(lanes, first_, node.force);
      node.push = select_reals<R>(lanes, Multipliers{}, node.push);
    }
  }

  /// Residual and Jacobian at the unknowns Y_1 ... Y_K.
  [[gnu::noinline]] void evaluate(const System& system, const Vector* y) {
    this->velocities(y);
    for (int k = 1; k <= degree(); ++k) {
      Node& node = node_[k];
      const Vector x = this->position(k, y);
      const R time = this->time(k);
      node.direction = system.force_directions(x, velocity_[0], time);  // rolling: linear in velocities
      const Vector push = pushed(node);
      for (int n = 0; n < N; ++n) velocity_[k][n] -= push[n];
      this->look(system, k, x);
      node.push_slope = system.force_slope(x, velocity_[0], node.push, time);
      node.force_slope = system.force_slope(x, velocity_[0], node.force, time);
    }
    this->balance(y);
    for (auto& row : jacobian_) std::fill(row.begin() + N * degree(), row.end(), R(0.0));
    for (int row = 0; row < degree(); ++row) {
      if (this->node_of(row) < 0) {
        push_initial_slope();
      } else {
        force(row, this->node_of(row));
      }
    }
    for (int k = 1; k <= degree(); ++k) constrain(system, k, this->position(k, y));
  }

  /// One Newton correction of the unknowns in the open lanes; returns that of positions.
  [[gnu::noinline]] R correct(const System& system, Vector* y, Mask open) {
    evaluate(system, y);
    numerics::solve_in_place<R>(this->size(), jacobian_, residual_);
    const auto take = [&](R& from, int unknown) { from = select(open, from - residual_[unknown], from); };
    for (int k = 0; k <= degree(); ++k) {
      Node& node = node_[k];
      for (int m = 0; m < M && balances(k); ++m) take(node.force[m], force_of(k, m));
      for (int m = 0; m < M; ++m) {
        if (m >= C && sign(k) < 0) {
          node.push[m] = -node_[0].push[m];
        } else if (pushes(k, m)) {
          take(node.push[m], push_of(k, m));
        }
      }
    }
    return this->apply(y, open);
  }

  /// V_K less the slope there of the polynomial through Y_1 ... Y_K.
  Vector end_push(const System& system, const Vector* y) {
    Node& node = node_[degree()];
    node.direction = system.force_directions(this->position(degree(), y), velocity_[0], this->time(degree()));
    Vector push = pushed(node);
    for (int n = 0; n < N; ++n) push[n] = -push[n];
    return push;
  }

 private:
  using Base::at_, Base::h_, Base::jacobian_, Base::residual_, Base::tables_, Base::treatment_,
      Base::velocity_;

  struct Node {
    std::array<Vector, M> direction;  ///< G_k, D_k
    Multipliers force;                ///< lambda_k, nu_k of EL_k
    Multipliers push;                 ///< mu_k, and +-rho, of KIN_k
    Matrix force_slope, push_slope;   ///< of these times the directions, by the coordinates
  };

  int degree() const { return tables_->degree; }
  /// Whether EL_k stands.
  bool balances(int k) const {
    return (k > 0 || treatment_ == Treatment::c) && (k < degree() || treatment_ == Treatment::a);
  }
  /// How rho enters KIN_k.
  int sign(int k) const {
    if (!ends_) return 0;
    return k == 0 ? 1 : k < degree() ? 0 : degree() % 2 == 0 ? 1 : -1;
  }
  /// Whether KIN_k has multiplier m.
  bool pushes(int k, int m) const { return m < C ? k > 0 || ends_ : sign(k) != 0; }

  // The numbers of the unknowns, after those of positions.
  int force_of(int k, int m) const { return N * degree() + (treatment_ == Treatment::c ? k : k - 1) * M + m; }
  int push_of(int k, int m) const {
    if (m >= C) return this->size() - M + m;
    return N * degree() + (ends_ ? degree() - 1 : degree()) * M + (ends_ ? k : k - 1) * C + m;
  }

  static Vector pushed(const Node& node) {
    Vector sum{};
    for (int m = 0; m < M; ++m) {
      for (int n = 0; n < N; ++n) sum[n] = fma(node.push[m], node.direction[m][n], sum[n]);
    }
    return sum;
  }

  /// What moves V_j by the multipliers of KIN_j moves a row that has the slope `by` along V_j.
  void along_push(std::vector<R>& row, const Vector& by, int j) const {
    const Node& node = node_[j];
    for (int n = 0; n < N; ++n) {
      R& entry = row[(j - 1) * N + n];
      for (int i = 0; i < N; ++i) entry = fma(-by[i], node.push_slope[i][n], entry);
    }
    for (int m = 0; m < M; ++m) {
      if (!pushes(j, m)) continue;
      R sum(0.0);
      for (int n = 0; n < N; ++n) sum = fma(by[n], node.direction[m][n], sum);
      row[push_of(j, m)] -= m < C ? sum : R(1.0 * sign(j)) * sum;
    }
  }

  void push_initial_slope() {
    const Node& node = node_[0];
    const Vector push = pushed(node);
    for (int n = 0; n < N; ++n) {
      residual_[n] = fma(-h_, push[n], residual_[n]);
      for (int m = 0; m < M; ++m) jacobian_[n][push_of(0, m)] = -h_ * node.direction[m][n];
    }
  }

  /// What constraints add to EL_k times h^2.
  void force(int row, int k) {
    const Node& node = node_[k];
    for (int n = 0; n < N; ++n) {
      auto& entries = jacobian_[row * N + n];
      R& residual = residual_[row * N + n];
      for (int m = 0; m < M; ++m) {
        const R weight = h_ * h_ * node.direction[m][n];
        residual = fma(-weight, node.force[m], residual);
        entries[force_of(k, m)] = -weight;
      }
      for (int j = 1; j <= degree(); ++j) {
        Vector by;
        for (int m = 0; m < N; ++m) {
          by[m] = R(tables_->derivative(k, j)) * h_ * at_[j].vv[n][m];
          if (j == k) by[m] = fma(-h_ * h_, at_[k].force_by_velocity(n, m), by[m]);
        }
        along_push(entries, by, j);
        if (j != k) continue;
        for (int m = 0; m < N; ++m) {
          R& entry = entries[(k - 1) * N + m];
          entry = fma(-h_ * h_, node.force_slope[n][m], entry);
        }
      }
    }
  }

  /// g(X_k), and h (G_k V_k + g_t) and h r(X_k, V_k).
  void constrain([[maybe_unused]] const System& system, int k, const Vector& x) {
    int row = N * degree() + (k - 1) * (C + M);
    for (int i = 0; i < C + M; ++i) std::fill_n(jacobian_[row + i].begin(), N * degree(), R(0.0));
    const Vector& v = velocity_[k];
    // A condition of the velocities: its value, its slopes along V_k and X_k.
    const auto hold = [&](const R& value, const Vector& by_v, const Vector& by_q) {
      auto& entries = jacobian_[row];
      residual_[row++] = h_ * value;
      for (int n = 0; n < N; ++n) {
        for (int j = 1; j <= degree(); ++j) {
          entries[(j - 1) * N + n] = R(tables_->derivative(k, j)) * by_v[n];
        }
        R& entry = entries[(k - 1) * N + n];
        entry = fma(h_, by_q[n], entry);
      }
      Vector moved;
      for (int n = 0; n < N; ++n) moved[n] = h_ * by_v[n];
      along_push(entries, moved, k);
    };
    if constexpr (C > 0) {
      const R time = this->time(k);
      const auto g = system.constraint(x, time);
      const auto bent =
          mechanics::constraint_hessian_times<typename System::Model>(x, v, system.parameters, time);
      const auto speed = system.constraint_speed(g, x, v, time);
      for (int c = 0; c < C; ++c) {
        residual_[row] = g.value[c];
        for (int n = 0; n < N; ++n) jacobian_[row][(k - 1) * N + n] = g.gradient[c][n];
        ++row;
        hold(speed[c], g.gradient[c], bent[c]);
      }
    }
    if constexpr (S > 0) {
      const auto r = system.slip(x, v);
      for (int s = 0; s < S; ++s) hold(r.value[s], r.v[s], r.q[s]);
    }
  }

  std::vector<Node> node_;
  bool ends_;  ///< KIN stands at both ends
  Multipliers first_{};
};

}  // namespace cotangent::integrators
