// SPDX-License-Identifier: BSD-3-Clause
// Trees as texts: in the decks' own language, as LaTeX, as C++ that the library's scalars understand, and as
// JavaScript. Names are printed as given, in LaTeX as symbols; numbers to the bit. Each throws an Error where
// a tree holds a number that isn't finite, where the language has no word for an operation, and where parts
// that aren't named apart would make a text longer than a million characters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// A part of formulas under a name of its own.
struct Part {
  std::string name, value;
};
/// Formulas printed together: what they share, each of what stands before it, and they.
struct Printed {
  std::vector<Part> parts;
  std::vector<std::string> values;
};

/// In the language of decks with as few parentheses as keep the tree: parsed, it is the same again.
std::string text(const Tree& tree, std::span<const std::string> names);
/// The same with what stands there more than once and is long as parts, `prefix` 1, 2, ...
Printed text_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                      const std::string& prefix);

/// As mathematics writes it: alpha a Greek letter, x_dot a dot, x1 an index, quotients fractions.
std::string latex(const Tree& tree, std::span<const std::string> names);
/// The same with parts as text_in_parts has them, their names symbols.
Printed latex_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                       const std::string& prefix);
/// A name as such a symbol.
std::string latex_symbol(const std::string& name);

/// C++ over any scalar of the library: nothing of it but these names, words of the list of operations, and
/// numbers. What stands there more than once, or deep, is a part: the whole is as long as the tree has nodes.
/// Comparisons and truths have no place in it.
Printed cpp(std::span<const Tree> trees, std::span<const std::string> names);

/// A number as C++, to the bit. Throws an Error where it isn't finite.
std::string cpp_number(double number);
/// Whether C++ has a power by products: of a whole exponent of moderate size.
bool is_whole_power(double exponent);

/// JavaScript over its numbers and truths, in parts as C++. Powers up to the fourth are products.
Printed javascript(std::span<const Tree> trees, std::span<const std::string> names);

}  // namespace cotangent::expressions
