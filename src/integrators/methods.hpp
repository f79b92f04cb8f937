// SPDX-License-Identifier: BSD-3-Clause
// The list of methods. A new one is its own file and one line here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/names.hpp"
#include "integrators/chebyshev_collocation.hpp"
#include "integrators/composition.hpp"
#include "integrators/constrained_symplectic_euler.hpp"
#include "integrators/dormand_prince_853.hpp"
#include "integrators/explicit_euler.hpp"
#include "integrators/gauss.hpp"
#include "integrators/implicit_euler.hpp"
#include "integrators/implicit_midpoint.hpp"
#include "integrators/lobatto_collocation.hpp"
#include "integrators/lobatto_pair.hpp"
#include "integrators/lobatto_spark.hpp"
#include "integrators/reduced_gauss.hpp"
#include "integrators/reduced_midpoint.hpp"
#include "integrators/rk4.hpp"
#include "integrators/shake.hpp"
#include "integrators/stepper.hpp"
#include "integrators/stormer_verlet.hpp"
#include "integrators/symplectic_euler.hpp"
#include "integrators/trapezoidal.hpp"
#include "integrators/variational.hpp"

namespace cotangent::integrators {

/// What `--list` and `--describe` say of a method.
struct MethodInfo {
  std::string name, about;
  std::vector<Option> options;
  bool free = false, constrained = false, rolling = false;  ///< the kinds of motion that it suits
};

namespace detail {

/// Calls visit.operator()<Method>() for each method of motion under constraints of any kind.
template <class System, class Visit>
void for_each_general_method(const Visit& visit) {
  visit.template operator()<LobattoSpark<System>>();
  visit.template operator()<ReducedGauss<System>>();
  visit.template operator()<ReducedMidpoint<System>>();
  visit.template operator()<Trapezoidal<System>>();
  visit.template operator()<DormandPrince853<System>>();
  visit.template operator()<Rk4<System>>();
  visit.template operator()<ExplicitEuler<System>>();
}

/// The same for each method of motion on a manifold, the mass matrix constant.
template <class System, class Visit>
void for_each_constrained_method(const Visit& visit) {
  visit.template operator()<Rattle<System>>();
  visit.template operator()<RattleComposition<System, Suzuki4>>();
  visit.template operator()<RattleComposition<System, Yoshida4>>();
  visit.template operator()<RattleComposition<System, Yoshida6>>();
  visit.template operator()<RattleComposition<System, KahanLi6>>();
  visit.template operator()<LobattoPair<System, 3>>();
  visit.template operator()<LobattoPair<System, 4>>();
  visit.template operator()<LobattoSpark<System>>();
  visit.template operator()<ReducedGauss<System>>();
  visit.template operator()<Shake<System>>();
  visit.template operator()<ShakeTwoStep<System>>();
  visit.template operator()<Variational<System>>();
  visit.template operator()<ConstrainedSymplecticEuler<System>>();
  visit.template operator()<ReducedMidpoint<System>>();
  visit.template operator()<Trapezoidal<System>>();
  visit.template operator()<DormandPrince853<System>>();
  visit.template operator()<Rk4<System>>();
  visit.template operator()<SymplecticEuler<System>>();
  visit.template operator()<ExplicitEuler<System>>();
}

/// Calls visit.operator()<Method>() for each method that suits the system.
template <class System, class Visit>
void for_each_method(const Visit& visit) {
  if constexpr (System::rolls || (System::constrained && !System::constant_mass)) {
    for_each_general_method<System>(visit);
  } else if constexpr (System::constrained) {
    for_each_constrained_method<System>(visit);
  } else {
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
}

}  // namespace detail

/// The names of the methods that suit the system.
template <class System>
std::vector<std::string> method_names() {
  std::vector<std::string> names;
  detail::for_each_method<System>([&]<class Method>() { names.emplace_back(Method::name); });
  return names;
}

/// The method of this name over a system. Throws an Error where there is none.
template <class System>
std::unique_ptr<Stepper<System>> make_stepper(const MethodOptions& options) {
  std::unique_ptr<Stepper<System>> result;
  detail::for_each_method<System>([&]<class Method>() {
    if (Method::name == options.name) result = std::make_unique<StepperOf<System, Method>>(options);
  });
  if (!result) unknown_name("method", options.name, method_names<System>(), "");
  return result;
}

/// All methods, in the order of the list.
std::vector<MethodInfo> method_list();

}  // namespace cotangent::integrators
