// SPDX-License-Identifier: BSD-3-Clause
// Gauss collocation where L = v^T M v / 2 - U(q): velocities eliminated, the unknowns are the stages'
// accelerations times h^2, held as even and odd parts about the middle of the step (gauss_parts.hpp).
//   Q_i = q + c_i h v + h^2 sum_j (A^2)_ij a_j,   M a_i = L_q(Q_i)
//   q' = q + h v + h^2 sum_i b_i (1 - c_i) a_i,   v' = v + h sum_i b_i a_i
// Fixed-point iteration where it contracts; lanes in which it doesn't go on by simplified Newton.
// Reference: Hairer, Lubich, Wanner (2006), VIII.6.1 (iteration), II.2.3 (Nystrom form).
#pragma once

#include "integrators/convergence.hpp"
#include "integrators/gauss_parts.hpp"
#include "integrators/gauss_tangent.hpp"
#include "integrators/method.hpp"
#include "numerics/legendre.hpp"

namespace cotangent::integrators {

/// The one number of stages that is asked for of a system, if its model's struct states it as its `stages`,
/// which spares compiling the loops for others; else 0.
template <class System>
constexpr int only_stages = [] {
  if constexpr (requires { System::Model::stages; }) {
    return System::Model::stages;
  } else {
    return 0;
  }
}();

template <class System>
class GaussForce {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Mask = numerics::mask_of<R>;
  using Running = std::array<numerics::Compensated<R>, N>;

  /// Degree of the dense polynomial of q beyond the number of stages.
  static constexpr int extra_degree = 1;
  static const double* extrapolation(const GaussTables& tables) { return tables.parts.extrapolation.data(); }
  static const double* legendre(const GaussTables& tables) { return tables.parts.legendre.data(); }

  /// The unknown where nothing better is known.
  static void first_guess(const System& system, const GaussTables& tables, const R& h, const State<R, N>& x,
                          Stages<R, N>& parts) {
    const Vector a = system.acceleration(x.q, x.v, x.t);
    const GaussParts<R, N> by(tables);
    for (int i = 0; i < tables.stages; ++i) {
      for (int n = 0; n < N; ++n) parts[i][n] = by.of_constant(i, h * h * a[n]);
    }
  }
  /// What runs along with q: here the velocities themselves.
  static Vector conjugate(const System&, const State<R, N>& x) { return x.v; }
  static Vector velocity(const System&, const Vector&, const Vector& v, const Vector&, const R&) { return v; }

  /// Inverts the mass matrix, which is constant by the structure of L, so any point serves.
  void prepare(const System& system, const State<R, N>& x) {
    inverse_mass_ = numerics::inverse<R, N>(system.mass(x.q, x.v, x.t));
  }

  /// The unknown of a step h is h^2 times this at a state.
  Vector rate(const System& system, const State<R, N>& x) const {
    return apply_mass(inverse_mass_, system.force(x.q, x.t));
  }
  static R weight(const R& h) { return h * h; }
  /// From values at the stages to the unknown.
  static void from_values(const GaussTables& tables, Stages<R, N>& values) {
    const Stages<R, N> copy = values;
    GaussParts<R, N>(tables).of_stages(copy, values);
  }
  /// The velocities' error where the next Legendre coefficient of the unknown is `next`.
  static R velocity_error(int s, const R& h, const R& next) { return next * R(0.5 / (2 * s + 1)) / h; }

