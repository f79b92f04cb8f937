// SPDX-License-Identifier: BSD-3-Clause
// Holonomic constraints g(q) = 0, one or several. A model states g alone, `constraint(q, p)`: one value, or a
// std::tuple of values; gradients and curvature follow by automatic differentiation. With multipliers lambda,
//   M q'' = L_q + sum_k lambda_k grad g_k.
// One that moves, `constraint(q, p, t)`, g(q, t) = 0, has velocities v . grad g + g_t = 0, and its force
// works: dE/dt = -sum_k lambda_k dg_k/dt at rest. Lengths measure what a constraint is off by: |g_k| / |grad
// g_k|. Reference: Leimkuhler, Reich, Simulating Hamiltonian Dynamics (2004), 7.
#pragma once

#include <array>
#include <tuple>
#include <type_traits>

#include "ad/ad.hpp"
#include "numerics/dual.hpp"

namespace cotangent::mechanics {

/// Whether a model's constraints move.
template <class M>
inline constexpr bool has_moving_constraint = requires(const M& m, const std::array<double, M::dim>& q,
                                                       const std::array<double, M::parameters.size()>& p) {
  m.constraint(q, p, 0.0);
};

template <class M>
inline constexpr bool has_constraint = has_moving_constraint<M> ||
                                       requires(const M& m, const std::array<double, M::dim>& q,
                                                const std::array<double, M::parameters.size()>& p) {
  m.constraint(q, p);
};

namespace detail {

template <class T, class = void>
inline constexpr bool is_tuple = false;
template <class T>
inline constexpr bool is_tuple<T, std::void_t<decltype(std::tuple_size<T>::value)>> = true;

/// The components of a model's constraint as a tuple, however it states them.
template <class M, class Q, class P, class T>
[[gnu::always_inline]] inline auto constraint_components(const Q& q, const P& p,
                                                         [[maybe_unused]] const T& t) {
  const auto stated = [&]() __attribute__((always_inline)) {
    if constexpr (has_moving_constraint<M>) {
      return M{}.constraint(q, p, t);
    } else {
      return M{}.constraint(q, p);
    }
  };
  auto g = stated();
  if constexpr (is_tuple<decltype(g)>) {
    return g;
  } else {
    return std::tuple(g);
  }
}

template <class M>
constexpr int count_constraints() {
  if constexpr (has_constraint<M>) {
    using Components = decltype(constraint_components<M>(std::array<double, M::dim>{},
                                                         std::array<double, M::parameters.size()>{}, 0.0));
    return static_cast<int>(std::tuple_size_v<Components>);
  } else {
    return 0;
  }
}

}  // namespace detail

using cotangent::select;

template <class M>
inline constexpr int constraint_count = detail::count_constraints<M>();

/// Constraints at a point, over the real type R.
template <class R, int N, int C>
struct Constraint {
  std::array<R, C> value;
  std::array<std::array<R, N>, C> gradient;

  /// Whether |g_k| / |grad g_k| is within a length, given squared; never where one is NaN.
  [[gnu::always_inline]] auto within(const R& length_squared) const {
    auto result = value[0] * value[0] <= length_squared * gradient_squared(0);
    for (int k = 1; k < C; ++k) {
      result = result & (value[k] * value[k] <= length_squared * gradient_squared(k));
    }
    return result;
  }
  /// The largest (g_k / |grad g_k|)^2, a length squared; NaN where one is.
  [[gnu::always_inline]] R error_squared() const {
    R worst(0.0), sum(0.0);
    for (int k = 0; k < C; ++k) {
      const R error = value[k] * value[k] / gradient_squared(k);
      if (C == 1) return error;
      worst = numerics::larger(error, worst);
      sum += error;
    }
    return select(sum == sum, worst, sum);
  }

  /// The errors squared here and at another point, and a length of 1 squared, in one unit: for one constraint
  /// what spares divisions.
  struct Errors {
    R here, there, unit;
  };
  [[gnu::always_inline]] Errors errors_squared(const Constraint& other) const {
    if constexpr (C == 1) {
      const R mine = gradient_squared(0), others = other.gradient_squared(0);
      return {value[0] * value[0] * others, other.value[0] * other.value[0] * mine, mine * others};
    } else {
      return {error_squared(), other.error_squared(), R(1.0)};
    }
  }
  /// The same by divisions where a product of gradients squared would leave the range of numbers.
  Errors errors_of_any_size(const Constraint& other) const {
    Errors errors = errors_squared(other);
    const auto measures = (errors.unit >= R(0x1p-800)) & (errors.unit <= R(0x1p800));
    if (all(measures)) return errors;
    errors.here = select(measures, errors.here, error_squared());
    errors.there = select(measures, errors.there, other.error_squared());
    errors.unit = select(measures, errors.unit, R(1.0));
    return errors;
  }

