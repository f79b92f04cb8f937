// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/wall.hpp"

#include "expressions/print.hpp"
#include "formulas/loader.hpp"

namespace cotangent::formulas {

std::string source(const WallStatement& statement) {
  std::vector<std::string> names;
  std::string text =
      "#include \"formulas/wall.hpp\"\n\n"
      "namespace cotangent::formulas {\nnamespace {\nstruct Set {\n"
      "  static constexpr std::string_view name = \"\", about = \"\";\n"
      "  static constexpr int dim = " +
      std::to_string(statement.dim) + ";\n  static constexpr std::array<billiards::Parameter, " +
      std::to_string(statement.parameters) +
      "> parameters{};\n"
      "  [[gnu::always_inline]] auto operator()(const auto& q, [[maybe_unused]] const auto& p) const {\n";
  const auto unpack = [&](const std::string& letter, std::size_t count) {
    std::string list;
    for (std::size_t i = 0; i < count; ++i) {
      names.push_back(letter + std::to_string(i));
      list += (i > 0 ? ", " : "") + names.back();
    }
    if (count > 0) text += "    const auto& [" + list + "] = " + letter + ";\n";
  };
  unpack("q", static_cast<std::size_t>(statement.dim));
  unpack("p", statement.parameters);
  const expressions::Printed code = expressions::cpp({&statement.omega, 1}, names);
  for (const expressions::Part& part : code.parts)
    text += "    const auto " + part.name + " = " + part.value + ";\n";
  return text + "    return " + code.values[0] +
         ";\n  }\n};\n}  // namespace\nCOTANGENT_FORMULA_WALL(Set)\n}  // namespace cotangent::formulas\n";
}

LoadedWall load(const WallStatement& statement) {
  const Library library(source(statement));
  LoadedWall loaded{{}, library.how()};
  library.function<void(billiards::SetKind&)>("cotangent_formula_wall")(loaded.kind);
  return loaded;
}

}  // namespace cotangent::formulas
