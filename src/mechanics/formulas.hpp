// SPDX-License-Identifier: BSD-3-Clause
// What a model states, as trees.
#pragma once

#include <concepts>
#include <optional>
#include <vector>

#include "expressions/tree.hpp"

namespace cotangent::mechanics {

/// A model's members. Names are counted: coordinates, velocities, parameters, the time.
struct Formulas {
  expressions::Tree lagrangian;
  std::vector<expressions::Tree> constraint, rolling, force;
  std::optional<expressions::Tree> dissipation, kick, kick_every, domain;

  /// has_friction (applied_force.hpp) of what they state.
  bool friction() const {
    bool found = dissipation.has_value();
    for (std::size_t i = 0; i < force.size(); ++i) found = found || force[i].mentions(force.size() + i);
    return found;
  }
};

/// A model that was made of formulas and has them still.
template <class M>
concept MadeOfFormulas = requires {
  { M::formulas } -> std::convertible_to<const Formulas*>;
};

}  // namespace cotangent::mechanics
