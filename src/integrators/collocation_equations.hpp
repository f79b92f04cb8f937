// SPDX-License-Identifier: BSD-3-Clause
// Chan's equations (2018) for one step, and their Jacobian. At nodes c_k (k = 0 ... K) of a step h,
//   EL_k:  (1/h) sum_l D_kl L_v(X_l, V_l) - F(X_k, V_k) = 0        KIN_k:  (1/h) sum_l D_kl X_l - V_k = 0
// F = L_q and what force is applied, with X_0 = q, V_0 = v given, so that 2 N rows must go (see Treatment).
// In each treatment KIN holds at the nodes 1 ... K, which gives V; what remains are K rows for the unknowns
// Y_k = X_k - q - c_k h v:
//   A: EL_1 ... EL_K      C: EL_0 ... EL_{K-1}      E: KIN_0, EL_1 ... EL_{K-1}
// EL rows times h^2, KIN times h. d L_v / d X is the transpose of d L_q / d V; Chan prints it
// untransposed in (3.40), which costs Newton's method its quadratic convergence wherever L_qv isn't
// symmetric. Reference: V. P. Chan, The design, implementation, and applications of a novel numerical
// solver: the Lagrangian solver (master's thesis, OIST, 2018), (3.46) to (3.49).
#pragma once

#include <vector>

#include "integrators/collocation_tables.hpp"
#include "integrators/method.hpp"

namespace cotangent::integrators {

template <class System>
class CollocationEquations {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Hessian = typename System::Hessian;
  using Mask = numerics::mask_of<R>;

  CollocationEquations(std::shared_ptr<const CollocationTables> tables, Treatment treatment)
      : CollocationEquations(tables, treatment, N * tables->degree) {}

  /// The number of unknowns: N K. Unknown n of node k is number (k - 1) N + n.
  int size() const { return static_cast<int>(residual_.size()); }

  /// Fixes the step: h from (t, q, v).
  void begin(const System& system, const R& h, const R& t, const Vector& q, const Vector& v) {
    h_ = h;
    t_ = t;
    q_ = q;
    velocity_[0] = v;
    at_[0] = hessian(system, q, v, t);
  }

  /// V_k, k = 0 ... K, at the unknowns Y_1 ... Y_K.
  void velocities(const Vector* y) {
    const int K = tables_->degree;
    const R rate = R(1.0) / h_;
    for (int k = 1; k <= K; ++k) {
      Vector slope{};
      for (int j = 1; j <= K; ++j) {
        for (int n = 0; n < N; ++n) slope[n] = fma(R(tables_->derivative(k, j)), y[j - 1][n], slope[n]);
      }
      for (int n = 0; n < N; ++n) velocity_[k][n] = fma(rate, slope[n], velocity_[0][n]);
    }
  }
  const Vector& velocity(int k) const { return velocity_[k]; }

  /// Residual and Jacobian at the unknowns Y_1 ... Y_K.
  [[gnu::noinline]] void evaluate(const System& system, const Vector* y) {
    velocities(y);
    for (int k = 1; k <= tables_->degree; ++k) look(system, k, position(k, y));
    balance(y);
  }

  /// One Newton correction of the unknowns in the open lanes; returns its size.
  [[gnu::noinline]] R correct(const System& system, Vector* y, Mask open) {
    evaluate(system, y);
    numerics::solve_in_place<R>(size(), jacobian_, residual_);
    return apply(y, open);
  }

  std::vector<R>& residual() { return residual_; }
  std::vector<std::vector<R>>& jacobian() { return jacobian_; }
  /// L and its derivatives at node k.
  const Hessian& at(int k) const { return at_[k]; }

 protected:
  /// With more unknowns, and as many rows, after those of positions.
  CollocationEquations(std::shared_ptr<const CollocationTables> tables, Treatment treatment, int size)
      : tables_(std::move(tables)),
        treatment_(treatment),
        at_(tables_->degree + 1),
        velocity_(tables_->degree + 1),
        residual_(size),
        jacobian_(size, std::vector<R>(size)) {}

