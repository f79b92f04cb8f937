// SPDX-License-Identifier: BSD-3-Clause
// The equations of Chan's Lagrangian solver (2018) on Gauss-Lobatto nodes, the ends and the zeros of P_K'.
// Treatments, orders and what they conserve: collocation.hpp. Reference: Hairer, Lubich, Wanner (2006),
// II.1.4; V. P. Chan, The design, implementation, and applications of a novel numerical solver: the
// Lagrangian solver (master's thesis, OIST, 2018), (3.46).
#pragma once

#include "integrators/collocation.hpp"

namespace cotangent::integrators {

struct LobattoNodes {
  static constexpr NodeFamily family = NodeFamily::legendre_lobatto;
  static constexpr std::string_view name = "lobatto";
  static constexpr std::string_view about =
      "Chan's equations on Lobatto nodes, order stages, with treatment E their even part: E symmetric, "
      "energy errors bounded; A "
      "drifts";
};

template <class System>
using LobattoCollocation = CollocationOn<System, LobattoNodes>;

}  // namespace cotangent::integrators