  /// Solves for the unknown, a guess on entry, of a step h from (t, q, v). Returns the lanes solved.
  /// A `close` guess is the step's own polynomial, for a part of it.
  Mask solve(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
             const Running& v, Stages<R, N>& parts, Mask active, bool close = false) const {
    const Step step = begin_step(system, tables, h, t, q, v);
    R scale(0.0), far(0.0);
    for (int n = 0; n < N; ++n) {
      far = numerics::larger(far, numerics::absolute(step.q[n]));
      scale = numerics::larger(scale, numerics::absolute(step.drift[n]));
      scale = numerics::larger(scale, numerics::absolute(parts[0][n]));
    }
    Convergence<R> convergence(active, close ? 0x1p-49 : 0x1p-57, 0x1p-46);
    convergence.measure_against(scale, R(0x1p-50 * N) * far);
    if constexpr (only_stages<System> != 0) {
      constexpr int s = only_stages<System>;
      iterate<(s <= 10 ? s : 0)>(step, parts, convergence, close);
    } else {
      switch (tables.stages) {
        case 6:
          iterate<6>(step, parts, convergence, close);
          break;
        case 8:
          iterate<8>(step, parts, convergence, close);
          break;
        case 10:
          iterate<10>(step, parts, convergence, close);
          break;
        default:
          iterate<0>(step, parts, convergence, close);
      }
    }
    if (any(convergence.open())) newton(step, parts, convergence);
    return convergence.converged();
  }

  /// The step's end from its solved stages.
  static void finish(const System&, const GaussTables& tables, const R& h, const R&, const Running&,
                     const Running&, const Stages<R, N>& parts, Running& q, Running& v) {
    GaussParts<R, N>(tables).finish(h, parts.data(), q, v);
  }

  /// Takes deviations over the solved step of h from (t, q, v) in these lanes (gauss_tangent.hpp).
  void tangent(const System& system, const GaussTables& tables, const R& h, const R& t, const Running& q,
               const Running& v, const Stages<R, N>& parts, Mask lanes, Deviation<R, N>* d, int count,
               numerics::Elimination<R>& elimination) const {
    const Step step = begin_step(system, tables, h, t, q, v);
    const int s = tables.stages;
    GaussTangent<R, N> map(tables, h);
    const auto look = [&](int i, const Vector& position) {
      const auto bend = system.force_derivative(position, fma(h, R(tables.c[i]), t));
      for (int n = 0; n < N; ++n) {
        for (int m = 0; m < N; ++m) {
          R& slope = map.slope(i)[n][m] = step.inverse_mass[n][0] * bend[0][m];
          for (int k = 1; k < N; ++k) slope = fma(step.inverse_mass[n][k], bend[k][m], slope);
        }
      }
    };
    const Middle m = middle(step, parts);
    for (int i = 0; i < tables.parts.odds; ++i) {
      positions<1>(step, m, parts, i, [&](int, const Vector& first, const Vector& mirrored) {
        look(i, first);
        look(s - 1 - i, mirrored);
      });
    }
    if (s % 2 != 0) look(s / 2, middle_position(step, m, parts));
    map.move(lanes, d, count, elimination);
  }

  /// How much of the last coefficients comes back through the forces: h^2 |L_qq| / (4 (2 s + 1)^2), at most.
  static constexpr double feedback = 1e-3;

  /// And how much of the dense polynomial's error an iteration leaves, with a margin.
  static constexpr double contraction = 4 * feedback;

  /// q and v at theta in [0, 1] from the Legendre coefficients g of the unknown.
  static void dense(int s, const R& h, const R& theta, const Running& q0, const Running& v0,
                    const Coefficients<R, N>& g, Vector& q, Vector& v) {
    const auto once = numerics::legendre_integrals<R, max_stages + 4>(s + 1, theta);
    Vector sum_once{}, sum_twice{};
    for (int k = 0; k < s; ++k) {
      const R twice = k == 0 ? R(0.5) * (theta * theta) : (once[k + 1] - once[k - 1]) * R(0.5 / (2 * k + 1));
      for (int n = 0; n < N; ++n) {
        sum_once[n] = fma(once[k], g[k][n], sum_once[n]);
        sum_twice[n] = fma(twice, g[k][n], sum_twice[n]);
      }
    }
    for (int n = 0; n < N; ++n) {
      v[n] = sum_once[n] / h + v0[n].value;
      q[n] = sum_twice[n] + fma(h * theta, v0[n].value, q0[n].value);
    }
  }

