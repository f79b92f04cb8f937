// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation for any regular Lagrangian, in the momenta: the unknowns are the stages' velocities.
//   Q_i = q + h sum_j A_ij V_j,   L_v(Q_i, V_i) = P_i = p + h sum_j A_ij L_q(Q_j, V_j)
//   q' = q + h sum_i b_i V_i,     p' = p + h sum_i b_i L_q(Q_i, V_i)
// Solved by simplified Newton: the Hessian of L frozen at mid-step, one factorisation a step, and the
// residuals r_i taken to its mass matrix, M M_i^-1 r_i with M_i = L_vv at stage i, for masses are what varies
// most over a step; lanes in which it doesn't contract go on with the whole Jacobian. Reference: Hairer,
// Lubich, Wanner (2006), VI.6.2 and VIII.6.2.
#pragma once

#include <vector>

#include "integrators/convergence.hpp"
#include "integrators/method.hpp"
#include "integrators/stage_algebra.hpp"
#include "numerics/compensated.hpp"
#include "numerics/elimination.hpp"
#include "numerics/legendre.hpp"

namespace cotangent::integrators {

template <class System>
class GaussHamilton {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Running = std::array<numerics::Compensated<R>, N>;

  static constexpr int extra_degree = 0;
  static const double* extrapolation(const GaussTables& tables) { return tables.extrapolation.data(); }
  static const double* legendre(const GaussTables& tables) { return tables.legendre.data(); }

  /// The stages' unknown where nothing better is known, and the running pair (q, p).
  static void first_guess(const System&, const GaussTables& tables, const R&, const State<R, N>& x,
                          Stages<R, N>& velocity) {
    for (int i = 0; i < tables.stages; ++i) velocity[i] = x.v;
  }
  static Vector conjugate(const System& system, const State<R, N>& x) {
    return system.momentum(x.q, x.v, x.t);
  }
  static Vector velocity(const System& system, const Vector& q, const Vector& p, const Vector& guess,
                         const R& t) {
    return system.velocity(q, p, guess, t);
  }

  void prepare(const System&, const State<R, N>&) {}
  /// The velocities' error where the next Legendre coefficient of the unknown is `next`.
  static R velocity_error(int, const R&, const R& next) { return next; }

  /// Solves for the velocities, a guess on entry, of a step h from (t, q, p). Returns the lanes solved.
  /// A `close` guess is the step's own polynomial, for a part of it.
  Mask solve(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
             const Running& p, Stages<R, N>& velocity, Mask active, bool close = false) const {
    const Step step{system, tables, h, t, q, p};
    // Changes are summed over the stages' components.
    const double components = tables.stages * N;
    Convergence<R> convergence(active, 0x1p-53 * components, 0x1p-40);
    iterate_frozen(step, velocity, convergence, close);
    if (any(convergence.open())) solve_afresh(step, velocity, convergence);
    return convergence.converged();
  }

  /// The step's end from its solved stages.
  static void finish(const System& system, const GaussTables& tables, const R& h, const R& t,
                     const Running& q0, const Running&, const Stages<R, N>& velocity, Running& q,
                     Running& p) {
    Stages<R, N> position;
    const Vector dq = positions(tables, h, q0, velocity, position);
    Vector dp{};
    for (int i = 0; i < tables.stages; ++i) {
      const auto g = system.gradient(position[i], velocity[i], fma(h, R(tables.c[i]), t));
      for (int n = 0; n < N; ++n) dp[n] = fma(R(tables.b[i]), g.q[n], dp[n]);
    }
    for (int n = 0; n < N; ++n) {
      q[n].add(h * dq[n]);
      p[n].add(h * dp[n]);
    }
  }