 private:
  [[gnu::always_inline]] R gradient_squared(int k) const {
    R sum = gradient[k][0] * gradient[k][0];
    for (int n = 1; n < N; ++n) sum = fma(gradient[k][n], gradient[k][n], sum);
    return sum;
  }
};

namespace detail {
/// From AD's values, one for each component.
template <class R, int N, int C, class Components, std::size_t... K>
[[gnu::always_inline]] inline Constraint<R, N, C> constraint_of(const Components& g,
                                                                std::index_sequence<K...>) {
  return {{R(ad::value(std::get<K>(g)))...}, {ad::gradient_of<N>(std::get<K>(g))...}};
}

/// The time as one more variable than n coordinates, where the constraints move.
template <class M, int n, int Order, class R>
[[gnu::always_inline]] inline auto time_beside(const R& t) {
  if constexpr (has_moving_constraint<M>) {
    return ad::variable<n, n + 1, Order, 0>(t);
  } else {
    return t;
  }
}
/// And how many variables there are then.
template <class M, int n>
inline constexpr int variables_beside = has_moving_constraint<M> ? n + 1 : n;
}  // namespace detail

/// g and its gradients.
template <class M, class R, std::size_t N, class P>
[[gnu::always_inline]] inline auto constraint_at(const std::array<R, N>& q, const P& p, const R& t) {
  constexpr int n = static_cast<int>(N), c = constraint_count<M>;
  return detail::constraint_of<R, n, c>(detail::constraint_components<M>(ad::seed<0, n, 1, 0>(q), p, t),
                                        std::make_index_sequence<c>{});
}

/// dg_k/dt at rest.
template <class M, class R, std::size_t N, class P>
auto constraint_rate(const std::array<R, N>& q, const P& p, const R& t) {
  constexpr int c = constraint_count<M>;
  std::array<R, c> result{};
  if constexpr (has_moving_constraint<M>) {
    const auto g = detail::constraint_components<M>(q, p, ad::variable<0, 1, 1, 0>(t));
    const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
      ((result[K] = R(ad::gradient<0>(std::get<K>(g)))), ...);
    };
    each(std::make_index_sequence<c>{});
  }
  return result;
}

/// v . (Hessian of g_k) v, and 2 v . grad g_t + g_tt where it moves: the second derivative along the line
/// q + s v, t + s.
template <class M, class R, std::size_t N, class P>
auto constraint_curvature(const std::array<R, N>& q, const std::array<R, N>& v, const P& p,
                          const R& t = R(0.0)) {
  constexpr int c = constraint_count<M>;
  const auto s = ad::variable<0, 1, 2, 0>(R(0.0));
  const auto line = [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple((v[I] * s + q[I])...);
  };
  const auto g = [&] {
    if constexpr (has_moving_constraint<M>) {
      return detail::constraint_components<M>(line(std::make_index_sequence<N>{}), p, s + t);
    } else {
      return detail::constraint_components<M>(line(std::make_index_sequence<N>{}), p, t);
    }
  }();
  std::array<R, c> result;
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    ((result[K] = ad::hessian_of<1>(std::get<K>(g))[0][0]), ...);
  };
  each(std::make_index_sequence<c>{});
  return result;
}

/// sum_k lambda_k (Hessian of g_k).
template <class M, class R, std::size_t N, std::size_t C, class P>
auto constraint_bend(const std::array<R, N>& q, const std::array<R, C>& lambda, const P& p, const R& t) {
  constexpr int n = static_cast<int>(N);
  const auto g = detail::constraint_components<M>(ad::seed<0, n, 2, 0>(q), p, t);
  numerics::Matrix<R, n> result{};
  const auto one = [&](const R& weight, const auto& hessian) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) result[i][j] = fma(weight, hessian[i][j], result[i][j]);
    }
  };
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    (one(lambda[K], ad::hessian_of<n>(std::get<K>(g))), ...);
  };
  each(std::make_index_sequence<C>{});
  return result;
}

/// (Hessian of g_k) v, and grad g_t where it moves: how grad g_k changes along the motion, which is also the
/// derivative of v . grad g_k + g_t by the coordinates.
template <class M, class R, std::size_t N, class P>
auto constraint_hessian_times(const std::array<R, N>& q, const std::array<R, N>& v, const P& p, const R& t) {
  constexpr int n = static_cast<int>(N), c = constraint_count<M>, all = detail::variables_beside<M, n>;
  const auto g =
      detail::constraint_components<M>(ad::seed<0, all, 2, 0>(q), p, detail::time_beside<M, n, 2>(t));
  std::array<std::array<R, N>, c> result{};
  const auto each = [&]<std::size_t... K>(std::index_sequence<K...>) {
    const auto one = [&](const auto& hessian, std::array<R, N>& product) {
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) product[i] = fma(hessian[i][j], v[j], product[i]);
        if constexpr (has_moving_constraint<M>) product[i] += hessian[i][n];
      }
    };
    (one(ad::hessian_of<all>(std::get<K>(g)), result[K]), ...);
  };
  each(std::make_index_sequence<c>{});
  return result;
}

}  // namespace cotangent::mechanics
