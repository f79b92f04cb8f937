// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/formula_model.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "core/names.hpp"
#include "expressions/parser.hpp"
#include "formulas/loader.hpp"

namespace cotangent::studies {

namespace {

using expressions::Tree;
using formulas::Statement;

constexpr std::size_t most_coordinates = 24, most_nodes = 20000, longest_name = 32;

}  // namespace

void judge_name(const io::Table& table, const std::string& key, const std::string& name,
                const std::vector<std::string>& taken) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || name.size() > longest_name || !std::ranges::all_of(name, fits) ||
      std::isdigit(static_cast<unsigned char>(name[0])))
    throw table.error(key, fmt::format("'{}' is no name: up to {} letters, digits and _, no digit first",
                                       name, longest_name));
  for (const char* word : {"pi", "and", "or", "not"})
    if (name == word) throw table.error(key, fmt::format("'{}' has a meaning of its own", name));
  if (name.ends_with("_dot") || name.starts_with("p_"))
    throw table.error(key, fmt::format("'{}' reads as a velocity or a momentum", name));
  if (std::ranges::count(taken, name) > 0) throw table.error(key, fmt::format("'{}' stands twice", name));
}

Tree read_formula(const io::Table& table, const std::string& key, const std::string& text,
                  const std::vector<std::string>& names) {
  try {
    Tree tree = expressions::parse(text, expressions::Language::value, names);
    if (tree.nodes().size() > most_nodes)
      throw Error(fmt::format("has {} operations; the most is {}: state it as a struct", tree.nodes().size(),
                              most_nodes));
    return tree;
  } catch (const Error& error) {
    throw table.error(key, error.what());
  }
}

std::vector<formulas::Variable> read_coordinates(const io::Table& table) {
  std::vector<formulas::Variable> all;
  std::vector<std::string> taken;
  const auto add = [&](const std::string& name, const std::string& unit) {
    judge_name(table, "coordinates", name, taken);
    taken.push_back(name);
    all.push_back({name, unit});
  };
  if (table.holds_table("coordinates")) {
    const io::Table given = table.table("coordinates");
    for (const std::string& name : given.keys()) add(name, given.text(name));
  } else {
    for (const std::string& name : table.texts("coordinates")) add(name, "1");
  }
  if (taken.empty() || taken.size() > most_coordinates)
    throw table.error("coordinates", fmt::format("must be 1 to {} names", most_coordinates));
  for (const std::string& name : table.texts("angles", {})) {
    const auto at = std::ranges::find(all, name, &formulas::Variable::name);
    if (at == all.end()) unknown_name("coordinate", name, taken, table.where("angles"));
    at->angle = true;
    if (at->unit == "1") at->unit = "rad";
  }
  return all;
}

namespace {

class Reader {
 public:
  explicit Reader(const io::Table& table) : table_(table) {}

  Statement read() {
    s_.name = table_.text("name", "formula");
    s_.about = "stated by the deck";
    s_.coordinates = read_coordinates(table_);
    read_parameters();
    const io::Table where = table_.table("where");
    for (const std::string& name : where.keys()) {
      judge_name(where, name, name, s_.names());
      s_.where.push_back({name, formula(where, name, where.text(name))});
    }
    s_.lagrangian = formula(table_, "lagrangian", table_.text("lagrangian"));
    for (std::size_t i = 0; i < s_.coordinates.size(); ++i)
      if (!depends(s_.lagrangian, s_.velocities() + i))
        throw table_.error("lagrangian", fmt::format("has no velocity {0}_dot: the mass of {0} would be zero",
                                                     s_.coordinates[i].name));
    for (const std::string& text : table_.texts("constraint", {}))
      s_.constraint.push_back(of_places(table_, "constraint", text, true));
    read_forces();
    for (const std::string& text : table_.texts("rolling", {}))
      s_.rolling.push_back(formula(table_, "rolling", text));
    if (table_.has("kick")) read_kick();
    if (table_.has("domain")) s_.domain = of_places(table_, "domain", table_.text("domain"), false);
    return std::move(s_);
  }

 private:
  void read_parameters() {
    const io::Table given = table_.table("parameters"), units = table_.table("parameter_units");
    for (const std::string& name : given.keys()) {
      judge_name(given, name, name, s_.names());
      s_.parameters.push_back({name, units.text(name, "1"), given.axis(name).front()});
    }
  }

