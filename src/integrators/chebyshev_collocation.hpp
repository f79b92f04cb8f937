// SPDX-License-Identifier: BSD-3-Clause
// The Lagrangian solver of Chan (2018) on Chebyshev-Gauss-Lobatto nodes, c_k = (1 - cos(k pi / K)) / 2.
// Treatments, orders and what they conserve: collocation.hpp. Reference: V. P. Chan, The design,
// implementation, and applications of a novel numerical solver: the Lagrangian solver (master's thesis,
// OIST, 2018), (3.12).
#pragma once

#include "integrators/collocation.hpp"

namespace cotangent::integrators {

struct ChebyshevLobattoNodes {
  static constexpr NodeFamily family = NodeFamily::chebyshev_lobatto;
  static constexpr std::string_view name = "chebyshev-lobatto";
  static constexpr std::string_view about =
      "Chan's Lagrangian solver, order stages, their even part with treatment E: E symmetric, energy errors "
      "bounded; C likewise; A drifts";
};

template <class System>
using ChebyshevLobattoCollocation = CollocationOn<System, ChebyshevLobattoNodes>;

}  // namespace cotangent::integrators
