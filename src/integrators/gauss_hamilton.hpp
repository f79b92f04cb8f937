// Gauss collocation for any regular Lagrangian, in the momenta: the unknowns are the stages' velocities.
//   Q_i = q + h sum_j A_ij V_j,   L_v(Q_i, V_i) = P_i = p + h sum_j A_ij L_q(Q_j, V_j)
//   q' = q + h sum_i b_i V_i,     p' = p + h sum_i b_i L_q(Q_i, V_i)
// Solved by simplified Newton: the Hessian of L frozen at mid-step, one factorisation a step.
// Reference: Hairer, Lubich, Wanner (2006), VI.6.2 and VIII.6.2.
#pragma once

#include "integrators/convergence.hpp"
#include "integrators/method.hpp"
#include "integrators/stage_algebra.hpp"
#include "numerics/compensated.hpp"

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
  /// The unknown from its Legendre series g over a step of length `ratio` steps that begins at `from`.
  static void from_series(const GaussTables& tables, const Coefficients<R, N>& g, const R& from,
                          const R& ratio, Stages<R, N>& velocity) {
    for (int i = 0; i < tables.stages; ++i) {
      velocity[i] = series<R, N>(tables.stages, g, fma(ratio, R(tables.c[i]), from));
    }
  }
  /// The velocities' error where the next Legendre coefficient of the unknown is `next`.
  static R velocity_error(int, const R&, const R& next) { return next; }

  /// Solves for the velocities, a guess on entry, of a step h from (t, q, p). Returns the lanes solved.
  Mask solve(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
             const Running& p, Stages<R, N>& velocity, Mask active) const {
    Convergence<R> convergence(active, 0x1p-50, 0x1p-40);
    iterate(system, tables, h, t, q, p, velocity, convergence, 16);
    if (any(convergence.open())) {
      // The guess was too far off: begin with the velocity at the step's beginning.
      Vector position, momentum;
      for (int n = 0; n < N; ++n) {
        position[n] = q[n].value;
        momentum[n] = p[n].value;
      }
      const Vector first = system.velocity(position, momentum, Vector{}, t);
      for (int i = 0; i < tables.stages; ++i) {
        for (int n = 0; n < N; ++n) velocity[i][n] = select(convergence.open(), first[n], velocity[i][n]);
      }
      convergence.restart();
      iterate(system, tables, h, t, q, p, velocity, convergence, 40);
    }
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

  /// The unknown's polynomial, had it known the ends of the step.
  void end_values(const System&, const R&, const State<R, N>& begin, const State<R, N>& end, Vector& first,
                  Vector& last) const {
    first = begin.v;
    last = end.v;
  }
  /// How much of the last coefficients comes back through the forces: h^2 |L_qq| / (4 (2 s + 1)^2), at most.
  static constexpr double feedback = 2e-2;

  /// q and v at theta in [0, 1] from the Legendre coefficients g of the velocities.
  static void dense(int s, const R& h, const R& theta, const Running& q0, const Running&,
                    const Coefficients<R, N>& g, Vector& q, Vector& v) {
    const auto once = integrals(s, theta);
    Vector sum{};
    for (int k = 0; k < s; ++k) {
      for (int n = 0; n < N; ++n) sum[n] = fma(once[k], g[k][n], sum[n]);
    }
    v = series<R, N>(s, g, theta);
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

  void iterate(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
               const Running& p, Stages<R, N>& velocity, Convergence<R>& convergence, int limit) const {
    const int s = tables.stages;
    Stages<R, N> position, force, momentum, residual;
    StageNewton<R, N> newton;
    for (int iteration = 0; iteration < limit && any(convergence.open()); ++iteration) {
      positions(tables, h, q, velocity, position);
      if (iteration == 0) newton = linearised(system, tables, h, t, position[s / 2], velocity[s / 2]);
      for (int i = 0; i < s; ++i) {
        const auto g = system.gradient(position[i], velocity[i], fma(h, R(tables.c[i]), t));
        force[i] = g.q;
        momentum[i] = g.v;
      }
      const Vector whole = integrals_about_middle<R, N>(tables, force, residual);
      for (int n = 0; n < N; ++n) {
        const R half = R(0.5) * (h * whole[n]);
        for (int i = 0; i < s; ++i) {
          // The difference of large momenta first, so that its round-off stays small.
          residual[i][n] = (p[n].value - momentum[i][n]) + fma(h, residual[i][n], half);
        }
      }
      newton.solve(tables, residual);
      const bool every = all(convergence.open());
      R change(0.0);
      for (int i = 0; i < s; ++i) {
        for (int n = 0; n < N; ++n) {
          change += numerics::absolute(residual[i][n]);
          velocity[i][n] = convergence.renewed(every, velocity[i][n], velocity[i][n] + residual[i][n]);
        }
      }
      if (iteration == 0) continue;  // the guess tells neither scale nor contraction
      if (iteration == 1) convergence.measure_against(largest(s, velocity));
      convergence.close(change);
    }
  }

  static StageNewton<R, N> linearised(const System& system, const GaussTables& tables, const R& h, const R& t,
                                      const Vector& q, const Vector& v) {
    const auto at = system.hessian(q, v, fma(h, R(tables.c[tables.stages / 2]), t));
    numerics::Matrix<R, N> coupling;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) coupling[i][j] = at.qv[j][i] - at.qv[i][j];
    }
    StageNewton<R, N> newton;
    newton.factorise(tables, h, at.vv, coupling, at.qq);
    return newton;
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
