// SPDX-License-Identifier: BSD-3-Clause
#include "studies/ensemble/section.hpp"

#include "expressions/place.hpp"
#include "studies/program/formula_reader.hpp"

namespace cotangent::studies {

namespace {

/// A formula of the parameters alone.
expressions::Expression of_parameters(const io::Table& table, const char* key, const std::string& text,
                                      const sections::Statement& statement) {
  std::vector<std::string> names;
  for (const auto& parameter : statement.parameters()) names.push_back(parameter.name);
  try {
    return expressions::Expression::parse(text, names);
  } catch (const Error& e) {
    throw table.error(key, e.what());
  }
}

/// A formula of states. One that would be one if it weren't of time, too, is told of sections in time.
expressions::Tree of_states(const Parts& parts, const io::Table& table, const std::string& key,
                            const std::string& text, expressions::Language language) {
  const auto parses = [&](const std::vector<std::string>& names) {
    try {
      expressions::parse(text, language, names);
      return true;
    } catch (const Error&) {
      return false;
    }
  };
  std::vector<std::string> with_time = parts.names();
  with_time.emplace_back("t");
  if (!parses(parts.names()) && parses(with_time))
    throw table.error(key, "'" + text +
                               "' is of states and time: a section is of states, or in time alone, "
                               "where = \"t\" with every = \"...\"");
  return parts.read(table, key, text, language);
}

}  // namespace

std::optional<sections::Section> read_section(Task& task, const sections::Statement& statement) {
  if (!task.deck.root().has("section")) return std::nullopt;
  const io::Table table = task.deck.table("section");
  Parts parts(statement.variable_names());
  parts.read_what_fits(task.deck.table("model").table("where"));
  sections::Section section;
  const std::string where = table.text("where");
  const auto coordinates = statement.coordinates();
  for (int k = 0; k < statement.dim(); ++k) {
    if (coordinates[static_cast<std::size_t>(k)].name == where) section.coordinate = k;
  }
  if (section.coordinate < 0 && where == "t") {
    section.strobe = {of_parameters(table, "every", table.formula("every"), statement),
                      of_parameters(table, "value", table.formula("value", "0"), statement)};
    table.choice("direction", "up", {"up"});
  } else if (table.has("every")) {
    throw table.error("every", "is of a section in time alone, where = \"t\"" +
                                   std::string(where == "t" ? "; here t is a coordinate" : ""));
  } else if (section.coordinate < 0) {
    const auto tree = of_states(parts, table, "where", where, expressions::Language::value);
    if (!varies(tree, static_cast<std::size_t>(3 * statement.dim())))
      throw table.error("where", "is constant: it depends on no coordinate, velocity or momentum" +
                                     expressions::marked(where, 0));
    section.expression = expressions::Expression(where, tree);
  }
  if (!section.strobe) {
    section.value = table.number("value", 0.0);
    const std::string direction = table.choice("direction", "up", {"up", "down", "both"});
    section.direction = direction == "up" ? 1 : direction == "down" ? -1 : 0;
  }
  if (table.has("condition")) {
    const std::string condition = table.text("condition");
    section.condition = expressions::Condition(
        condition, of_states(parts, table, "condition", condition, expressions::Language::condition));
  }
  return section;
}

}  // namespace cotangent::studies
