// SPDX-License-Identifier: BSD-3-Clause
#include "studies/program/formula_reader.hpp"

#include <algorithm>

#include "studies/program/formula_model.hpp"

namespace cotangent::studies {

using expressions::Tree;

FormulaReader::FormulaReader(const io::Table& table, std::vector<std::string> variables)
    : table_(table), names_(std::move(variables)) {
  const io::Table parameters = table.table("parameters"), where = table.table("where");
  for (const std::string& name : parameters.keys()) {
    judge_name(parameters, name, name, names_);
    names_.push_back(name);
    values_.push_back(parameters.number(name));
  }
  all_ = names_;
  for (const std::string& name : where.keys()) {
    judge_name(where, name, name, all_);
    parts_.push_back(read(where, name));
    all_.push_back(name);
  }
}

Tree FormulaReader::read(const io::Table& table, const std::string& key) const {
  return substituted(read_formula(table, key, table.text(key), all_));
}

Tree FormulaReader::read_varying(const std::string& key, std::size_t variables) const {
  Tree tree = read(table_, key);
  for (std::size_t i = 0; i < variables; ++i)
    if (tree.mentions(i)) return tree;
  std::string list = names_.front();
  for (std::size_t i = 1; i < variables; ++i) list += ", " + names_[i];
  throw table_.error(key, "is constant: " + list + (variables > 1 ? " are" : " is") + " not in it");
}

Tree FormulaReader::substituted(const Tree& tree) const {
  expressions::Graph graph;
  std::vector<expressions::Graph::Id> meanings;
  for (std::size_t i = 0; i < names_.size(); ++i) meanings.push_back(graph.name(i));
  for (const Tree& part : parts_) meanings.push_back(graph.add(part));
  return graph.tree(graph.add(tree, meanings));
}

void judge_compiled_file(const Task& task, const io::Table& table, const std::string& key) {
  if (!task.compiled_file.empty())
    throw table.error(key, "is compiled into the cache, not into a file: leave -o out");
}

void note_compiled(Task& task, const std::string& how) {
  task.formulas += (task.formulas.empty() ? "" : "; ") + how;
}

}  // namespace cotangent::studies
