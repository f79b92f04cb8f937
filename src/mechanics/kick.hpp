// SPDX-License-Identifier: BSD-3-Clause
// Kicks: at t = T, 2 T, 3 T ... the momenta change at once by -dV/dq, as if L had the term
// -V(q) sum_k delta(t - k T). A model that is kicked states V and T:
//   kick(q, p)       V, of coordinates and parameters
//   kick_every(p)    T > 0
// In between its motion is that of L. With L = x'^2 / 2 and V = K cos x it is the standard map.
// Reference: Chirikov, A universal instability of many-dimensional oscillator systems, Physics Reports 52
// (1979) 263, section 5.1.
#pragma once

#include <array>

#include "ad/ad.hpp"

namespace cotangent::mechanics {

template <class M>
inline constexpr bool has_kick = requires(const M& m, const std::array<double, M::dim>& q,
                                          const std::array<double, M::parameters.size()>& p) {
  m.kick(q, p);
  m.kick_every(p);
};

/// What a kick adds to the momenta, -dV/dq.
template <class M, class R, std::size_t P>
std::array<R, M::dim> impulse_at(const std::array<R, M::dim>& q, const std::array<R, P>& parameters) {
  auto result = ad::gradient_of<M::dim>(M{}.kick(ad::seed<0, M::dim, 1, 0>(q), parameters));
  for (R& component : result) component = -component;
  return result;
}

}  // namespace cotangent::mechanics