  /// Bernstein coefficients of q_n, of degree s + 1.
  static void bernstein(const GaussTables& tables, const R& h, int n, const Running& q0, const Running& v0,
                        const Stages<R, N>& parts, R* out) {
    const int s = tables.stages;
    std::array<std::array<R, 1>, max_stages> values{};
    std::array<std::array<R, 1>, max_stages + 2> sums;
    for (int j = 0; j < s; ++j) values[j][0] = parts[j][n];
    apply<R, 1>(tables.parts.bernstein.data(), s + 2, s, values.data(), sums.data());
    const R drift = h * v0[n].value;
    for (int k = 0; k <= s + 1; ++k) {
      out[k] = sums[k][0] + fma(R(static_cast<double>(k) / (s + 1)), drift, q0[n].value);
    }
  }

  /// Bounds on how far q_n strays from a cubic: by what the parts are beyond constant and linear ones.
  static CubicDeviation<R> bend(const GaussTables& tables, const R& h, int n, const State<R, N>& begin,
                                const State<R, N>& end, const Stages<R, N>& parts) {
    const auto& table = tables.parts;
    const R change = h * (end.v[n] - begin.v[n]);
    const R lag = fma(R(0.5) * h, begin.v[n] + end.v[n], begin.q[n] - end.q[n]);
    CubicDeviation<R> result;
    const auto add = [&](int j, const R& smooth) {
      const R rest = numerics::absolute(parts[j][n] - smooth);
      result.position = fma(R(table.bend[j]), rest, result.position);
      result.slope = fma(R(table.bend_slope[j]), rest, result.slope);
    };
    for (int j = 0; j < table.odds; ++j) add(j, R(2.0) * change);
    if (table.evens > table.odds) add(table.odds, change);
    for (int j = 0; j < table.odds; ++j) add(table.evens + j, R(24.0 * table.offset[j]) * lag);
    return result;
  }
  void take(int slot, const GaussForce& other, int lane) {
    copy_lane<R>(other.inverse_mass_, lane, inverse_mass_, slot);
  }

 private:
  struct Step {
    const System& system;
    const GaussTables& tables;
    R h, t;
    Vector q, drift;                      ///< at the beginning; drift is h v
    numerics::Matrix<R, N> inverse_mass;  ///< times h^2
  };

  [[gnu::always_inline]] Step begin_step(const System& system, const GaussTables& tables, const R& h,
                                         const R& t, const Running& q, const Running& v) const {
    Step step{system, tables, h, t, {}, {}, {}};
    for (int n = 0; n < N; ++n) {
      step.q[n] = q[n].value;
      step.drift[n] = h * v[n].value;
      for (int m = 0; m < N; ++m) step.inverse_mass[n][m] = (h * h) * inverse_mass_[n][m];
    }
    return step;
  }

  /// h^2 times the acceleration at q, stage i.
  [[gnu::always_inline]] static Vector acceleration(const Step& step, int i, const Vector& q) {
    return apply_mass(step.inverse_mass, step.system.force(q, fma(step.h, R(step.tables.c[i]), step.t)));
  }
  [[gnu::always_inline]] static Vector apply_mass(const numerics::Matrix<R, N>& inverse, const Vector& f) {
    Vector a;
    for (int n = 0; n < N; ++n) {
      if constexpr (System::diagonal_mass) {
        a[n] = inverse[n][n] * f[n];
      } else {
        a[n] = R(0.0);
        for (int m = 0; m < N; ++m) a[n] = fma(inverse[n][m], f[m], a[n]);
      }
    }
    return a;
  }

  using Middle = MiddleMotion<R, N>;
  /// S is the number of stages where the compiler shall know it, else 0.
  template <int S = 0>
  [[gnu::always_inline]] static Middle middle(const Step& step, const Stages<R, N>& parts) {
    return GaussParts<R, N, S>(step.tables).middle(step.q, step.drift, parts.data());
  }

