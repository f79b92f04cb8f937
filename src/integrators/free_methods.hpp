// SPDX-License-Identifier: BSD-3-Clause
// The list of methods for motion without constraints. A new one is its own file and one line here.
#pragma once

#include "integrators/chebyshev_collocation.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/implicit_midpoint.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/make_stepper.hpp"
#include "integrators/rk4.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "integrators/trapezoidal.hpp"

namespace cotangent::integrators {

/// Calls visit.operator()<Method>() for each method of the list.
template <class System, class Visit>
void for_each_free_method(const Visit& visit) {
  visit.template operator()<Gauss<System>>();
  visit.template operator()<ChebyshevLobattoCollocation<System>>();
  visit.template operator()<LobattoCollocation<System>>();
  visit.template operator()<DormandPrince853<System>>();
  visit.template operator()<Rk4<System>>();
  visit.template operator()<ImplicitMidpoint<System>>();
  visit.template operator()<Trapezoidal<System>>();
  visit.template operator()<StormerVerlet<System>>();
  visit.template operator()<SymplecticEuler<System>>();
  visit.template operator()<ImplicitEuler<System>>();
  visit.template operator()<ExplicitEuler<System>>();
}

template <class System>
std::unique_ptr<StepperFor<System>> make_free(const MethodOptions& options) {
  std::unique_ptr<StepperFor<System>> result;
  for_each_free_method<System>(MakeByName<System>{options, result});
  return result;
}

}  // namespace cotangent::integrators
