// SPDX-License-Identifier: BSD-3-Clause
// What deviations of a state become where it isn't a method that moves them: from (dq, dv) to (dq, dp) by
// dp = L_vq dq + L_vv dv, and back; and over a kick, q -> q, p -> p - dV/dq, by dp -> dp - V'' dq.
#pragma once

#include <span>

#include "integrators/any_system.hpp"

namespace cotangent::sections {

template <class R, int N>
using Deviations = std::span<integrators::Deviation<R, N>>;

/// The other half of each pair from dv to dp, at the state x.
template <class R, int N>
void to_momenta(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
                Deviations<R, N> deviations) {
  const auto h = system.derivatives(x);
  for (auto& d : deviations) {
    std::array<R, N> p{};
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) p[i] = fma(h.vv[i][j], d.y[j], fma(h.qv[j][i], d.q[j], p[i]));
    }
    d.y = p;
  }
}

/// And from dp to dv.
template <class R, int N>
void to_velocities(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
                   Deviations<R, N> deviations) {
  const auto h = system.derivatives(x);
  for (auto& d : deviations) {
    std::array<R, N> right = d.y;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) right[i] = fma(-h.qv[j][i], d.q[j], right[i]);
    }
    d.y = numerics::solve<R, N>(h.vv, right);
  }
}

/// Over the kick of a state x, which `kicked` is behind it; `momenta`: the pairs are (dq, dp).
template <class R, int N>
void kick(const integrators::AnySystem<R, N>& system, const integrators::State<R, N>& x,
          const integrators::State<R, N>& kicked, bool momenta, Deviations<R, N> deviations) {
  if (!momenta) to_momenta<R, N>(system, x, deviations);
  const auto bend = system.kick_slope(x.q);
  for (auto& d : deviations) {
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) d.y[i] = fma(-bend[i][j], d.q[j], d.y[i]);
    }
  }
  if (!momenta) to_velocities<R, N>(system, kicked, deviations);
}

}  // namespace cotangent::sections