  /// Positions of the mirrored stages i and s - 1 - i, for Block values of i, handed to `use(k, Q, Q')`.
  template <int Block, int S = 0, class Use>
  [[gnu::always_inline]] static void positions(const Step& step, const Middle& m, const Stages<R, N>& parts,
                                               int i, const Use& use) {
    const GaussParts<R, N, S> by(step.tables);
    typename GaussParts<R, N, S>::template Rows<Block> rows;
    by.add(i, parts.data(), rows);
    // The middle's motion comes last: it is the last to be known.
#pragma GCC unroll 8
    for (int k = 0; k < Block; ++k) {
      Vector first, mirrored;
      for (int n = 0; n < N; ++n) {
        const R even = rows.even[k][n] + m.q[n];
        const R odd = fma(by.offset(i + k), m.velocity[n], rows.odd[k][n]);
        first[n] = even + odd;
        mirrored[n] = even - odd;
      }
      use(k, first, mirrored);
    }
  }
  static Vector middle_position(const Step& step, const Middle& m, const Stages<R, N>& parts) {
    return GaussParts<R, N>(step.tables).position_of_middle_stage(m, parts.data());
  }

  /// Fixed-point iteration. Changes are measured on the middle's motion, which is what the stages add up to.
  template <int S>
  [[gnu::flatten, gnu::noinline]] static void iterate(const Step& step, Stages<R, N>& parts,
                                                      Convergence<R>& convergence, bool close) {
    const int s = S > 0 ? S : step.tables.stages;
    Stages<R, N> other;
    Middle m = middle<S>(step, parts);
    bool swapped = false;
    for (int iteration = 0; iteration < 24 && any(convergence.open()); ++iteration) {
      auto& renewed = swapped ? parts : other;
      sweep<S>(step, m, swapped ? other : parts, renewed, convergence);
      swapped = !swapped;
      const Middle next = middle<S>(step, renewed);
      if (close || convergence.watched(iteration)) {
        R change(0.0);
        for (int n = 0; n < N; ++n) {
          change += numerics::absolute(next.velocity[n] - m.velocity[n]);
          change += numerics::absolute(next.q[n] - m.q[n]);
        }
        if (close && iteration == 0) convergence.begin_after(change * R(1 / contraction));
        convergence.close(change);
      }
      m = next;
    }
    if (swapped) std::copy_n(other.begin(), s, parts.begin());
  }

  /// Renews the parts. Everywhere the old iterate serves: renewing block by block in place converges half as
  /// fast, since the middle's motion would be older than the rest.
  template <int S>
  [[gnu::always_inline]] static void sweep(const Step& step, const Middle& m, const Stages<R, N>& parts,
                                           Stages<R, N>& renewed, const Convergence<R>& convergence) {
    const int s = S > 0 ? S : step.tables.stages, odds = s / 2, evens = s - odds;
    const bool every = all(convergence.open());
    const auto rows = [&]<int Block>(int i) __attribute__((always_inline)) {
      const auto renew = [&](int k, const Vector& q, const Vector& q_mirrored)
          __attribute__((always_inline)) {
        const Vector a = acceleration(step, i + k, q), b = acceleration(step, s - 1 - i - k, q_mirrored);
        for (int n = 0; n < N; ++n) {
          const int even = i + k, odd = evens + i + k;
          renewed[even][n] = convergence.renewed(every, parts[even][n], a[n] + b[n]);
          renewed[odd][n] = convergence.renewed(every, parts[odd][n], a[n] - b[n]);
        }
      };
      positions<Block, S>(step, m, parts, i, renew);
    };
    constexpr int block = N > 2 ? 2 : S == 10 ? 5 : 4;
    int i = 0;
    for (; i + block <= odds; i += block) rows.template operator()<block>(i);
    for (; i < odds; ++i) rows.template operator()<1>(i);
    if (evens > odds) {
      const Vector a = acceleration(step, odds, middle_position(step, m, parts));
      for (int n = 0; n < N; ++n) renewed[odds][n] = convergence.renewed(every, parts[odds][n], a[n]);
    }
  }

