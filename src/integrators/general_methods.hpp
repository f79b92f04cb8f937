// SPDX-License-Identifier: BSD-3-Clause
// The list of methods for motion under constraints of any kind. A new one is its own file and one line here.
#pragma once

#include "integrators/chebyshev_collocation.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/lobatto_spark.hpp"
#include "integrators/make_stepper.hpp"
#include "integrators/reduced_gauss.hpp"
#include "integrators/reduced_midpoint.hpp"
#include "integrators/rk4.hpp"
#include "integrators/trapezoidal.hpp"

namespace cotangent::integrators {

/// Calls visit.operator()<Method>() for each method of the list.
template <class System, class Visit>
void for_each_general_method(const Visit& visit) {
  visit.template operator()<LobattoSpark<System>>();
  visit.template operator()<ReducedGauss<System>>();
  visit.template operator()<ChebyshevLobattoCollocation<System>>();
  visit.template operator()<LobattoCollocation<System>>();
  visit.template operator()<ReducedMidpoint<System>>();
  visit.template operator()<Trapezoidal<System>>();
  visit.template operator()<DormandPrince853<System>>();
  visit.template operator()<Rk4<System>>();
  visit.template operator()<ExplicitEuler<System>>();
}

template <class System>
std::unique_ptr<StepperFor<System>> make_general(const MethodOptions& options) {
  std::unique_ptr<StepperFor<System>> result;
  for_each_general_method<System>(MakeByName<System>{options, result});
  return result;
}

}  // namespace cotangent::integrators
