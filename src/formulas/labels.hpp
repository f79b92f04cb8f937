// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <string_view>

#include "mechanics/lagrangian.hpp"

namespace cotangent::formulas {

/// What a compiled model is told of the deck: texts and numbers that no compiler sees. They outlive it.
struct Labels {
  std::string_view name, about;
  std::span<const mechanics::Coordinate> coordinates;
  std::span<const mechanics::Parameter> parameters;
};

}  // namespace cotangent::formulas