  /// What did not contract: (1 - h^2 A^2 (x) M^-1 L_qq) d = h^2 F(Q)/M - a, the Hessian frozen at mid-step.
  [[gnu::noinline]] static void newton(const Step& step, Stages<R, N>& parts, Convergence<R>& convergence) {
    const auto& table = step.tables.parts;
    const int s = step.tables.stages;
    for (int i = 0; i < s; ++i) {
      for (int n = 0; n < N; ++n) {
        const auto usable = numerics::absolute(parts[i][n]) <= R(1e100);
        parts[i][n] = select(convergence.open() & !usable, R(0.0), parts[i][n]);
      }
    }
    const Vector q = middle(step, parts).q;
    const auto hessian = step.system.hessian(q, step.drift, fma(R(0.5), step.h, step.t)).qq;
    numerics::Matrix<R, N> one{}, zero{}, jacobian{};
    for (int i = 0; i < N; ++i) {
      one[i][i] = R(1.0);
      for (int j = 0; j < N; ++j) {
        for (int k = 0; k < N; ++k) {
          jacobian[i][j] = fma(step.inverse_mass[i][k], hessian[k][j], jacobian[i][j]);
        }
      }
    }
    StageNewton<R, N> solver;
    solver.factorise(step.tables, R(1.0), one, zero, jacobian);
    convergence.restart(convergence.open());
    for (int iteration = 0; iteration < 40 && any(convergence.open()); ++iteration) {
      const Middle m = middle(step, parts);
      Stages<R, N> residual, correction;
      for (int i = 0; i < table.odds; ++i) {
        positions<1>(step, m, parts, i, [&](int, const Vector& q_first, const Vector& q_mirrored) {
          const Vector a = acceleration(step, i, q_first), b = acceleration(step, s - 1 - i, q_mirrored);
          for (int n = 0; n < N; ++n) {
            const R even = parts[i][n], odd = parts[table.evens + i][n];
            residual[i][n] = a[n] - R(0.5) * (even + odd);
            residual[s - 1 - i][n] = b[n] - R(0.5) * (even - odd);
          }
        });
      }
      if (table.evens > table.odds) {
        const Vector a = acceleration(step, table.odds, middle_position(step, m, parts));
        for (int n = 0; n < N; ++n) residual[table.odds][n] = a[n] - parts[table.odds][n];
      }
      solver.solve(step.tables, residual);
      GaussParts<R, N>(step.tables).of_stages(residual, correction);
      const bool every = all(convergence.open());
      R change(0.0);
      for (int i = 0; i < s; ++i) {
        for (int n = 0; n < N; ++n) {
          change += numerics::absolute(correction[i][n]);
          parts[i][n] = convergence.renewed(every, parts[i][n], parts[i][n] + correction[i][n]);
        }
      }
      if (iteration == 0) continue;
      // A guess of zero, of what begins at rest where nothing pulls, is no measure; nor is what runs away.
      R scale(0.0), far(0.0);
      for (int n = 0; n < N; ++n) {
        far = numerics::larger(far, numerics::absolute(step.q[n]));
        scale = numerics::larger(scale, numerics::absolute(step.drift[n]));
        for (int i = 0; i < s; ++i) scale = numerics::larger(scale, numerics::absolute(parts[i][n]));
      }
      scale = select(scale <= R(1e100), scale, R(1e100));
      convergence.measure_against(scale, R(0x1p-50 * N) * far);
      convergence.close(change);
    }
  }

  numerics::Matrix<R, N> inverse_mass_{};
};

}  // namespace cotangent::integrators
