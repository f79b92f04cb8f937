// SPDX-License-Identifier: BSD-3-Clause
// What one-step methods ask of a Lagrangian, each compiled once for a model and a width: accelerations,
// velocities from momenta, and the implicit equation that the Euler methods and their compositions share,
//   p + kick h F(Q, v) = L_v(Q, v),   Q = q + drift h v,   kick and drift 0 or 1,   F = L_q + what is
//   applied,
// solved for v by Newton's method: symplectic Euler (1, 0), its adjoint (0, 1), implicit Euler (1, 1).
// Reference: Hairer, Lubich, Wanner (2006), VI.6.2; Marsden, West, Acta Numerica 10 (2001) 357, 2.3.
#pragma once

#include "integrators/method.hpp"
#include "integrators/newton.hpp"

namespace cotangent::integrators {

template <class System>
class Motion {
 public:
  using R = typename System::Real;
  static constexpr int N = System::dim;
  using Vector = std::array<R, N>;
  using Matrix = numerics::Matrix<R, N>;
  using Mask = numerics::mask_of<R>;
  using Gradient = typename System::Gradient;

  static constexpr bool constant_mass = System::constant_mass, newtonian = System::newtonian;

  Motion() = default;
  /// The same over dual numbers.
  template <class Other>
  explicit Motion(const Motion<Other>& other) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) inverse_mass_[i][j] = R(other.inverse_mass_[i][j]);
    }
  }

  /// Inverts the mass matrix where it is constant; any point serves.
  void prepare(const System& system, const State<R, N>& x) {
    if constexpr (constant_mass) inverse_mass_ = numerics::inverse<R, N>(system.mass(x.q, x.v, x.t));
  }

  [[gnu::noinline]] Vector acceleration(const System& system, const Vector& q, const Vector& v,
                                        const R& t) const {
    if constexpr (newtonian && System::multipliers == 0) {
      return free_acceleration(system, q, t);
    } else {
      return system.acceleration(q, v, t);
    }
  }
  /// M^-1 F(q, t) of newtonian motion, without constraints.
  [[gnu::always_inline]] Vector free_acceleration(const System& system, const Vector& q, const R& t) const {
    return over_mass(system.force(q, t));
  }
  /// M^-1 f
  [[gnu::always_inline]] Vector over_mass(const Vector& f) const {
    Vector a;
    for (int i = 0; i < N; ++i) {
      if constexpr (System::diagonal_mass) {
        a[i] = inverse_mass_[i][i] * f[i];
      } else {
        a[i] = inverse_mass_[i][0] * f[0];
        for (int j = 1; j < N; ++j) a[i] = fma(inverse_mass_[i][j], f[j], a[i]);
      }
    }
    return a;
  }

  [[gnu::noinline]] static Gradient gradient(const System& system, const Vector& q, const Vector& v,
                                             const R& t) {
    return system.gradient(q, v, t);
  }
  [[gnu::noinline]] static Vector velocity(const System& system, const Vector& q, const Vector& p,
                                           const Vector& guess, const R& t) {
    return system.velocity(q, p, guess, t);
  }

  /// Solves the equation above for v, a guess on entry; t is the time of (Q, v). Returns the lanes solved.
  [[gnu::noinline]] static Mask solve(const System& system, double kick, double drift, const R& h, const R& t,
                                      const Vector& q, const Vector& p, Vector& v, Mask active) {
    const R a = R(kick) * h, b = R(drift) * h;
    const auto speed = [&] {
      R sum(0.0);
      for (int i = 0; i < N; ++i) sum += numerics::absolute(v[i]);
      return sum;
    };
    // Positions that the velocities move round, too.
    const auto noise = [&] { return drift == 0 ? R(0.0) : sum_of_sizes(q) / numerics::absolute(h); };
    return newton<R>(
        active, 30, [&](Mask open) { return correct(system, a, b, t, q, p, v, open); }, speed, noise);
  }

 private:
  template <class Other>
  friend class Motion;

  /// One Newton correction of v in the open lanes; returns its size.
  [[gnu::noinline]] static R correct(const System& system, const R& a, const R& b, const R& t,
                                     const Vector& q, const Vector& p, Vector& v, Mask open) {
    Vector position;
    for (int i = 0; i < N; ++i) position[i] = fma(b, v[i], q[i]);
    const auto at = system.hessian(position, v, t);
    Matrix jacobian;
    Vector correction;
    for (int i = 0; i < N; ++i) {
      correction[i] = fma(a, at.q[i], p[i] - at.v[i]);
      for (int j = 0; j < N; ++j) {
        jacobian[i][j] =
            fma(b, at.qv[j][i], fma(-a, fma(b, at.qq[i][j], at.force_by_velocity(i, j)), at.vv[i][j]));
      }
    }
    numerics::solve_in_place<R>(N, jacobian, correction);
    R change(0.0);
    for (int i = 0; i < N; ++i) {
      change += numerics::absolute(correction[i]);  // a sum, for a NaN to show
      v[i] = select(open, v[i] + correction[i], v[i]);
    }
    return change;
  }

  Matrix inverse_mass_{};
};

}  // namespace cotangent::integrators
