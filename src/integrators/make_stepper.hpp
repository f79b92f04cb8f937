// SPDX-License-Identifier: BSD-3-Clause
// A method by its name. The three lists are templates declared here and defined in headers of their own, so
// that a model may be compiled list by list, and a source that needs one method compiles that one alone. A
// source that includes methods.hpp has them all.
#pragma once

#include <memory>

#include "core/names.hpp"
#include "integrators/method_list.hpp"
#include "integrators/stepper.hpp"

namespace cotangent::integrators {

/// The kind of motion that a system has.
template <class System>
constexpr MotionKind motion_of = System::rolls || System::moving ||
                                         (System::constrained && !System::newtonian)
                                     ? MotionKind::general
                                 : System::constrained ? MotionKind::on_manifold
                                                       : MotionKind::free;

/// One constraint is solved for by operations that wait for one another: two registers then advance in little
/// more time than one.
template <class Model>
constexpr int lanes_of =
    (mechanics::System<Model, double>::constraints == 1 ? 2 : 1) * numerics::native_width;

/// A model over as many trajectories as advance at once.
template <class Model>
using PackedSystem = mechanics::System<Model, numerics::Lanes<lanes_of<Model>>>;

template <class System>
using StepperFor = Stepper<typename System::Real, System::dim>;

/// A method of the list over a system, null where the list has none of this name.
template <class System>
std::unique_ptr<StepperFor<System>> make_free(const MethodOptions& options);  // free_methods.hpp
template <class System>
std::unique_ptr<StepperFor<System>> make_on_manifold(const MethodOptions& options);  // manifold_methods.hpp
template <class System>
std::unique_ptr<StepperFor<System>> make_general(const MethodOptions& options);  // general_methods.hpp

/// The method of this name over a system. Throws an Error where there is none.
template <class System>
std::unique_ptr<StepperFor<System>> make_stepper(const MethodOptions& options) {
  constexpr MotionKind motion = motion_of<System>;
  std::unique_ptr<StepperFor<System>> result;
  if constexpr (motion == MotionKind::free) {
    result = make_free<System>(options);
  } else {
    if constexpr (motion == MotionKind::on_manifold) result = make_on_manifold<System>(options);
    if (!result) result = make_general<System>(options);
  }
  if (!result) unknown_name("method", options.name, method_names(motion), "");
  return result;
}

/// Whether a method is compiled for a system: each is, unless the model's struct names one alone as its
/// `method`, or by an empty name that of its motion by default.
template <class System, class Method>
constexpr bool is_compiled = [] {
  if constexpr (requires { System::Model::method; }) {
    constexpr std::string_view chosen = System::Model::method;
    return Method::name == (chosen.empty() ? default_method(motion_of<System>) : chosen);
  } else {
    return true;
  }
}();

/// One that visits a list's methods and makes that of the options' name.
template <class System>
struct MakeByName {
  const MethodOptions& options;
  std::unique_ptr<StepperFor<System>>& result;

  template <class Method>
  void operator()() const {
    if constexpr (is_compiled<System, Method>) {
      if (Method::name == options.name) result = std::make_unique<StepperOf<System, Method>>(options);
    }
  }
};

}  // namespace cotangent::integrators
