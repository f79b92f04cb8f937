// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "mechanics/formulas.hpp"
#include "mechanics/lagrangian.hpp"

namespace cotangent::formulas {

/// What a loaded model is told of the deck: texts and numbers that no compiler sees, and the formulas that it
/// was made of. They outlive it.
struct Labels {
  std::string_view name, about;
  std::span<const mechanics::Coordinate> coordinates;
  std::span<const mechanics::Parameter> parameters;
  const mechanics::Formulas* formulas = nullptr;  ///< of what a model states
};

}  // namespace cotangent::formulas
