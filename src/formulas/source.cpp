// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/source.hpp"

#include <algorithm>
#include <iterator>

#include "expressions/print.hpp"

namespace cotangent::formulas {

namespace {

std::string joined(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  return list;
}

std::string statement(const std::string& name, const std::string& value) {
  return "    const auto " + name + " = " + value + ";\n";
}

}  // namespace

std::vector<std::string> numbered(const std::string& letter, std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

std::vector<std::string> names_of(std::span<const Argument> arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments)
    std::ranges::move(numbered(argument.letter, argument.count), std::back_inserter(names));
  return names;
}

std::string member(const std::string& name, std::span<const Argument> arguments,
                   std::span<const expressions::Tree> values, std::span<const std::string> names,
                   std::span<const Step> steps, const std::string& already) {
  std::string body;
  std::vector<std::string> heads;
  for (const Argument& argument : arguments) {
    heads.push_back("[[maybe_unused]] const auto& " + argument.letter);
    if (argument.apart && argument.count > 0)
      body += "    const auto [" + joined(numbered(argument.letter, argument.count)) +
              "] = " + argument.letter + ";\n";
  }
  body += already;
  const auto printed = [&](std::span<const expressions::Tree> trees, const std::string& prefix) {
    expressions::Printed code = expressions::cpp(trees, names, prefix);
    for (const expressions::Part& part : code.parts) body += statement(part.name, part.value);
    return std::move(code.values);
  };
  for (const Step& step : steps)
    body += statement(step.name, printed({&step.value, 1}, step.name + "_").front());
  const std::string result = joined(printed(values, "n"));
  return "  [[gnu::always_inline]] auto " + name + "(" + joined(heads) + ") const {\n" + body +
         "    return " + (values.size() > 1 ? "std::tuple(" + result + ")" : result) + ";\n  }\n";
}

std::string unit(const std::string& header, const std::string& name, const std::string& members,
                 const std::string& macro) {
  return "#include \"formulas/" + header + "\"\n\nnamespace cotangent::formulas {\nnamespace {\nstruct " +
         name + " {\n" + members + "};\n}  // namespace\n" + macro + "(" + name +
         ")\n}  // namespace cotangent::formulas\n";
}

}  // namespace cotangent::formulas
