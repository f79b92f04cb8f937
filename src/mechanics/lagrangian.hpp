// SPDX-License-Identifier: BSD-3-Clause
// What a problem is: a Lagrangian L(q, v), with parameters L(q, v, p), with explicit time L(q, v, p, t).
// A model is a struct with names and one call operator, templated on the scalar; everything else here follows
// from it by automatic differentiation: momenta L_v, forces L_q, energy v L_v - L, accelerations. A model may
// be constrained to a manifold (constraint.hpp), or roll (rolling.hpp), or feel forces that no Lagrangian has
// (applied_force.hpp); accelerations then include these and the forces of its constraints.
// Reference: Landau, Lifshitz, Mechanics, 1 to 6.
#pragma once

#include <array>
#include <concepts>
#include <limits>
#include <string_view>

#include "mechanics/applied_force.hpp"
#include "mechanics/kick.hpp"
#include "mechanics/rolling.hpp"

namespace cotangent::mechanics {

/// A generalised coordinate of a model; an angle is periodic with period 2 pi.
struct Coordinate {
  std::string_view name;
  std::string_view unit = "1";
  bool angle = false;
};

/// A parameter of a model, as `--describe` shows it.
struct Parameter {
  std::string_view name;
  double value;  ///< the default
  std::string_view meaning;
  std::string_view unit = "1";
};

template <class M>
inline constexpr bool has_domain = requires(const M& m, const std::array<double, M::dim>& q,
                                            const std::array<double, M::parameters.size()>& p) {
  m.domain(q, p);
};

template <class M, class Q, class V, class P, class T>
inline constexpr bool takes_time = std::invocable<const M&, const Q&, const V&, const P&, const T&>;

/// L of a model at coordinates and velocities that may be plain or carry derivatives.
template <class M, class Q, class V, class P, class T>
[[gnu::always_inline]] inline auto lagrangian_at(const Q& q, const V& v, [[maybe_unused]] const P& p,
                                                 [[maybe_unused]] const T& t) {
  const M model{};
  if constexpr (takes_time<M, Q, V, P, T>) {
    return model(q, v, p, t);
  } else if constexpr (std::invocable<const M&, const Q&, const V&, const P&>) {
    return model(q, v, p);
  } else {
    static_assert(std::invocable<const M&, const Q&, const V&>,
                  "a model's call operator takes (q, v), (q, v, p) or (q, v, p, t)");
    return model(q, v);
  }
}

/// A model together with its parameters' values, over the real type R; all lanes may differ in them.
template <class M, class R>
class System {
 public:
  using Model = M;
  using Real = R;
  static constexpr int dim = M::dim;
  static constexpr int parameter_count = static_cast<int>(M::parameters.size());
  using Vector = std::array<R, dim>;
  using Matrix = numerics::Matrix<R, dim>;
  static constexpr int constraints = constraint_count<M>;
  static constexpr bool constrained = constraints > 0;
  static constexpr int rolling = rolling_count<M>;
  static constexpr bool rolls = rolling > 0;
  static constexpr int multipliers = constraints + rolling;  ///< of the manifold first, then of rolling
  using Multipliers = std::array<R, multipliers>;
  using Constraint = mechanics::Constraint<R, dim, constraints>;
  using Rolling = mechanics::Rolling<R, dim, rolling>;
  static constexpr bool moving = has_moving_constraint<M>;  ///< constraints depend on time
  static constexpr bool forced = has_force<M> || has_dissipation<M>;

  std::array<R, parameter_count> parameters;

  System() {
    for (int k = 0; k < parameter_count; ++k) parameters[k] = R(M::parameters[k].value);
  }

  /// L at coordinates and velocities that may be plain or carry derivatives.
  template <class Q, class V, class T>
  [[gnu::always_inline]] auto lagrangian(const Q& q, const V& v, const T& t) const {
    return lagrangian_at<M>(q, v, parameters, t);
  }

 private:
  using Parameters = std::array<R, parameter_count>;
  using Seeded = decltype(lagrangian_at<M>(ad::seed<0, 2 * dim, 2, 0>(Vector{}),
                                           ad::seed<dim, 2 * dim, 2, 1>(Vector{}), Parameters{}, R{}));
  static constexpr auto sparsity = ad::sparsity_of<Seeded, 2 * dim>;

