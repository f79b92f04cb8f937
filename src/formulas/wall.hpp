// SPDX-License-Identifier: BSD-3-Clause
// A wall of billiards stated by a formula: a set omega(x, p) > 0, printed as a struct like those of
// billiards/sets, compiled and loaded. The second half is what the printed source uses.
#pragma once

#include <string>
#include <vector>

#include "billiards/domain.hpp"
#include "expressions/tree.hpp"
#include "formulas/compiled_files.hpp"
#include "formulas/functions.hpp"

namespace cotangent::formulas {

/// omega's names are counted: `dim` coordinates, then as many parameters as there are.
struct WallStatement {
  int dim = 2;
  std::size_t parameters = 0;
  expressions::Tree omega;
};

/// The C++ source of a shared object that has this set.
std::string source(const WallStatement& statement);

struct LoadedWall {
  billiards::SetKind kind;  ///< without names
  std::string how;          ///< as Library::how()
};
/// The set that a statement makes. Collective.
LoadedWall load(const WallStatement& statement, const CompiledFiles& files = {});

}  // namespace cotangent::formulas

/// The one symbol that a shared object exports.
#define COTANGENT_FORMULA_WALL(Set)                                      \
  extern "C" [[gnu::visibility("default")]] void cotangent_formula_wall( \
      cotangent::billiards::SetKind& kind) {                             \
    kind = cotangent::billiards::kind_of<Set>();                         \
  }
