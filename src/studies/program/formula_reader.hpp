// SPDX-License-Identifier: BSD-3-Clause
// Formulas that a table of the deck states: of the study's variables, and of names that the table gives.
#pragma once

#include "expressions/tree.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// The names that a table's formulas share: variables, then those of the table itself,
///   parameters = { k = 1.0 }              numbers
///   where = { r2 = "x^2 + y^2" }          parts, each of what stands before it
/// Throws Error that names file, line and key, here as below.
class FormulaReader {
 public:
  FormulaReader(const io::Table& table, std::vector<std::string> variables);

  /// The tree of a formula, over variables and parameters, in this order: parts stand in it themselves.
  expressions::Tree read(const io::Table& table, const std::string& key) const;
  /// The same, and refused where none of the first so many variables is in it.
  expressions::Tree read_varying(const std::string& key, std::size_t variables) const;

  const std::vector<std::string>& names() const { return names_; }  ///< of variables and parameters
  const std::vector<double>& values() const { return values_; }     ///< of the parameters

 private:
  expressions::Tree substituted(const expressions::Tree& tree) const;

  io::Table table_;
  std::vector<std::string> names_, all_;  ///< all_: parts as well
  std::vector<double> values_;
  std::vector<expressions::Tree> parts_;
};

/// Where a formula becomes code of its own: refuses --compile's file, in which a model alone has its place.
void judge_compiled_file(const Task& task, const io::Table& table, const std::string& key);
/// Notes how it was compiled, for summary and provenance.
void note_compiled(Task& task, const std::string& how);

}  // namespace cotangent::studies
