// SPDX-License-Identifier: BSD-3-Clause
// A problem, ready to use: the sum of what those ask who use it. Take the narrowest part that serves.
#pragma once

#include <memory>
#include <vector>

#include "sections/arc.hpp"
#include "sections/flight.hpp"
#include "sections/manifold.hpp"
#include "sections/state_functions.hpp"
#include "sections/statement.hpp"

namespace cotangent::sections {

class Surface;

class Problem : public Statement, public StateFunctions, public Manifold, public Flights, public Arcs {
 public:
  /// The surface on which the problem's one particle moves, in three coordinates under one constraint; null
  /// where the problem is another. It lives as long as the program.
  virtual const Surface* surface() const { return nullptr; }
  /// Whether something changes the energy, so that its error is that of the balance with work.
  bool worked_on() const { return driven() || kicked(); }
};

/// The built-in models, in the order of their list.
std::vector<std::unique_ptr<Problem>> built_in_problems();

}  // namespace cotangent::sections
