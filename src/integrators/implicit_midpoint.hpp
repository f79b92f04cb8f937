// SPDX-License-Identifier: BSD-3-Clause
// The implicit midpoint rule: Gauss collocation with one stage. Order 2, symplectic and symmetric; conserves
// quadratic invariants. Reference: Hairer, Lubich, Wanner (2006), II.1.3, VI.4.
#pragma once

#include "integrators/gauss.hpp"

namespace cotangent::integrators {

template <class System>
class ImplicitMidpoint : public Gauss<System> {
 public:
  static constexpr std::string_view name = "implicit-midpoint";
  static constexpr std::string_view about =
      "implicit midpoint rule, order 2: symplectic and symmetric, conserves quadratic invariants";
  static constexpr std::array options{option::step};

  explicit ImplicitMidpoint(const MethodOptions& options) : Gauss<System>(one_stage(options)) {}

 private:
  static MethodOptions one_stage(MethodOptions options) {
    options.stages = 1;
    return options;
  }
};

}  // namespace cotangent::integrators
