// SPDX-License-Identifier: BSD-3-Clause
// What a deck of study = "billiard" says: the domain, the forces, what is counted and stored.
#pragma once

#include "billiards/problem.hpp"
#include "studies/ensemble/deck.hpp"

namespace cotangent::studies {

/// The walls and what acts between them.
template <int D>
struct BilliardSetting {
  billiards::Domain<D> domain;
  std::vector<std::string> walls;         ///< names of its sets
  std::vector<std::vector<double>> axes;  ///< the values of each of its sets' parameters
  billiards::BilliardRules<D> rules;
  bool still = true;   ///< all walls are elastic and at rest
  bool rough = false;  ///< a wall throws back at random

  /// Whether it is known how neighbours part: of exact flights, between walls that aren't rough.
  bool follows_neighbours() const { return !rough && rules.stepped.step == 0; }
};
/// Reads `[domain]` and `[forces]`.
template <int D>
BilliardSetting<D> read_setting(Task& task);

extern template BilliardSetting<2> read_setting(Task& task);
extern template BilliardSetting<3> read_setting(Task& task);

template <int D>
struct BilliardPlan {
  Plan ensemble;  ///< its problem is still missing
  BilliardSetting<D> setting;
  std::vector<std::string> exits;  ///< names of the parts of the wall that let particles out
  std::int64_t surface_cells = 0;  ///< cubes along the longest side of the walls' triangulation; 0: none
};

/// Reads `[exits]`, where the deck has it: parts of the wall, whose depths become the rules'. Their names.
std::vector<std::string> read_wall_exits(Task& task, int dimension,
                                         std::vector<expressions::Expression>& depths);

/// Reads all but how the particles start.
template <int D>
BilliardPlan<D> read_billiard(Task& task);

extern template BilliardPlan<2> read_billiard(Task& task);
extern template BilliardPlan<3> read_billiard(Task& task);

/// A commented deck that runs as it is.
extern const char* const billiard_example;

}  // namespace cotangent::studies