 public:
  static constexpr bool time_dependent = takes_time<M, Vector, Vector, Parameters, R>;
  /// L = v^T M v / 2 + f(v) - U(q, t), M constant and f linear: then M q'' = L_q(q, t) and what else acts.
  static constexpr bool constant_mass = [] {
    if (sparsity.degree > 2) return false;
    if constexpr (time_dependent) {
      constexpr int with_time = 2 * dim + 1;  // time is one more variable, the last
      using Timed = decltype(lagrangian_at<M>(ad::seed<0, with_time, 2, 0>(Vector{}),
                                              ad::seed<dim, with_time, 2, 1>(Vector{}), Parameters{},
                                              ad::variable<2 * dim, with_time, 2, 0>(R{})));
      for (int i = 0; i < dim; ++i) {
        if (ad::sparsity_of<Timed, with_time>.has_second(dim + i, 2 * dim)) return false;
      }
    }
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        if (sparsity.has_second(i, dim + j)) return false;
      }
    }
    return true;
  }();
  /// M q'' = F(q, t), M constant, but for the forces of constraints: nothing else is needed.
  static constexpr bool newtonian = constant_mass && !detail::velocities_in_force<M>();
  /// The energy isn't kept: what changes it is power().
  static constexpr bool driven = forced || moving || time_dependent || rolling_moves<M>;
  /// L_vv is diagonal by its structure.
  static constexpr bool diagonal_mass = [] {
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) {
        if (i != j && sparsity.has_second(dim + i, dim + j)) return false;
      }
    }
    return true;
  }();

  /// p' = q and p = v: L_q with what force is applied, and L_v.
  struct Gradient {
    Vector q, v;
  };

 private:
  struct Nothing {};

 public:
  /// L and its derivatives; what p' is, q and qq, has the applied force in it.
  struct Hessian {
    R value;
    Vector q, v;
    Matrix qq, qv, vv;  ///< qv[i][j] = d2L / dq_i dv_j = dp_j / dq_i
    [[no_unique_address]] std::conditional_t<forced, Matrix, Nothing> damping;  ///< the applied force by v

    /// dp'_i / dv_j
    [[gnu::always_inline]] R force_by_velocity(int i, int j) const {
      if constexpr (forced) {
        return qv[i][j] + damping[i][j];
      } else {
        return qv[i][j];
      }
    }
  };

  /// F(q, t) of newtonian motion.
  [[gnu::always_inline]] Vector force(const Vector& q, const R& t) const {
    Vector zero;
    zero.fill(R(0.0));
    Vector result = ad::gradient_of<dim>(lagrangian(ad::seed<0, dim, 1, 0>(q), zero, t));
    if constexpr (forced) {
      const Vector applied = mechanics::applied_force<M>(q, zero, parameters, t);
      for (int i = 0; i < dim; ++i) result[i] += applied[i];
    }
    return result;
  }
  /// And its derivative by q.
  [[gnu::always_inline]] Matrix force_derivative(const Vector& q, const R& t) const {
    Vector zero;
    zero.fill(R(0.0));
    Matrix result = ad::hessian_of<dim>(lagrangian(ad::seed<0, dim, 2, 0>(q), zero, t));
    if constexpr (forced) {
      const auto applied = applied_force_slopes<M>(q, zero, parameters, t);
      for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) result[i][j] += applied.q[i][j];
      }
    }
    return result;
  }
  /// What p' and p are.
  [[gnu::always_inline]] Gradient gradient(const Vector& q, const Vector& v, const R& t) const {
    const auto g = ad::gradient_of<2 * dim>(
        lagrangian(ad::seed<0, 2 * dim, 1, 0>(q), ad::seed<dim, 2 * dim, 1, 1>(v), t));
    Gradient result;
    for (int i = 0; i < dim; ++i) {
      result.q[i] = g[i];
      result.v[i] = g[dim + i];
    }
    if constexpr (forced) {
      const Vector applied = mechanics::applied_force<M>(q, v, parameters, t);
      for (int i = 0; i < dim; ++i) result.q[i] += applied[i];
    }
    return result;
  }
  /// L with all first and second derivatives, and those of p'.
  Hessian hessian(const Vector& q, const Vector& v, const R& t) const {
    Hessian result = unforced_hessian(q, v, t);
    if constexpr (forced) {
      const auto applied = applied_force_slopes<M>(q, v, parameters, t);
      for (int i = 0; i < dim; ++i) {
        result.q[i] += applied.value[i];
        for (int j = 0; j < dim; ++j) result.qq[i][j] += applied.q[i][j];
      }
      result.damping = applied.v;
    }
    return result;
  }
  /// L with all first and second derivatives alone.
  Hessian unforced_hessian(const Vector& q, const Vector& v, const R& t) const {
    const auto f = lagrangian(ad::seed<0, 2 * dim, 2, 0>(q), ad::seed<dim, 2 * dim, 2, 1>(v), t);
    const auto g = ad::gradient_of<2 * dim>(f);
    const auto h = ad::hessian_of<2 * dim>(f);
    Hessian result;
    result.value = ad::value(f);
    for (int i = 0; i < dim; ++i) {
      result.q[i] = g[i];
      result.v[i] = g[dim + i];
      for (int j = 0; j < dim; ++j) {
        result.qq[i][j] = h[i][j];
        result.qv[i][j] = h[i][dim + j];
        result.vv[i][j] = h[dim + i][dim + j];
      }
    }
    return result;
  }

  /// The mass matrix L_vv.
  Matrix mass(const Vector& q, const Vector& v, const R& t) const {
    return ad::hessian_of<dim>(lagrangian(q, ad::seed<0, dim, 2, 1>(v), t));
  }

  /// The momenta p = L_v.
  Vector momentum(const Vector& q, const Vector& v, const R& t) const { return gradient(q, v, t).v; }

  /// The energy v L_v - L.
  R energy(const Vector& q, const Vector& v, const R& t) const {
    const auto f = lagrangian(q, ad::seed<0, dim, 1, 1>(v), t);
    const auto p = ad::gradient_of<dim>(f);
    R sum = -ad::value(f);
    for (int i = 0; i < dim; ++i) sum = fma(v[i], p[i], sum);
    return sum;
  }

  /// q'' from the Euler-Lagrange equations L_vv q'' = L_q - L_vq v - L_vt, with the forces of constraints.
  Vector acceleration(const Vector& q, const Vector& v, const R& t) const {
    return equations(q, v, t).acceleration;
  }
  /// The Lagrange multipliers of the exact motion through (q, v).
  Multipliers multiplier(const Vector& q, const Vector& v, const R& t) const {
    return equations(q, v, t).multiplier;
  }

  /// The power that changes the energy, (Q - R_v) . v - L_t - sum_k lambda_k dg_k/dt: of the applied force,
  /// of an explicit time, of moving constraints; and of rolling on what moves, r = r_v v + b, - lambda b.
  R power([[maybe_unused]] const Vector& q, [[maybe_unused]] const Vector& v,
          [[maybe_unused]] const R& t) const {
    R sum(0.0);
    if constexpr (forced) {
      const Vector applied = mechanics::applied_force<M>(q, v, parameters, t);
      for (int i = 0; i < dim; ++i) sum = fma(applied[i], v[i], sum);
    }
    if constexpr (time_dependent) {
      sum -= ad::gradient<0>(lagrangian(q, v, ad::variable<0, 1, 1, 0>(t)));
    }
    if constexpr (moving || rolls) {
      const Multipliers lambda = multiplier(q, v, t);
      if constexpr (moving) {
        const auto rate = constraint_rate<M>(q, parameters, t);
        for (int k = 0; k < constraints; ++k) sum = fma(-lambda[k], rate[k], sum);
      }
      if constexpr (rolls) {
        const Rolling r = slip(q, v);
        for (int k = 0; k < rolling; ++k) {
          R still = -r.value[k];
          for (int n = 0; n < dim; ++n) still = fma(r.v[k][n], v[n], still);
          sum = fma(lambda[constraints + k], still, sum);
        }
      }
    }
    return sum;
  }

  /// g and its gradients.
  [[gnu::always_inline]] Constraint constraint(const Vector& q, const R& t) const {
    return constraint_at<M>(q, parameters, t);
  }
  [[gnu::always_inline]] Constraint constraint(const Vector& q) const requires(!moving) {
    return constraint(q, R(0.0));
  }
  /// The same as a call: where it is rare, another copy would cost more to compile than it saves.
  [[gnu::noinline]] Constraint constraint_by_call(const Vector& q, const R& t = R(0.0)) const {
    return constraint_at<M>(q, parameters, t);
  }
  /// v . grad g_k + dg_k/dt, 0 on the manifold, where `at` is the constraint at (q, t).
  std::array<R, constraints> constraint_speed(const Constraint& at, [[maybe_unused]] const Vector& q,
                                              const Vector& v, [[maybe_unused]] const R& t) const {
    std::array<R, constraints> result;
    result.fill(R(0.0));
    if constexpr (moving) result = constraint_rate<M>(q, parameters, t);
    for (int k = 0; k < constraints; ++k) {
      for (int n = 0; n < dim; ++n) result[k] = fma(at.gradient[k][n], v[n], result[k]);
    }
    return result;
  }

  Rolling slip(const Vector& q, const Vector& v) const { return rolling_at<M>(q, v, parameters); }

  /// The directions of the constraints' forces: grad g_k, then dr_k/dv.
  std::array<Vector, multipliers> force_directions([[maybe_unused]] const Vector& q,
                                                   [[maybe_unused]] const Vector& v,
                                                   [[maybe_unused]] const R& t) const {
    std::array<Vector, multipliers> result;
    if constexpr (constrained) {
      const auto gradient = constraint_by_call(q, t).gradient;
      for (int k = 0; k < constraints; ++k) result[k] = gradient[k];
    }
    if constexpr (rolls) {
      const auto slope = slip(q, v).v;
      for (int k = 0; k < rolling; ++k) result[constraints + k] = slope[k];
    }
    return result;
  }
  /// The derivative of sum_k lambda_k direction_k by the coordinates.
  Matrix force_slope([[maybe_unused]] const Vector& q, [[maybe_unused]] const Vector& v,
                     const Multipliers& lambda, [[maybe_unused]] const R& t) const {
    Matrix result{};
    if constexpr (constrained) {
      std::array<R, constraints> weight;
      for (int k = 0; k < constraints; ++k) weight[k] = lambda[k];
      result = constraint_bend<M>(q, weight, parameters, t);
    }
    if constexpr (rolls) {
      std::array<R, rolling> weight;
      for (int k = 0; k < rolling; ++k) weight[k] = lambda[constraints + k];
      const Matrix other = rolling_force_slope<M>(q, v, weight, parameters);
      for (int i = 0; i < dim; ++i) {
        for (int j = 0; j < dim; ++j) result[i][j] += other[i][j];
      }
    }
    return result;
  }

  struct Equations {
    Vector acceleration;
    Multipliers multiplier;
  };
  /// With D_k the directions: L_vv q'' = ... + sum_k lambda_k D_k, and the constraints' derivatives in time,
  /// D_k q'' + v H_k v + 2 v . grad g_t + g_tt = 0 for those of the manifold, D_k q'' + r_q v = 0 for
  /// rolling.
  Equations equations(const Vector& q, const Vector& v, const R& t) const {
    const Hessian h = hessian(q, v, t);
    Vector right = h.q;
    for (int i = 0; i < dim; ++i) {
      for (int j = 0; j < dim; ++j) right[i] = fma(-h.qv[j][i], v[j], right[i]);
    }
    if constexpr (time_dependent) {
      const auto time = ad::variable<2 * dim, 2 * dim + 1, 2, 0>(t);
      const auto f = lagrangian(q, ad::seed<dim, 2 * dim + 1, 2, 1>(v), time);
      const auto mixed = ad::hessian_of<2 * dim + 1>(f);
      for (int i = 0; i < dim; ++i) right[i] -= mixed[dim + i][2 * dim];
    }
    Equations result{numerics::solve<R, dim>(h.vv, right), {}};
    if constexpr (multipliers > 0) {
      const auto direction = force_directions(q, v, t);
      if constexpr (constrained) {
        const auto curvature = constraint_curvature<M>(q, v, parameters, t);
        for (int k = 0; k < constraints; ++k) result.multiplier[k] = curvature[k];
      }
      if constexpr (rolls) {
        const auto along = slip(q, v).q;
        for (int k = 0; k < rolling; ++k) {
          R& drift = result.multiplier[constraints + k] = R(0.0);
          for (int n = 0; n < dim; ++n) drift = fma(along[k][n], v[n], drift);
        }
      }
      std::array<Vector, multipliers> response;
      numerics::Matrix<R, multipliers> coupling{};
      for (int k = 0; k < multipliers; ++k) {
        response[k] = numerics::solve<R, dim>(h.vv, direction[k]);
        for (int n = 0; n < dim; ++n) {
          result.multiplier[k] = fma(direction[k][n], result.acceleration[n], result.multiplier[k]);
        }
        result.multiplier[k] = -result.multiplier[k];
      }
      for (int k = 0; k < multipliers; ++k) {
        for (int l = 0; l < multipliers; ++l) {
          for (int n = 0; n < dim; ++n) coupling[k][l] = fma(direction[k][n], response[l][n], coupling[k][l]);
        }
      }
      numerics::solve_in_place<R>(multipliers, coupling, result.multiplier);
      for (int k = 0; k < multipliers; ++k) {
        for (int n = 0; n < dim; ++n) {
          result.acceleration[n] = fma(result.multiplier[k], response[k][n], result.acceleration[n]);
        }
      }
    }
    return result;
  }

  /// The velocities with momenta p, by Newton's method from the guess v: one iteration where L is quadratic
  /// in them. Elsewhere a correction is halved until it brings the momenta nearer, as the guess is until it
  /// has any, and where that doesn't lead there all begins anew from rest. NaN in lanes where none are found.
  Vector velocity(const Vector& q, const Vector& p, Vector v, const R& t) const {
    const auto correction_at = [&](const Vector& at, R& missed) {
      const auto f = lagrangian(q, ad::seed<0, dim, 2, 1>(at), t);
      const auto momentum = ad::gradient_of<dim>(f);
      Vector residual;
      missed = R(0.0);
      for (int i = 0; i < dim; ++i) {
        residual[i] = p[i] - momentum[i];
        missed += numerics::absolute(residual[i]);
      }
      return numerics::solve<R, dim>(ad::hessian_of<dim>(f), residual);
    };
    R missed;
    if constexpr (sparsity.degree <= 2) {
      const Vector correction = correction_at(v, missed);
      for (int i = 0; i < dim; ++i) v[i] += correction[i];
      return v;
    } else {
      constexpr int patience = 60, most_looks = 500;
      const R never(std::numeric_limits<double>::infinity());
      R scale(0.0), least = never, off = never;  // by how much momenta miss p, and velocities the root
      for (int i = 0; i < dim; ++i) scale += numerics::absolute(p[i]);
      Vector found{}, correction{};
      auto done = scale < R(0.0);  // nowhere
      for (int look = 0; look < most_looks && !all(done); ++look) {
        const auto open = !done;
        if (look == patience) {
          least = select(open, never, least);
          for (int i = 0; i < dim; ++i) v[i] = select(open, R(0.0), v[i]);
        }
        const Vector newton = correction_at(v, missed);
        const auto nearer = open & (missed < least);
        scale = select(nearer & (least == never), scale + missed, scale);
        least = select(nearer, missed, least);
        R change(0.0), size(0.0), step(0.0);
        for (int i = 0; i < dim; ++i) {
          found[i] = select(nearer, v[i], found[i]);
          correction[i] = select(nearer, newton[i], R(0.5) * correction[i]);
          v[i] = select(least == never, R(0.5) * v[i], found[i] + correction[i]);
          change += numerics::absolute(correction[i]);
          size += numerics::absolute(found[i]);
          step += numerics::absolute(newton[i]);
        }
        off = select(nearer, step / size, off);
        done = done | ((least < never) & (change <= R(0x1p-50) * size));
      }
      const auto met = (least <= R(1e-10) * scale) | (off <= R(1e-8));
      for (int i = 0; i < dim; ++i) v[i] = select(met, found[i], R(std::numeric_limits<double>::quiet_NaN()));
      return v;
    }
  }

  static constexpr bool kicked = has_kick<M>;
  /// The velocities after a kick, of a model that has kicks.
  Vector kicked_velocity(const Vector& q, const Vector& v, const R& t) const requires kicked {
    const Vector impulse = impulse_at<M>(q, parameters);
    Vector after = numerics::solve<R, dim>(mass(q, v, t), impulse);
    for (int i = 0; i < dim; ++i) after[i] += v[i];
    if constexpr (sparsity.degree > 2) {
      Vector p = momentum(q, v, t);
      for (int i = 0; i < dim; ++i) p[i] += impulse[i];
      after = velocity(q, p, after, t);
    }
    return after;
  }
  /// The time between kicks.
  R kick_every() const requires kicked { return R(M{}.kick_every(parameters)); }

  /// The signed distance to the end of the model's domain (positive inside); 1 where it has none.
  R domain(const Vector& q) const {
    if constexpr (has_domain<M>) {
      return M{}.domain(q, parameters);
    } else {
      return R(1.0);
    }
  }
};

}  // namespace cotangent::mechanics