  /// Takes deviations over the solved step of h from (t, q, p) in these lanes, by the derivative of the
  /// stages' equations (fill_jacobian below) and dQ_i = dq + h sum_j A_ij dV_j.
  void tangent(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
               const Running& p, const Stages<R, N>& velocity, Mask lanes, Deviation<R, N>* d, int count,
               numerics::Elimination<R>& elimination) const {
    const Step step{system, tables, h, t, q, p};
    const int s = tables.stages;
    Stages<R, N> position;
    positions(tables, h, q, velocity, position);
    const auto at = hessians(step, position, velocity);
    elimination.resize(s * N, count);
    fill_jacobian(step, at, [&](int i) { return elimination.row(i); });
    for (int c = 0; c < count; ++c) {
      Stages<R, N> pull;  // L_qq dq
      for (int j = 0; j < s; ++j) {
        for (int n = 0; n < N; ++n) {
          pull[j][n] = R(0.0);
          for (int m = 0; m < N; ++m) pull[j][n] = fma(at[j].qq[n][m], d[c].q[m], pull[j][n]);
        }
      }
      for (int i = 0; i < s; ++i) {
        for (int n = 0; n < N; ++n) {
          R kick(0.0), right = d[c].y[n];
          for (int j = 0; j < s; ++j) kick = fma(R(tables.a[i * s + j]), pull[j][n], kick);
          for (int m = 0; m < N; ++m) right = fma(-at[i].qv[m][n], d[c].q[m], right);
          elimination.right(i * N + n)[c] = fma(h, kick, right);
        }
      }
    }
    elimination.solve();
    for (int c = 0; c < count; ++c) {
      Vector dq{}, dp{};
      for (int i = 0; i < s; ++i) {
        Vector away = d[c].q;
        for (int n = 0; n < N; ++n) {
          R sum(0.0);
          for (int j = 0; j < s; ++j) {
            sum = fma(R(tables.a[i * s + j]), elimination.right(j * N + n)[c], sum);
          }
          away[n] = fma(h, sum, away[n]);
          dq[n] = fma(R(tables.b[i]), elimination.right(i * N + n)[c], dq[n]);
        }
        for (int n = 0; n < N; ++n) {
          R force(0.0);
          for (int m = 0; m < N; ++m) {
            force = fma(at[i].qq[n][m], away[m], force);
            force = fma(at[i].force_by_velocity(n, m), elimination.right(i * N + m)[c], force);
          }
          dp[n] = fma(R(tables.b[i]), force, dp[n]);
        }
      }
      for (int n = 0; n < N; ++n) {
        d[c].q[n] = select(lanes, fma(h, dq[n], d[c].q[n]), d[c].q[n]);
        d[c].y[n] = select(lanes, fma(h, dp[n], d[c].y[n]), d[c].y[n]);
      }
    }
  }

  /// How much of the last coefficients comes back through the forces: h^2 |L_qq| / (4 (2 s + 1)^2), at most.
  static constexpr double feedback = 2e-2;

  /// And how much of the dense polynomial's error an iteration leaves, at most.
  static constexpr double contraction = 5e-2;

  /// q and v at theta in [0, 1] from the Legendre coefficients g of the velocities.
  static void dense(int s, const R& h, const R& theta, const Running& q0, const Running&,
                    const Coefficients<R, N>& g, Vector& q, Vector& v) {
    const auto once = numerics::legendre_integrals<R, max_stages + 4>(s, theta);
    Vector sum{};
    for (int k = 0; k < s; ++k) {
      for (int n = 0; n < N; ++n) sum[n] = fma(once[k], g[k][n], sum[n]);
    }
    v = numerics::legendre_series<R, N>(s, g.data(), theta);
    for (int n = 0; n < N; ++n) {
      q[n] = fma(h, sum[n], q0[n].value);
    }
  }

  /// Bernstein coefficients of q_n, of degree s.
  static void bernstein(const GaussTables& tables, const R& h, int n, const Running& q0, const Running&,
                        const Stages<R, N>& velocity, R* out) {
    const int s = tables.stages;
    std::array<std::array<R, 1>, max_stages> values{};
    std::array<std::array<R, 1>, max_stages + 2> sums;
    for (int j = 0; j < s; ++j) values[j][0] = velocity[j][n];
    apply<R, 1>(tables.bernstein.data(), s + 1, s, values.data(), sums.data());
    for (int k = 0; k <= s; ++k) out[k] = fma(h, sums[k][0], q0[n].value);
  }

 private:
  /// Positions at the stages; returns the integral of the velocities.
  static Vector positions(const GaussTables& tables, const R& h, const Running& q,
                          const Stages<R, N>& velocity, Stages<R, N>& position) {
    const Vector whole = integrals_about_middle<R, N>(tables, velocity, position);
    for (int n = 0; n < N; ++n) {
      const R middle = fma(R(0.5) * h, whole[n], q[n].value);
      for (int i = 0; i < tables.stages; ++i) position[i][n] = fma(h, position[i][n], middle);
    }
    return whole;
  }

  struct Step {
    const System& system;
    const GaussTables& tables;
    const R &h, &t;
    const Running &q, &p;
  };

