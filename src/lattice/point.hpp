// SPDX-License-Identifier: BSD-3-Clause
// What many models have: a unit mass at each site that moves in one coordinate.
#pragma once

#include "lattice/term.hpp"

namespace cotangent::lattice {

struct UnitMass {
  static constexpr std::string_view name = "site";
  static constexpr std::array<Offset, 1> sites{{{0, 0}}};

  [[gnu::always_inline]] auto operator()(const auto&, const auto& v, const auto&) const {
    const auto [q_dot] = v;
    return 0.5 * ad::square(q_dot);
  }
};

/// -(q_b - q_a)^2 / (2 spacing^2) along (X, Y): the discrete gradient of a field; spacing is the first
/// parameter.
template <int X, int Y>
struct Gradient {
  static constexpr std::string_view name = X != 0 ? "bond" : "bond-across";
  static constexpr std::array<Offset, 2> sites{{{0, 0}, {X, Y}}};

  [[gnu::always_inline]] auto operator()(const auto& q, const auto&, const auto& p) const {
    const auto [a, b] = q;
    return ad::square(b - a) * (-0.5 / (p[0] * p[0]));
  }
};

}  // namespace cotangent::lattice
