// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/field.hpp"

#include "formulas/loader.hpp"
#include "formulas/source.hpp"

namespace cotangent::formulas {

std::string source(const FieldStatement& statement) {
  const Argument arguments[] = {{"q", static_cast<std::size_t>(statement.dim)}, {"p", statement.parameters}};
  return unit("Field",
              "  static constexpr std::string_view name = \"\", about = \"\";\n"
              "  static constexpr int dim = " +
                  std::to_string(statement.dim) + ";\n  static constexpr std::array<mechanics::Parameter, " +
                  std::to_string(statement.parameters) + "> parameters{};\n" +
                  member("potential", arguments, {&statement.potential, 1}, names_of(arguments)),
              "COTANGENT_FORMULA_FIELD");
}

LoadedField load(const FieldStatement& statement, const CompiledFiles& files) {
  const Library library(source(statement), files);
  LoadedField loaded{{}, library.how()};
  library.function<void(billiards::FieldKind&)>("cotangent_formula_field")(loaded.kind);
  return loaded;
}

}  // namespace cotangent::formulas