  /// Improves the velocities; `correct(iteration, positions, r)` replaces the residuals r by corrections.
  template <class Correct>
  static void iterate(const Step& step, Stages<R, N>& velocity, Convergence<R>& convergence, int limit,
                      bool close, const Correct& correct) {
    const int s = step.tables.stages;
    const R& h = step.h;
    R far(0.0);
    for (int n = 0; n < N; ++n) far = numerics::larger(far, numerics::absolute(step.q[n].value));
    const R rounding = R(0x1p-50 * N) * R(static_cast<double>(s)) * far / numerics::absolute(h);
    Stages<R, N> position, force, momentum, residual;
    for (int iteration = 0; iteration < limit && any(convergence.open()); ++iteration) {
      positions(step.tables, h, step.q, velocity, position);
      for (int i = 0; i < s; ++i) {
        const auto g = step.system.gradient(position[i], velocity[i], fma(h, R(step.tables.c[i]), step.t));
        force[i] = g.q;
        momentum[i] = g.v;
      }
      const Vector whole = integrals_about_middle<R, N>(step.tables, force, residual);
      for (int n = 0; n < N; ++n) {
        const R half = R(0.5) * (h * whole[n]);
        for (int i = 0; i < s; ++i) {
          // The difference of large momenta first, so that its round-off stays small.
          residual[i][n] = (step.p[n].value - momentum[i][n]) + fma(h, residual[i][n], half);
        }
      }
      correct(iteration, position, residual);
      const bool every = all(convergence.open());
      for (int i = 0; i < s; ++i) {
        for (int n = 0; n < N; ++n) {
          velocity[i][n] = convergence.renewed(every, velocity[i][n], velocity[i][n] + residual[i][n]);
        }
      }
      if (iteration == 0 && !close) continue;  // the guess tells neither scale nor contraction
      const R change = sum_of_sizes(s, residual);
      if (iteration == 0) convergence.begin_after(change * R(1 / contraction));
      convergence.measure_against(largest(s, velocity), rounding);
      convergence.close(change);
    }
  }

  /// The stages' masses M_i against one mass M: residuals r_i become M M_i^-1 r_i.
  class MassRatios {
   public:
    void renew(const Step& step, const Stages<R, N>& position, const Stages<R, N>& velocity,
               const numerics::Matrix<R, N>& mass, Mask lanes) {
      for (int i = 0; i < step.tables.stages; ++i) {
        const R time = fma(step.h, R(step.tables.c[i]), step.t);
        const auto fresh = numerics::solve<R, N>(step.system.mass(position[i], velocity[i], time), mass);
        for (int n = 0; n < N; ++n) {
          for (int m = 0; m < N; ++m) ratio_[i][n][m] = select(lanes, fresh[m][n], ratio_[i][n][m]);
        }
      }
    }
    void apply(int stages, Stages<R, N>& residual) const {
      for (int i = 0; i < stages; ++i) {
        const Vector r = residual[i];
        for (int n = 0; n < N; ++n) {
          residual[i][n] = R(0.0);
          for (int m = 0; m < N; ++m) residual[i][n] = fma(ratio_[i][n][m], r[m], residual[i][n]);
        }
      }
    }

   private:
    std::array<numerics::Matrix<R, N>, max_stages> ratio_;
  };

  /// Simplified Newton: the Hessian of L at the guess for mid-step in all iterations; the stages' masses at
  /// the guess too, renewed while changes are large against the velocities.
  static void iterate_frozen(const Step& step, Stages<R, N>& velocity, Convergence<R>& convergence,
                             bool close = false) {
    constexpr double large = 0.125;
    const int s = step.tables.stages, middle = s / 2;
    StageNewton<R, N> newton;
    MassRatios masses;
    numerics::Matrix<R, N> mass;
    Mask far(true);
    iterate(step, velocity, convergence, 16, close, [&](int iteration, const auto& position, auto& residual) {
      if (iteration == 0) {
        const auto at = step.system.hessian(position[middle], velocity[middle],
                                            fma(step.h, R(step.tables.c[middle]), step.t));
        numerics::Matrix<R, N> coupling;
        for (int i = 0; i < N; ++i) {
          for (int j = 0; j < N; ++j) coupling[i][j] = at.qv[j][i] - at.force_by_velocity(i, j);
        }
        newton.factorise(step.tables, step.h, at.vv, coupling, at.qq);
        mass = at.vv;
      }
      const bool some_far = any(far);
      if (some_far) masses.renew(step, position, velocity, mass, far);
      masses.apply(s, residual);
      newton.solve(step.tables, residual);
      if (!some_far) return;
      convergence.restart(far);
      far = far & !(sum_of_sizes(s, residual) <= R(large) * sum_of_sizes(s, velocity));
    });
  }

