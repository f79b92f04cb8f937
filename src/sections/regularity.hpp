// SPDX-License-Identifier: BSD-3-Clause
// Whether the equations of motion have one solution at a state of one lane: a mass matrix that can be
// inverted, directions of the constraints' forces that are independent.
#pragma once

#include <algorithm>
#include <cmath>

#include "integrators/any_system.hpp"

namespace cotangent::sections {

/// Factors s that bring the largest of each row of s_i |h_ij| s_j to some 1, whatever the coordinates' units
/// (Ruiz 2001); not finite where a row is zero.
template <int N>
std::array<double, N> equilibration(const std::array<std::array<double, N>, N>& h) {
  std::array<double, N> s;
  s.fill(1.0);
  for (int pass = 0; pass < 8; ++pass) {
    std::array<double, N> next;
    for (int i = 0; i < N; ++i) {
      double largest = 0;
      for (int j = 0; j < N; ++j) largest = std::max(largest, s[i] * std::abs(h[i][j]) * s[j]);
      next[i] = s[i] / std::sqrt(largest);
    }
    s = next;
  }
  return s;
}

/// Whether L_vv has a zero row or a solution beyond all proportion, in whatever units.
template <class R, int N>
bool singular_mass_matrix(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
                          int lane) {
  const auto h = system.derivatives(x).vv;
  std::array<std::array<double, N>, N> own;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) own[i][j] = numerics::lane(h[i][j], lane);
  }
  const auto s = equilibration<N>(own);
  for (int n = 0; n < N; ++n) {
    std::array<R, N> unit{};
    unit[n] = R(1.0);
    const auto column = numerics::solve<R, N>(h, unit);
    for (int i = 0; i < N; ++i) {
      if (!(std::abs(numerics::lane(column[i], lane)) / s[i] / s[n] < 1e14)) return true;
    }
  }
  return false;
}

/// Whether the direction of a constraint's force vanishes here, or is a combination of others'.
template <class R, int N>
bool dependent_constraints(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
                           int lane) {
  if (system.kind().multipliers > 0) {
    auto gradient = system.force_directions(x);  // made orthogonal, by Gram and Schmidt
    for (int k = 0; k < system.kind().multipliers; ++k) {
      double whole = 0, rest = 0;
      std::array<double, N> row;
      for (int n = 0; n < N; ++n) {
        row[n] = numerics::lane(gradient[k][n], lane);
        whole += row[n] * row[n];
      }
      for (int l = 0; l < k; ++l) {
        double along = 0, size = 0;
        for (int n = 0; n < N; ++n) {
          along += row[n] * numerics::lane(gradient[l][n], lane);
          size += numerics::lane(gradient[l][n], lane) * numerics::lane(gradient[l][n], lane);
        }
        for (int n = 0; n < N; ++n) row[n] -= along / size * numerics::lane(gradient[l][n], lane);
      }
      for (int n = 0; n < N; ++n) {
        rest += row[n] * row[n];
        numerics::set_lane(gradient[k][n], lane, row[n]);
      }
      if (!(rest > 1e-24 * whole)) return true;
    }
  }
  return false;
}

}  // namespace cotangent::sections
