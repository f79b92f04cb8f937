// SPDX-License-Identifier: BSD-3-Clause
// The formulas that something states, line by line, before they are written out.
#pragma once

#include <string>
#include <vector>

#include "expressions/print.hpp"
#include "expressions/tree.hpp"
#include "studies/program/written_formulas.hpp"

namespace cotangent::studies {

/// A formula and what it is: "L =", "0 =".
struct FormulaLine {
  std::string key;   ///< of a deck
  std::string left;  ///< of the equation that it makes
  expressions::Tree tree;
};
struct FormulaLines {
  std::vector<std::string> names;
  std::vector<FormulaLine> lines;
  std::string note = {};  ///< for readers, behind them

  std::vector<expressions::Tree> trees() const {
    std::vector<expressions::Tree> all;
    for (const FormulaLine& line : lines) all.push_back(line.tree);
    return all;
  }
};

/// Throws an Error where nothing is stated by formulas.
FormulaLines lines_of(const billiards::SetKind& set);
FormulaLines lines_of(const billiards::FieldKind& field);
FormulaLines lines_of(const lattice::Model& model);

/// The formulas with parts that come again apart, and what stands in for them.
expressions::Printed in_parts(const FormulaLines& all);
/// `coordinates`, the list or the table of them, and which are `angles`.
std::string coordinates_in_deck(const std::vector<sections::CoordinateInfo>& coordinates);
/// The table of parts, [model.where]; nothing where there are none.
std::string where_in_deck(const std::vector<expressions::Part>& parts);
/// A formula as a string of TOML, the line's `first` columns taken.
std::string quoted(const std::string& text, std::size_t first);

}  // namespace cotangent::studies