  /// Where the guess was too far off: begins with the velocity at the step's beginning. Where L bends too
  /// much for one Hessian: goes on with the whole Jacobian in each iteration.
  [[gnu::noinline]] static void solve_afresh(const Step& step, Stages<R, N>& velocity,
                                             Convergence<R>& convergence) {
    Vector q, p;
    for (int n = 0; n < N; ++n) {
      q[n] = step.q[n].value;
      p[n] = step.p[n].value;
    }
    const Vector first = step.system.velocity(q, p, Vector{}, step.t);
    const auto begin_again = [&](Mask lanes) {
      for (int i = 0; i < step.tables.stages; ++i) {
        for (int n = 0; n < N; ++n) velocity[i][n] = select(lanes, first[n], velocity[i][n]);
      }
      convergence.restart(convergence.open());
    };
    begin_again(convergence.open());
    iterate_frozen(step, velocity, convergence);
    if (!any(convergence.open())) return;
    begin_again(convergence.open() & !(largest(step.tables.stages, velocity) <= R(1e100)));
    iterate(step, velocity, convergence, 20, false, [&](int, const auto& position, auto& residual) {
      newton_correction(step, position, velocity, residual);
    });
  }

  /// The Hessians of L at the stages.
  static std::vector<typename System::Hessian> hessians(const Step& step, const Stages<R, N>& position,
                                                        const Stages<R, N>& velocity) {
    std::vector<typename System::Hessian> at;
    at.reserve(step.tables.stages);
    for (int i = 0; i < step.tables.stages; ++i) {
      const R time = fma(step.h, R(step.tables.c[i]), step.t);
      at.push_back(step.system.hessian(position[i], velocity[i], time));
    }
    return at;
  }
  /// The derivative of the stages' equations by their velocities, row by row,
  ///   M_ik = L_vv(i) delta_ik + h A_ik (L_vq(i) - L_qv(k)) - h^2 sum_j A_ij L_qq(j) A_jk.
  template <class Row>
  static void fill_jacobian(const Step& step, const std::vector<typename System::Hessian>& at,
                            const Row& row) {
    const int s = step.tables.stages;
    const auto a = [&](int i, int k) { return step.h * R(step.tables.a[i * s + k]); };
    for (int i = 0; i < s; ++i) {
      for (int k = 0; k < s; ++k) {
        numerics::Matrix<R, N> bent{};
        for (int j = 0; j < s; ++j) {
          const R weight = a(i, j) * a(j, k);
          for (int n = 0; n < N; ++n) {
            for (int m = 0; m < N; ++m) bent[n][m] = fma(weight, at[j].qq[n][m], bent[n][m]);
          }
        }
        for (int n = 0; n < N; ++n) {
          for (int m = 0; m < N; ++m) {
            const R mixed = fma(a(i, k), at[i].qv[m][n] - at[k].force_by_velocity(n, m), -bent[n][m]);
            row(i * N + n)[k * N + m] = i == k ? at[i].vv[n][m] + mixed : mixed;
          }
        }
      }
    }
  }

  /// Solves M d = r.
  static void newton_correction(const Step& step, const Stages<R, N>& position, const Stages<R, N>& velocity,
                                Stages<R, N>& residual) {
    const int s = step.tables.stages;
    std::vector<std::vector<R>> matrix(s * N, std::vector<R>(s * N, R(0.0)));
    std::vector<R> right(s * N);
    fill_jacobian(step, hessians(step, position, velocity), [&](int i) { return matrix[i].data(); });
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) right[i * N + n] = residual[i][n];
    }
    numerics::solve_in_place<R>(s * N, matrix, right);
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) residual[i][n] = right[i * N + n];
    }
  }

  static R sum_of_sizes(int s, const Stages<R, N>& values) {
    R sum(0.0);
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) sum += numerics::absolute(values[i][n]);
    }
    return sum;
  }
  static R largest(int s, const Stages<R, N>& velocity) {
    R scale(0.0);
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) scale = numerics::larger(scale, numerics::absolute(velocity[i][n]));
    }
    return scale;
  }
};

}  // namespace cotangent::integrators
