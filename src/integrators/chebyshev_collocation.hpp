// The Lagrangian solver of the thesis on Chebyshev-Gauss-Lobatto nodes, c_k = (1 - cos(k pi / K)) / 2.
// Treatments, orders and what they conserve: collocation.hpp. Reference: thesis on the Lagrangian solver,
// (3.12).
#pragma once

#include "integrators/collocation.hpp"

namespace cotangent::integrators {

struct ChebyshevLobattoNodes {
  static constexpr NodeFamily family = NodeFamily::chebyshev_lobatto;
  static constexpr std::string_view name = "chebyshev-lobatto";
  static constexpr std::string_view about =
      "the thesis' Lagrangian solver, order stages: treatment E symmetric, energy errors bounded; C "
      "likewise; A drifts";
};

template <class System>
using ChebyshevLobattoCollocation = LagrangianCollocation<System, ChebyshevLobattoNodes>;

}  // namespace cotangent::integrators
