// SPDX-License-Identifier: BSD-3-Clause
// Whether the equations of motion have one solution at a state of one lane: a mass matrix that can be
// inverted, directions of the constraints' forces that are independent.
#pragma once

#include <algorithm>
#include <cmath>

#include "integrators/any_system.hpp"

namespace cotangent::sections {

/// Whether L_vv has a zero row or a solution beyond all proportion.
template <class R, int N>
bool singular_mass_matrix(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
                          int lane) {
  const auto h = system.derivatives(x).vv;
  double largest = 0;
  for (const auto& row : h) {
    for (const auto& entry : row) largest = std::max(largest, std::abs(numerics::lane(entry, lane)));
  }
  for (int n = 0; n < N; ++n) {
    std::array<R, N> unit{};
    unit[n] = R(1.0);
    const auto column = numerics::solve<R, N>(h, unit);
    for (const auto& entry : column) {
      const double x_n = numerics::lane(entry, lane);
      if (!(std::abs(x_n) * largest < 1e14)) return true;
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
