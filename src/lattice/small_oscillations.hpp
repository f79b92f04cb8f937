// SPDX-License-Identifier: BSD-3-Clause
// The small oscillations of a chain, from its terms' own second derivatives at rest, q = q_dot = 0. Copies of
// a term add up at a site, so that stiffness and on-site force are sums of entries of the terms' Hessians by
// how far their sites are apart. At ends that don't close, copies are missing. A fixed end's neighbour has
// all of its own where terms join neighbours alone; a free end lacks some, and moves as the formula has it
// where a missing copy would feel differences of coordinates alone.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "lattice/kernel.hpp"
#include "lattice/multiplied.hpp"

namespace cotangent::lattice {

/// v^2 / 2 - stiffness (q_n+1 - q_n)^2 / 2 - on_site q^2 / 2, as LinearChain has it; nothing where a site
/// isn't of one coordinate and of unit mass, where rest is no equilibrium of a closed chain, or where others
/// than neighbours are joined.
template <class M>
std::optional<LinearChain> small_oscillations(const std::array<double, M::parameters.size()>& p) {
  if constexpr (M::dim != 1 || constraints_of<M> != 0) {
    return std::nullopt;
  } else {
    double force = 0, mass = 0, own = 0, next = 0, other = 0;
    bool fixed_ends = true, free_ends = true;
    const auto add = [&]<class T>(const T*) {
      for (const Offset& place : T::sites)
        if (place.y != 0) return;  // no chain holds a copy
      constexpr int n = TermOf<T, M>::count;
      const std::array<double, static_cast<std::size_t>(n)> rest{};
      const auto l =
          TermOf<T, M>::lagrangian(ad::seed<0, 2 * n, 2, 0>(rest), ad::seed<n, 2 * n, 2, 1>(rest), p);
      const auto gradient = ad::gradient_of<2 * n>(l);
      const auto h = ad::hessian_of<2 * n>(l);
      for (std::size_t i = 0; i < n; ++i) {
        force += gradient[i];
        mass += h[n + i][n + i];
        for (std::size_t j = 0; j < n; ++j) {
          const int apart = T::sites[j].x - T::sites[i].x;
          if (apart == 0)
            own += h[i][j];
          else if (apart == 1)
            next += h[i][j];
          else if (apart != -1)
            other += std::abs(h[i][j]);
          other += std::abs(h[n + i][j]) + (i == j ? 0.0 : std::abs(h[n + i][n + j]));
        }
      }
      if (n == 1) return;
      const auto [first, last] = std::ranges::minmax(T::sites, {}, &Offset::x);
      fixed_ends = fixed_ends && last.x - first.x <= 1;
      free_ends = free_ends && fixed_ends;
      for (std::size_t i = 0; i < n; ++i) {
        double sum = 0, size = 0;
        for (std::size_t j = 0; j < n; ++j) {
          sum += h[i][j];
          size += std::abs(h[i][j]);
        }
        constexpr double round_off = 1e-12;
        free_ends = free_ends && h[n + i][n + i] == 0 && std::abs(sum) <= round_off * size &&
                    std::abs(gradient[i]) <= round_off * size;
      }
    };
    const auto add_all = [&]<class... T>(std::tuple<T...>*) { (add(static_cast<const T*>(nullptr)), ...); };
    add_all(static_cast<typename M::Terms*>(nullptr));
    if (!(force == 0 && mass == 1 && other == 0 && std::isfinite(own) && std::isfinite(next)))
      return std::nullopt;
    return LinearChain{next, -own - 2 * next, fixed_ends, free_ends};
  }
}

}  // namespace cotangent::lattice
