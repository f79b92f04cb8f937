// SPDX-License-Identifier: BSD-3-Clause
// A field of billiards stated by a formula: a potential U(x, p), printed as a struct like those of
// billiards/fields, compiled and loaded. The second half is what the printed source uses.
#pragma once

#include <string>

#include "billiards/field_of.hpp"
#include "expressions/tree.hpp"
#include "formulas/compiled_files.hpp"
#include "formulas/functions.hpp"

namespace cotangent::formulas {

/// The potential's names are counted: `dim` coordinates, then as many parameters as there are.
struct FieldStatement {
  int dim = 2;
  std::size_t parameters = 0;
  expressions::Tree potential;
};

/// The C++ source of a shared object that has this field.
std::string source(const FieldStatement& statement);

struct LoadedField {
  billiards::FieldKind kind;  ///< without names
  std::string how;            ///< as Library::how()
};
/// The field that a statement makes. Collective.
LoadedField load(const FieldStatement& statement, const CompiledFiles& files = {});

}  // namespace cotangent::formulas

/// The one symbol that a shared object exports.
#define COTANGENT_FORMULA_FIELD(U)                                        \
  extern "C" [[gnu::visibility("default")]] void cotangent_formula_field( \
      cotangent::billiards::FieldKind& kind) {                            \
    kind = cotangent::billiards::field_kind_of<U>();                      \
  }