  Tree formula(const io::Table& table, const std::string& key, const std::string& text) const {
    return read_formula(table, key, text, s_.names());
  }

  /// Generalised forces, by the names of their coordinates, and Rayleigh's function.
  void read_forces() {
    if (table_.has("force")) {
      const io::Table given = table_.table("force");
      std::vector<std::string> names;
      for (const formulas::Variable& q : s_.coordinates) names.push_back(q.name);
      for (const std::string& name : given.keys())
        if (std::ranges::count(names, name) == 0) unknown_name("coordinate", name, names, given.where(name));
      for (const std::string& name : names) s_.force.push_back(formula(given, name, given.text(name, "0")));
    }
    if (!table_.has("dissipation")) return;
    s_.dissipation = formula(table_, "dissipation", table_.text("dissipation"));
    bool any = false;
    for (std::size_t i = 0; i < s_.coordinates.size(); ++i)
      any = any || depends(*s_.dissipation, s_.velocities() + i);
    if (!any) throw table_.error("dissipation", "has no velocity: it would dissipate nothing");
  }

  /// A formula of coordinates and parameters alone, and of the time where it may be.
  Tree of_places(const io::Table& table, const std::string& key, const std::string& text, bool timed) const {
    Tree tree = formula(table, key, text);
    const std::size_t dim = s_.coordinates.size();
    for (std::size_t i = 0; i < dim; ++i)
      if (depends(tree, s_.velocities() + i))
        throw table.error(key, fmt::format("'{}' depends on a velocity", text));
    if (!timed && depends(tree, s_.time()))
      throw table.error(key, fmt::format("'{}' depends on the time", text));
    bool any = false;
    for (std::size_t i = 0; i < dim; ++i) any = any || depends(tree, i);
    if (!any) throw table.error(key, fmt::format("'{}' is constant: no coordinate is in it", text));
    return tree;
  }

  void read_kick() {
    if (!s_.constraint.empty() || !s_.rolling.empty())
      throw table_.error("kick", "is of free motion alone, without constraint and rolling");
    if (!table_.holds_table("kick"))
      throw table_.error("kick", "states V and its times: { potential = \"K*cos(x)\", every = 1.0 }");
    const io::Table given = table_.table("kick");
    s_.kick = {of_places(given, "potential", given.text("potential"), false),
               formula(given, "every", given.formula("every"))};
    for (std::size_t i = 0; i < s_.names().size(); ++i) {
      const bool constant = i >= s_.first_parameter() && i != s_.time();
      if (!constant && depends(s_.kick->every, i))
        throw given.error("every",
                          "depends on '" + s_.names()[i] + "': a number, or a formula of parameters");
    }
  }

  /// Whether a name is in a tree, or in a part that is.
  bool depends(const Tree& tree, std::size_t name) const {
    if (tree.mentions(name)) return true;
    for (std::size_t i = 0; i < s_.where.size(); ++i)
      if (tree.mentions(s_.first_part() + i) && depends(s_.where[i].value, name)) return true;
    return false;
  }

  const io::Table& table_;
  Statement s_;
};

}  // namespace

bool states_model(const Task& task) {
  return task.deck.root().has("model") && task.deck.table("model").has("lagrangian");
}

Statement read_statement(const Task& task) {
  return Reader(task.deck.table("model")).read();
}

ModelChoice read_formula_model(Task& task) {
  const Statement statement = read_statement(task);
  const io::Table method = task.deck.table("method");
  const bool one = task.deck.root().has("method") && !task.deck.root().has("methods");
  auto loaded =
      formulas::load(statement, one ? method.text("name", "") : "*",
                     {.read = task.deck.table("model").text("compiled", ""), .write = task.compiled_file});
  ModelChoice choice;
  choice.formula = std::move(loaded.problem);
  choice.problem = choice.formula.get();
  task.formulas = loaded.how;
  const io::Table parameters = task.deck.table("model").table("parameters");
  for (const auto& parameter : statement.parameters) choice.axes.push_back(parameters.axis(parameter.name));
  return choice;
}

}  // namespace cotangent::studies
