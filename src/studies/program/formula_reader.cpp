// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/formula_reader.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/error.hpp"
#include "expressions/derivative.hpp"
#include "expressions/parser.hpp"
#include "expressions/place.hpp"
#include "studies/program/formula_model.hpp"

namespace cotangent::studies {

using expressions::Tree;

Parts::Parts(std::vector<std::string> names) : names_(std::move(names)) {
  for (std::size_t i = 0; i < names_.size(); ++i) meanings_.push_back(graph_.name(i));
}

void Parts::read(const io::Table& where) {
  for (const std::string& name : where.keys()) {
    judge_name(where, name, name, names_);
    meanings_.push_back(graph_.add(read_formula(where, name, where.text(name), names_), meanings_));
    names_.push_back(name);
  }
}

void Parts::read_what_fits(const io::Table& where) {
  for (const std::string& name : where.keys()) {
    try {
      meanings_.push_back(
          graph_.add(expressions::parse(where.text(name), expressions::Language::value, names_), meanings_));
      names_.push_back(name);
    } catch (const Error&) {  // of what isn't known here; the model has judged it
    }
  }
}

Tree Parts::substituted(const Tree& tree) const {
  expressions::Graph graph = graph_;
  return graph.tree(graph.add(tree, meanings_));
}

Tree Parts::read(const io::Table& table, const std::string& key, const std::string& text,
                 expressions::Language language) const {
  const auto parsed = [&] {
    try {
      return expressions::parse(text, language, names_);
    } catch (const Error& error) {
      throw table.error(key, error.what());
    }
  };
  const Tree own = parsed();
  judge_numbers(table, key, own, text, language, names_);
  Tree tree = substituted(own);
  judge_numbers(table, key, tree);
  const auto is_name = [](const expressions::Node& node) {
    return node.operation == expressions::Operation::name;
  };
  if (std::ranges::none_of(tree.nodes(), is_name))
    throw table.error(
        key, fmt::format("'{}' is constant: no variable is in it{}", text, expressions::marked(text, 0)));
  return tree;
}

bool varies(const Tree& tree, std::size_t names) {
  for (std::size_t i = 0; i < names; ++i) {
    if (!tree.mentions(i)) continue;
    expressions::Graph graph;
    const auto slope = expressions::derivative(graph, graph.add(tree), i);
    if (!slope) continue;
    const expressions::Node& node = graph.nodes()[*slope];
    if (node.operation != expressions::Operation::number || node.number != 0) return true;
  }
  return false;
}

FormulaReader::FormulaReader(const io::Table& table, std::vector<std::string> variables, Parameters kind)
    : table_(table), parts_({}) {
  const io::Table parameters = table.table("parameters");
  for (const std::string& name : parameters.keys()) {
    judge_name(parameters, name, name, variables);
    variables.push_back(name);
    parameters_.push_back(name);
    axes_.push_back(kind == Parameters::swept ? parameters.axis(name) : std::vector{parameters.number(name)});
    values_.push_back(axes_.back().front());
  }
  parts_ = Parts(std::move(variables));
  parts_.read(table.table("where"));
}

Tree FormulaReader::read(const io::Table& table, const std::string& key) const {
  Tree tree = parts_.substituted(read_formula(table, key, table.text(key), parts_.names()));
  judge_numbers(table, key, tree);
  return tree;
}

Tree FormulaReader::read_varying(const std::string& key, std::size_t variables) const {
  Tree tree = read(table_, key);
  for (std::size_t i = 0; i < variables; ++i)
    if (tree.mentions(i)) return tree;
  std::string list;
  for (std::size_t i = 0; i < variables; ++i) list += (i > 0 ? ", " : "") + parts_.names()[i];
  throw table_.error(key, "is constant: " + list + (variables > 1 ? " are" : " is") + " not in it" +
                              expressions::marked(table_.text(key), 0));
}

void FormulaReader::warn_of_unused(Task& task, std::size_t variables, std::span<const Tree> trees) const {
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    const auto mentions = [&](const Tree& tree) { return tree.mentions(variables + k); };
    if (std::ranges::none_of(trees, mentions))
      task.warnings.push_back(fmt::format("parameter '{}' is in no formula, {}", parameters_[k],
                                          table_.table("parameters").where(parameters_[k])));
  }
}

Error not_loaded(const io::Table& table, const std::string& key, const std::string& text,
                 const Error& error) {
  constexpr std::size_t most_shown = 500;  // characters
  return table.error(key, fmt::format("{}\n  {}", error.what(),
                                      text.size() > most_shown ? text.substr(0, most_shown) + " ..." : text));
}

formulas::CompiledFiles compiled_files(const Task& task, const io::Table& table) {
  const std::string given = table.input_file("compiled", "");
  // While it is made, it isn't read: a deck may name it before it is there.
  return {.read = task.compiled_file.empty() ? given : "", .write = task.compiled_file};
}

void note_compiled(Task& task, const std::string& how) {
  task.formulas += (task.formulas.empty() ? "" : "; ") + how;
}

}  // namespace cotangent::studies
