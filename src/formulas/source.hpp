// SPDX-License-Identifier: BSD-3-Clause
// The C++ that structs of formulas are made of: a member function that takes its arguments apart and
// returns trees' values. Of a deck's text it holds numbers alone.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "expressions/tree.hpp"

namespace cotangent::formulas {

/// A printed function's argument, of so many numbers: for q they are q0, q1, ...
struct Argument {
  std::string letter;
  std::size_t count = 0;
  bool apart = true;  ///< whether the body needs its numbers
};

/// letter0, letter1, ...
std::vector<std::string> numbered(const std::string& letter, std::size_t count);

/// Those of all arguments, one after the other.
std::vector<std::string> names_of(std::span<const Argument> arguments);

/// A member that takes its arguments apart and returns the values of trees over these names, one or a tuple.
/// `already` are statements that come first.
std::string member(const std::string& name, std::span<const Argument> arguments,
                   std::span<const expressions::Tree> values, std::span<const std::string> names,
                   const std::string& already = "");

/// The same of large formulas: each tree a table (table.hpp) under a name of its own. Names are those of the
/// arguments, one after the other, of which one is p.
std::string member_by_tables(const std::string& name, std::span<const Argument> arguments,
                             std::span<const expressions::Tree> values, const std::string& table);

/// How many numbers the operations of trees are with their first and second derivatives by the first names:
/// what a compiler has to unfold.
std::size_t unfolded_size(std::span<const expressions::Tree> values, std::size_t variables);

/// The whole source: what it includes, the struct `name` with its members, and the macro that exports it.
std::string unit(const std::string& name, const std::string& members, const std::string& macro);

}  // namespace cotangent::formulas
