// The list of methods. A new one is its own file and one line here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/names.hpp"
#include "integrators/gauss.hpp"
#include "integrators/stepper.hpp"

namespace cotangent::integrators {

/// What `--list` and `--describe` say of a method.
struct MethodInfo {
  std::string name, about;
};

namespace detail {

/// Calls visit.operator()<Method>() for each method.
template <class System, class Visit>
void for_each_method(const Visit& visit) {
  visit.template operator()<Gauss<System>>();
}

}  // namespace detail

/// The method of this name over a system. Throws an Error where there is none.
template <class System>
std::unique_ptr<Stepper<System>> make_stepper(const MethodOptions& options) {
  std::unique_ptr<Stepper<System>> result;
  std::vector<std::string> names;
  detail::for_each_method<System>([&]<class Method>() {
    names.emplace_back(Method::name);
    if (Method::name == options.name) result = std::make_unique<StepperOf<System, Method>>(options);
  });
  if (!result) unknown_name("method", options.name, names, "");
  return result;
}

/// All methods, in the order of the list.
std::vector<MethodInfo> method_list();

}  // namespace cotangent::integrators
