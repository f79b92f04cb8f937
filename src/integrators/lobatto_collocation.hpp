// The equations of the thesis' Lagrangian solver on Gauss-Lobatto nodes, the ends and the zeros of P_K'.
// Treatments, orders and what they conserve: collocation.hpp. Reference: Hairer, Lubich, Wanner (2006),
// II.1.4.
#pragma once

#include "integrators/collocation.hpp"

namespace cotangent::integrators {

struct LobattoNodes {
  static constexpr NodeFamily family = NodeFamily::legendre_lobatto;
  static constexpr std::string_view name = "lobatto";
  static constexpr std::string_view about =
      "the thesis' equations on Lobatto nodes, order stages: treatment E symmetric, energy errors bounded; A "
      "drifts";
};

template <class System>
using LobattoCollocation = LagrangianCollocation<System, LobattoNodes>;

}  // namespace cotangent::integrators
