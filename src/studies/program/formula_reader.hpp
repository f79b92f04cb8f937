// SPDX-License-Identifier: BSD-3-Clause
// Formulas that a table of the deck states: of the study's variables, and of names that the table gives.
#pragma once

#include <span>

#include "expressions/parser.hpp"
#include "expressions/tree.hpp"
#include "formulas/compiled_files.hpp"
#include "studies/program/study.hpp"

namespace cotangent::studies {

/// Named parts, which stand in formulas in place of their names.
class Parts {
 public:
  /// None yet, of formulas over these names.
  explicit Parts(std::vector<std::string> names);

  /// Adds `where = { r2 = "x^2 + y^2" }`, each of what stands before it. Throws Error that names the key.
  void read(const io::Table& where);
  /// Adds those of a model that these names suffice for.
  void read_what_fits(const io::Table& where);

  /// A value or a condition that is watched, over the names alone. Throws Error that names the key, where it
  /// is none, no name is in it, or a part of it without names isn't a finite number.
  expressions::Tree read(const io::Table& table, const std::string& key, const std::string& text,
                         expressions::Language language) const;

  /// The formula's names and those of the parts.
  const std::vector<std::string>& names() const { return names_; }
  /// The tree of a formula of names(), over the names alone.
  expressions::Tree substituted(const expressions::Tree& tree) const;

 private:
  std::vector<std::string> names_;
  expressions::Graph graph_;                      ///< of the parts
  std::vector<expressions::Graph::Id> meanings_;  ///< what each name stands for, in it
};

/// Whether a value depends on any of the first so many names: q1 - q1 and 0*q1 don't.
bool varies(const expressions::Tree& tree, std::size_t names);

/// The names that a table's formulas share: variables, then those of the table itself,
///   parameters = { k = 1.0 }              numbers; where they may be swept also several of one
///   where = { r2 = "x^2 + y^2" }          parts, each of what stands before it
/// Throws Error that names file, line and key, here as below.
class FormulaReader {
 public:
  enum class Parameters { single, swept };
  FormulaReader(const io::Table& table, std::vector<std::string> variables,
                Parameters kind = Parameters::single);

  /// The tree of a formula, over variables and parameters, in this order: parts stand in it themselves.
  expressions::Tree read(const io::Table& table, const std::string& key) const;
  /// The same, and refused where none of the first so many variables is in it.
  expressions::Tree read_varying(const std::string& key, std::size_t variables) const;

  /// A warning for each parameter that is in none of these trees, whose variables are so many.
  void warn_of_unused(Task& task, std::size_t variables, std::span<const expressions::Tree> trees) const;

  const std::vector<std::string>& parameters() const { return parameters_; }  ///< their names
  const std::vector<double>& values() const { return values_; }           ///< and values, the first of each
  const std::vector<std::vector<double>>& axes() const { return axes_; }  ///< and all values

 private:
  io::Table table_;
  std::vector<std::string> parameters_;
  std::vector<double> values_;
  std::vector<std::vector<double>> axes_;
  Parts parts_;
};

/// What a formula's error is, shown at its key.
Error not_loaded(const io::Table& table, const std::string& key, const std::string& text, const Error& error);

/// The file in which a table's formula is found compiled, `compiled = "FILE"`, or into which --compile puts
/// it.
formulas::CompiledFiles compiled_files(const Task& task, const io::Table& table);
/// Loads what a key states; an error of that, but one of files, is shown at the key, with the formula.
template <class Load>
auto load_or_show(const io::Table& table, const std::string& key, const std::string& text, const Load& load) {
  try {
    return load();
  } catch (const FileError&) {
    throw;
  } catch (const Error& error) {
    throw not_loaded(table, key, text, error);
  }
}
/// Notes how it was compiled, for summary and provenance.
void note_compiled(Task& task, const std::string& how);

}  // namespace cotangent::studies
