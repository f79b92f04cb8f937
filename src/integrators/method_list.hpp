// SPDX-License-Identifier: BSD-3-Clause
// What the methods are called and say of themselves, without one of them compiled.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "integrators/options.hpp"

namespace cotangent::integrators {

/// What `--list` and `--describe` say of a method.
struct MethodInfo {
  std::string name, about;
  std::vector<Option> options;
  bool free = false, constrained = false, rolling = false;  ///< the kinds of motion that it suits
  bool tangent = false;                                     ///< whether it has a tangent map (chaos)
  double (*least_tolerance)(int stages) = nullptr;          ///< that it can keep, where it says so
};

/// All methods, in the order of the list.
std::vector<MethodInfo> method_list();

/// Kinds of motion, by what a method must be able to do.
enum class MotionKind {
  free,         ///< no constraints
  on_manifold,  ///< holonomic constraints, the mass matrix constant
  general       ///< constraints of any kind, any Lagrangian
};

constexpr std::string_view default_method(MotionKind motion) {
  return motion == MotionKind::free          ? "gauss"
         : motion == MotionKind::on_manifold ? "rattle"
                                             : "lobatto-spark";
}

/// The names of the methods that suit a kind of motion; the first is its default.
std::vector<std::string> method_names(MotionKind motion);

}  // namespace cotangent::integrators
