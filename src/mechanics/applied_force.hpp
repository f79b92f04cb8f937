// SPDX-License-Identifier: BSD-3-Clause
// Forces that no Lagrangian has: a model may state generalised forces, `force(q, v, p[, t])`, one value or a
// std::tuple of dim of them, components of a covector, and Rayleigh's function, `dissipation(q, v, p[, t])`:
//   d/dt L_v = L_q + Q - R_v.
// Their work changes the energy, dE/dt = (Q - R_v) . v - L_t.
// Reference: Goldstein, Poole, Safko, Classical Mechanics (2002), 1.5; Rayleigh, Theory of Sound (1877), 81.
#pragma once

#include "mechanics/constraint.hpp"

namespace cotangent::mechanics {

namespace detail {

template <class M, class Q, class V, class P, class T>
concept ForcedInTime = requires(const M& m, const Q& q, const V& v, const P& p, const T& t) {
  m.force(q, v, p, t);
};
template <class M, class Q, class V, class P>
concept Forced = requires(const M& m, const Q& q, const V& v, const P& p) {
  m.force(q, v, p);
};
template <class M, class Q, class V, class P, class T>
concept DissipatesInTime = requires(const M& m, const Q& q, const V& v, const P& p, const T& t) {
  m.dissipation(q, v, p, t);
};
template <class M, class Q, class V, class P>
concept Dissipates = requires(const M& m, const Q& q, const V& v, const P& p) {
  m.dissipation(q, v, p);
};

template <class M>
using PointOf = std::array<double, M::dim>;
template <class M>
using ParametersOf = std::array<double, M::parameters.size()>;

}  // namespace detail

template <class M>
inline constexpr bool has_force =
    detail::ForcedInTime<M, detail::PointOf<M>, detail::PointOf<M>, detail::ParametersOf<M>, double> ||
    detail::Forced<M, detail::PointOf<M>, detail::PointOf<M>, detail::ParametersOf<M>>;
template <class M>
inline constexpr bool has_dissipation =
    detail::DissipatesInTime<M, detail::PointOf<M>, detail::PointOf<M>, detail::ParametersOf<M>, double> ||
    detail::Dissipates<M, detail::PointOf<M>, detail::PointOf<M>, detail::ParametersOf<M>>;

namespace detail {

/// The components of a model's force as a tuple, however it states them.
template <class M, class Q, class V, class P, class T>
[[gnu::always_inline]] inline auto force_components(const Q& q, const V& v, const P& p,
                                                    [[maybe_unused]] const T& t) {
  const auto stated = [&] {
    if constexpr (ForcedInTime<M, Q, V, P, T>) {
      return M{}.force(q, v, p, t);
    } else {
      return M{}.force(q, v, p);
    }
  };
  auto force = stated();
  if constexpr (is_tuple<decltype(force)>) {
    static_assert(std::tuple_size_v<decltype(force)> == M::dim, "a model's force has dim components");
    return force;
  } else {
    static_assert(M::dim == 1, "a model's force has dim components: std::tuple(...)");
    return std::tuple(force);
  }
}

template <class M, class Q, class V, class P, class T>
[[gnu::always_inline]] inline auto dissipation_at(const Q& q, const V& v, const P& p,
                                                  [[maybe_unused]] const T& t) {
  if constexpr (DissipatesInTime<M, Q, V, P, T>) {
    return M{}.dissipation(q, v, p, t);
  } else {
    return M{}.dissipation(q, v, p);
  }
}

/// Whether a component i of a force can depend on the velocity of a coordinate j, of those that are
/// looked_at(i, j).
template <class M, class LookedAt>
constexpr bool velocities_in_force(const LookedAt& looked_at) {
  if constexpr (has_dissipation<M>) {
    return true;
  } else if constexpr (has_force<M>) {
    constexpr int n = M::dim;
    using Components =
        decltype(force_components<M>(ad::seed<0, 2 * n, 1, 0>(PointOf<M>{}),
                                     ad::seed<n, 2 * n, 1, 1>(PointOf<M>{}), ParametersOf<M>{}, 0.0));
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      for (int j = 0; j < n; ++j) {
        if (((looked_at(static_cast<int>(I), j) &&
              ad::sparsity_of<std::tuple_element_t<I, Components>, 2 * n>.depends(n + j)) ||
             ...))
          return true;
      }
      return false;
    }
    (std::make_index_sequence<static_cast<std::size_t>(n)>{});
  } else {
    return false;
  }
}
template <class M>
constexpr bool velocities_in_force() {
  return velocities_in_force<M>([](int, int) { return true; });
}

}  // namespace detail

/// Whether phase volumes may shrink by forces: one depends on the velocity along itself.
template <class M>
inline constexpr bool has_friction = detail::velocities_in_force<M>([](int i, int j) { return i == j; });

/// The applied force Q - R_v with its derivatives; `q[i][j]` is dQ_i / dq_j.
template <class R, int N>
struct AppliedForce {
  std::array<R, N> value;
  numerics::Matrix<R, N> q, v;
};

template <class M, class R, std::size_t N, class P>
std::array<R, N> applied_force(const std::array<R, N>& q, const std::array<R, N>& v, const P& p, const R& t) {
  constexpr int n = static_cast<int>(N);
  std::array<R, N> result{};
  if constexpr (has_force<M>) {
    const auto take = [&]<std::size_t... I>(const auto& force, std::index_sequence<I...>) {
      ((result[I] = R(std::get<I>(force))), ...);
    };
    take(detail::force_components<M>(q, v, p, t), std::make_index_sequence<N>{});
  }
  if constexpr (has_dissipation<M>) {
    const auto slope = ad::gradient_of<n>(detail::dissipation_at<M>(q, ad::seed<0, n, 1, 1>(v), p, t));
    for (int i = 0; i < n; ++i) result[i] -= slope[i];
  }
  return result;
}

template <class M, class R, std::size_t N, class P>
auto applied_force_slopes(const std::array<R, N>& q, const std::array<R, N>& v, const P& p, const R& t) {
  constexpr int n = static_cast<int>(N);
  AppliedForce<R, n> result{};
  if constexpr (has_force<M>) {
    const auto force =
        detail::force_components<M>(ad::seed<0, 2 * n, 1, 0>(q), ad::seed<n, 2 * n, 1, 1>(v), p, t);
    const auto one = [&](int i, const auto& component) {
      result.value[i] = R(ad::value(component));
      const auto slope = ad::gradient_of<2 * n>(component);
      for (int j = 0; j < n; ++j) {
        result.q[i][j] = R(slope[j]);
        result.v[i][j] = R(slope[n + j]);
      }
    };
    const auto each = [&]<std::size_t... I>(std::index_sequence<I...>) {
      (one(static_cast<int>(I), std::get<I>(force)), ...);
    };
    each(std::make_index_sequence<N>{});
  }
  if constexpr (has_dissipation<M>) {
    const auto f = detail::dissipation_at<M>(ad::seed<0, 2 * n, 2, 0>(q), ad::seed<n, 2 * n, 2, 1>(v), p, t);
    const auto slope = ad::gradient_of<2 * n>(f);
    const auto bend = ad::hessian_of<2 * n>(f);
    for (int i = 0; i < n; ++i) {
      result.value[i] -= slope[n + i];
      for (int j = 0; j < n; ++j) {
        result.q[i][j] -= bend[n + i][j];
        result.v[i][j] -= bend[n + i][n + j];
      }
    }
  }
  return result;
}

}  // namespace cotangent::mechanics