  /// X_k, k >= 1.
  Vector position(int k, const Vector* y) const {
    const R time = R(tables_->c[k]) * h_;
    Vector x;
    for (int n = 0; n < N; ++n) x[n] = fma(time, velocity_[0][n], q_[n]) + y[k - 1][n];
    return x;
  }
  /// L and its derivatives at X_k and V_k.
  void look(const System& system, int k, const Vector& x) {
    at_[k] = hessian(system, x, velocity_[k], time(k));
  }
  /// The time of node k.
  R time(int k) const { return t_ + R(tables_->c[k]) * h_; }
  /// The node whose Euler-Lagrange equations stand in block `row`; none (-1) where KIN_0 does.
  int node_of(int row) const {
    if (treatment_ == Treatment::e && row == 0) return -1;
    return treatment_ == Treatment::a ? row + 1 : row;
  }
  /// The first N K rows and columns.
  void balance(const Vector* y) {
    for (int row = 0; row < tables_->degree; ++row) {
      if (node_of(row) < 0) {
        initial_slope(y);
      } else {
        euler_lagrange(row, node_of(row));
      }
    }
  }
  /// Takes the corrections from the positions of the open lanes; returns their size.
  R apply(Vector* y, Mask open) const {
    R change(0.0);
    for (int k = 0; k < tables_->degree; ++k) {
      for (int n = 0; n < N; ++n) {
        const R& by = residual_[k * N + n];
        change += numerics::absolute(by);
        y[k][n] = select(open, y[k][n] - by, y[k][n]);
      }
    }
    return change;
  }

 private:
  [[gnu::noinline]] static Hessian hessian(const System& system, const Vector& q, const Vector& v,
                                           const R& t) {
    return system.hessian(q, v, t);
  }

  /// KIN_0: the polynomial leaves with the velocity v, sum_j D_0j Y_j = 0.
  void initial_slope(const Vector* y) {
    for (int n = 0; n < N; ++n) {
      R sum(0.0);
      for (int j = 1; j <= tables_->degree; ++j) {
        const R weight(tables_->derivative(0, j));
        sum = fma(weight, y[j - 1][n], sum);
        for (int m = 0; m < N; ++m) jacobian_[n][(j - 1) * N + m] = m == n ? weight : R(0.0);
      }
      residual_[n] = sum;
    }
  }

  /// EL_k times h^2, in the rows of block `row`.
  void euler_lagrange(int row, int k) {
    const int K = tables_->degree;
    const Hessian& here = at_[k];
    for (int n = 0; n < N; ++n) {
      // D annuls constants, so momenta count from the first: their differences keep more digits.
      R sum(0.0);
      for (int l = 1; l <= K; ++l) sum = fma(R(tables_->derivative(k, l)), at_[l].v[n] - at_[0].v[n], sum);
      residual_[row * N + n] = h_ * fma(-h_, here.q[n], sum);
    }
    for (int j = 1; j <= K; ++j) {
      numerics::Matrix<R, N> block{};
      if constexpr (System::newtonian) {
        add(tables_->second(k, j), here.vv, block);
      } else {
        for (int l = 1; l <= K; ++l) {
          add(tables_->derivative(k, l) * tables_->derivative(l, j), at_[l].vv, block);
        }
        const R weight = R(tables_->derivative(k, j)) * h_;
        for (int n = 0; n < N; ++n) {
          for (int m = 0; m < N; ++m) {
            R mixed = at_[j].qv[m][n];
            if (k > 0) mixed -= here.force_by_velocity(n, m);  // V_0 is given
            block[n][m] = fma(weight, mixed, block[n][m]);
          }
        }
      }
      if (k == j) {
        for (int n = 0; n < N; ++n) {
          for (int m = 0; m < N; ++m) block[n][m] = fma(-h_, h_ * here.qq[n][m], block[n][m]);
        }
      }
      for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) jacobian_[row * N + n][(j - 1) * N + m] = block[n][m];
      }
    }
  }

  static void add(double weight, const numerics::Matrix<R, N>& a, numerics::Matrix<R, N>& sum) {
    for (int n = 0; n < N; ++n) {
      for (int m = 0; m < N; ++m) sum[n][m] = fma(R(weight), a[n][m], sum[n][m]);
    }
  }

 protected:
  std::shared_ptr<const CollocationTables> tables_;
  Treatment treatment_;
  R h_{0.0}, t_{0.0};
  Vector q_{};
  std::vector<Hessian> at_;
  std::vector<Vector> velocity_;
  std::vector<R> residual_;
  std::vector<std::vector<R>> jacobian_;
};

}  // namespace cotangent::integrators
