// SPDX-License-Identifier: BSD-3-Clause
// Nonholonomic constraints r(q, v) = 0, linear in the velocities: rolling without slipping, a knife edge, a
// skate. A model states r alone, `rolling(q, v, p)`: one value, or a std::tuple of values; all derivatives
// follow by automatic differentiation. By Lagrange and d'Alembert their forces do no work along velocities
// that they allow:
//   d/dt L_v = L_q + sum_k lambda_k dr_k/dv,   r_k(q, v) = 0.
// What a body rolls on may move, r = r_v v + b; their forces then work, dE/dt = -sum_k lambda_k b_k, and the
// model says so: `static constexpr bool rolling_moves = true;`. Speeds measure what a constraint is off by:
// |r_k| / |dr_k/dv|. Reference: Bloch, Nonholonomic Mechanics and Control (2003), 1.3 and 5.2.
#pragma once

#include "mechanics/constraint.hpp"

namespace cotangent::mechanics {

template <class M>
inline constexpr bool has_rolling = requires(const M& m, const std::array<double, M::dim>& q,
                                             const std::array<double, M::parameters.size()>& p) {
  m.rolling(q, q, p);
};

/// Whether a model rolls on what moves.
template <class M>
inline constexpr bool rolling_moves = [] {
  if constexpr (requires { M::rolling_moves; }) return M::rolling_moves;
  return false;
}();

namespace detail {

/// The components of a model's rolling conditions as a tuple, however it states them.
template <class M, class Q, class V, class P>
[[gnu::always_inline]] inline auto rolling_components(const Q& q, const V& v, const P& p) {
  auto r = M{}.rolling(q, v, p);
  if constexpr (is_tuple<decltype(r)>) {
    return r;
  } else {
    return std::tuple(r);
  }
}

/// Whether no second derivative by velocities, the last N of 2 N variables, can be other than zero.
template <int N, class T>
constexpr bool linear_in_velocities() {
  for (int i = N; i < 2 * N; ++i) {
    for (int j = N; j < 2 * N; ++j) {
      if (ad::sparsity_of<T, 2 * N>.has_second(i, j)) return false;
    }
  }
  return true;
}

template <class M>
constexpr int count_rolling() {
  if constexpr (has_rolling<M>) {
    using Point = std::array<double, M::dim>;
    using Components =
        decltype(rolling_components<M>(Point{}, Point{}, std::array<double, M::parameters.size()>{}));
    return static_cast<int>(std::tuple_size_v<Components>);
  } else {
    return 0;
  }
}

}  // namespace detail

template <class M>
inline constexpr int rolling_count = detail::count_rolling<M>();

/// Rolling conditions at a state, over the real type R.
template <class R, int N, int C>
struct Rolling {
  std::array<R, C> value;
  std::array<std::array<R, N>, C> q, v;  ///< the derivatives by coordinates and by velocities

  /// The largest (r_k / |dr_k/dv|)^2, a speed squared; NaN where one is.
  R error_squared() const {
    R worst(0.0), sum(0.0);
    for (int k = 0; k < C; ++k) {
      R size(0.0);
      for (int n = 0; n < N; ++n) size = fma(v[k][n], v[k][n], size);
      const R error = value[k] * value[k] / size;
      worst = numerics::larger(error, worst);
      sum += error;
    }
    return select(sum == sum, worst, sum);
  }
};

/// r and its first derivatives.
template <class M, class R, std::size_t N, class P>
auto rolling_at(const std::array<R, N>& q, const std::array<R, N>& v, const P& p) {
  constexpr int n = static_cast<int>(N), c = rolling_count<M>;
  const auto r = detail::rolling_components<M>(ad::seed<0, 2 * n, 1, 0>(q), ad::seed<n, 2 * n, 1, 1>(v), p);
  Rolling<R, n, c> result;
  const auto one = [&](int k, const auto& component) {
    static_assert(detail::linear_in_velocities<n, std::decay_t<decltype(component)>>(),
                  "rolling(q, v, p) must be linear in the velocities");
    result.value[k] = R(ad::value(component));
    const auto gradient = ad::gradient_of<2 * n>(component);
    for (int i = 0; i < n; ++i) {
      result.q[k][i] = gradient[i];
      result.v[k][i] = gradient[n + i];
    }
  };
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    (one(static_cast<int>(K), std::get<K>(r)), ...);
  };
  each(std::make_index_sequence<c>{});
  return result;
}

/// d/dq_m of sum_k lambda_k dr_k/dv_n, row n: how the constraints' forces change along the coordinates.
template <class M, class R, std::size_t N, std::size_t C, class P>
auto rolling_force_slope(const std::array<R, N>& q, const std::array<R, N>& v, const std::array<R, C>& lambda,
                         const P& p) {
  constexpr int n = static_cast<int>(N);
  static_assert(C == rolling_count<M>);
  const auto r = detail::rolling_components<M>(ad::seed<0, 2 * n, 2, 0>(q), ad::seed<n, 2 * n, 2, 1>(v), p);
  numerics::Matrix<R, n> slope{};
  const auto one = [&](const R& weight, const auto& component) {
    const auto hessian = ad::hessian_of<2 * n>(component);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) slope[i][j] = fma(weight, hessian[n + i][j], slope[i][j]);
    }
  };
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    (one(lambda[K], std::get<K>(r)), ...);
  };
  each(std::make_index_sequence<C>{});
  return slope;
}

}  // namespace cotangent::mechanics
