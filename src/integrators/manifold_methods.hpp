// SPDX-License-Identifier: BSD-3-Clause
// The list of methods for motion on a manifold, the mass matrix constant; those of general_methods.hpp suit
// it too. A new one is its own file and one line here.
#pragma once

#include "integrators/composition.hpp"
#include "integrators/constrained_symplectic_euler.hpp"
#include "integrators/lobatto_pair.hpp"
#include "integrators/make_stepper.hpp"
#include "integrators/shake.hpp"
#include "integrators/symplectic_euler.hpp"
#include "integrators/variational.hpp"

namespace cotangent::integrators {

/// Calls visit.operator()<Method>() for each method of the list.
template <class System, class Visit>
void for_each_manifold_method(const Visit& visit) {
  visit.template operator()<Rattle<System>>();
  visit.template operator()<RattleComposition<System, Suzuki4>>();
  visit.template operator()<RattleComposition<System, Yoshida4>>();
  visit.template operator()<RattleComposition<System, Yoshida6>>();
  visit.template operator()<RattleComposition<System, KahanLi6>>();
  visit.template operator()<LobattoPair<System, 3>>();
  visit.template operator()<LobattoPair<System, 4>>();
  visit.template operator()<Shake<System>>();
  visit.template operator()<ShakeTwoStep<System>>();
  visit.template operator()<Variational<System>>();
  visit.template operator()<ConstrainedSymplecticEuler<System>>();
  visit.template operator()<SymplecticEuler<System>>();
}

template <class System>
std::unique_ptr<StepperFor<System>> make_on_manifold(const MethodOptions& options) {
  std::unique_ptr<StepperFor<System>> result;
  if constexpr (motion_of<System> == MotionKind::on_manifold)
    for_each_manifold_method<System>(MakeByName<System>{options, result});
  return result;
}

}  // namespace cotangent::integrators
