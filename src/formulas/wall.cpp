// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/wall.hpp"

#include "formulas/loader.hpp"
#include "formulas/source.hpp"

namespace cotangent::formulas {

std::string source(const WallStatement& statement) {
  const Argument arguments[] = {{"q", static_cast<std::size_t>(statement.dim)}, {"p", statement.parameters}};
  return unit("Set",
              "  static constexpr std::string_view name = \"\", about = \"\";\n"
              "  static constexpr int dim = " +
                  std::to_string(statement.dim) + ";\n  static constexpr std::array<billiards::Parameter, " +
                  std::to_string(statement.parameters) + "> parameters{};\n" +
                  member("operator()", arguments, {&statement.omega, 1}, names_of(arguments)),
              "COTANGENT_FORMULA_WALL");
}

LoadedWall load(const WallStatement& statement, const CompiledFiles& files) {
  const Library library(source(statement), files);
  LoadedWall loaded{{}, library.how()};
  library.function<void(billiards::SetKind&)>("cotangent_formula_wall")(loaded.kind);
  return loaded;
}

}  // namespace cotangent::formulas
