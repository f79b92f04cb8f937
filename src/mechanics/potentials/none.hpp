// SPDX-License-Identifier: BSD-3-Clause
// No interaction.
#pragma once

#include "mechanics/pair_potential.hpp"

namespace cotangent::mechanics {

struct None {
  static constexpr std::string_view name = "none";
  static constexpr std::string_view about = "particles that don't see one another";
  static constexpr std::array<Parameter, 0> parameters{};
  static constexpr double usual_cut = 0.0;  ///< times scale()

  [[gnu::always_inline]] auto operator()(const auto& s, const auto&) const { return 0.0 * s; }
  static double scale(const std::array<double, 0>&) { return 1.0; }
};

}  // namespace cotangent::mechanics
