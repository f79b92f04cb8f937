// SPDX-License-Identifier: BSD-3-Clause
// Dormand and Prince's explicit Runge-Kutta method of order 8 on the Euler-Lagrange equations, with its error
// estimate of orders 5 and 3 for step control and its dense output of order 7, which makes of twelve
// evaluations a step sixteen. The general-purpose competitor: precise over short times, drifts over long
// ones. Reference: Hairer, Norsett, Wanner (1993), II.5, II.6 and the code DOP853; V. P. Chan, The design,
// implementation, and applications of a novel numerical solver: the Lagrangian solver (master's thesis,
// OIST, 2018), (3.53), for the step.
#pragma once

#include "integrators/dormand_prince_853_tables.hpp"
#include "integrators/one_step.hpp"

namespace cotangent::integrators {

/// q over a step as y0 + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + x (F4 + (1 - x) (F5 + x F6)))))).
template <class System>
class DormandPrinceDense {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim, degree = 7;
  using Vector = std::array<R, N>;

  void bernstein(int n, const R& h, const State<R, N>& begin, const State<R, N>& end, R* out) const {
    // From the inside out; a factor x or 1 - x raises the degree by one, a constant adds to every
    // coefficient.
    const R way = end.q[n] - begin.q[n];
    const std::array<R, degree> f{way,
                                  fma(h, begin.v[n], -way),
                                  R(2.0) * way - h * (begin.v[n] + end.v[n]),
                                  high_[0][n],
                                  high_[1][n],
                                  high_[2][n],
                                  high_[3][n]};
    std::array<R, degree + 1> b{};
    for (int level = 0; level < degree; ++level) {
      const double share = 1.0 / (level + 1);
      for (int k = 0; k <= level; ++k) b[k] += f[degree - 1 - level];
      if (level % 2 == 0) {
        for (int k = level + 1; k > 0; --k) b[k] = R(k * share) * b[k - 1];
        b[0] = R(0.0);
      } else {
        for (int k = 0; k <= level; ++k) b[k] = R((level + 1 - k) * share) * b[k];
        b[level + 1] = R(0.0);
      }
    }
    for (int k = 0; k <= degree; ++k) out[k] = begin.q[n] + b[k];
  }

  /// Takes over another's steps in these lanes.
  template <class Mask>
  void take(Mask lanes, const DormandPrinceDense& other) {
    for (int k = 0; k < 4; ++k) {
      for (int n = 0; n < N; ++n) high_[k][n] = select(lanes, other.high_[k][n], high_[k][n]);
    }
  }

 private:
  friend struct DormandPrince853Formula;
  std::array<Vector, 4> high_{};
  Vector error5_q_{}, error5_v_{}, error3_q_{}, error3_v_{};
};

struct DormandPrince853Formula : PlainFormula {
  static constexpr std::string_view name = "dormand-prince-853";
  static constexpr std::string_view about =
      "Dormand-Prince 8(5,3), order 8, with step control: conserves nothing, energy drifts slowly";
  static constexpr int order = 8;
  static constexpr bool has_tangent = true;
  static constexpr bool adaptive = true;
  template <class System>
  using Dense = DormandPrinceDense<System>;

  template <class System, class R, int N, class Mask>
  [[gnu::noinline]] static Mask step(const System& system, const Motion<System>& motion, const R& h,
                                     const Beginning<R, N>& x, Mask active, Change<R, N>& change,
                                     Dense<System>& dense) {
    namespace table = dormand_prince_853;
    using Vector = std::array<R, N>;
    std::array<Vector, table::all_stages> velocity, acceleration;
    auto entry = table::a.begin();
    for (int i = 0; i < table::all_stages; ++i) {
      Vector sum_q{}, sum_v{};
      for (; entry != table::a.end() && entry->stage == i; ++entry) {
        for (int n = 0; n < N; ++n) {
          sum_q[n] = fma(R(entry->value), velocity[entry->from][n], sum_q[n]);
          sum_v[n] = fma(R(entry->value), acceleration[entry->from][n], sum_v[n]);
        }
      }
      Vector q;
      for (int n = 0; n < N; ++n) {
        q[n] = fma(h, sum_q[n], x.q[n]);
        velocity[i][n] = fma(h, sum_v[n], x.v[n]);
        if (i == table::stages) {
          change.q[n] = h * sum_q[n];
          change.y[n] = h * sum_v[n];
          dense.error3_q_[n] = sum_q[n];
          dense.error3_v_[n] = sum_v[n];
        }
      }
      acceleration[i] = motion.acceleration(system, q, velocity[i], fma(R(table::c[i]), h, x.t));
    }

    for (int n = 0; n < N; ++n) {
      for (const auto& e : table::third_order) {
        dense.error3_q_[n] = fma(R(-e.value), velocity[e.from][n], dense.error3_q_[n]);
        dense.error3_v_[n] = fma(R(-e.value), acceleration[e.from][n], dense.error3_v_[n]);
      }
      for (int i = 0; i < table::stages; ++i) {
        dense.error5_q_[n] = fma(R(table::error5[i]), velocity[i][n], dense.error5_q_[n]);
        dense.error5_v_[n] = fma(R(table::error5[i]), acceleration[i][n], dense.error5_v_[n]);
      }
      for (int k = 0; k < 4; ++k) {
        for (int i = 0; i < table::all_stages; ++i) {
          dense.high_[k][n] = fma(R(table::dense[k][i]), velocity[i][n], dense.high_[k][n]);
        }
        dense.high_[k][n] = h * dense.high_[k][n];
      }
    }
    return active;
  }

  /// The error of order 7, in units of the tolerances of q and v: h err5^2 / sqrt(err5^2 + err3^2 / 100).
  template <class Dense, class R>
  static R error(const R& h, const Dense& dense, const R& tolerance_q, const R& tolerance_v) {
    R five(0.0), three(0.0);
    for (std::size_t n = 0; n < dense.error5_q_.size(); ++n) {
      const R q5 = dense.error5_q_[n] / tolerance_q, v5 = dense.error5_v_[n] / tolerance_v;
      const R q3 = dense.error3_q_[n] / tolerance_q, v3 = dense.error3_v_[n] / tolerance_v;
      five += q5 * q5 + v5 * v5;
      three += q3 * q3 + v3 * v3;
    }
    const R both = five + R(0.01) * three;
    const R root = sqrt(both * R(2.0 * static_cast<double>(dense.error5_q_.size())));
    return select(both == R(0.0), R(0.0), numerics::absolute(h) * five / root);
  }
};

template <class System>
using DormandPrince853 = OneStep<System, DormandPrince853Formula>;

}  // namespace cotangent::integrators
