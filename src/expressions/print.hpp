// SPDX-License-Identifier: BSD-3-Clause
// A tree as the text of a formula in another language: C++ that the library's scalars understand, and LaTeX.
#pragma once

#include <span>
#include <string>

#include "expressions/tree.hpp"

namespace cotangent::expressions {

/// A C++ expression over any scalar of the library, each name as given; nothing of it but these names, words
/// of the list of operations, and numbers printed to the bit. Comparisons and truths have no place in it:
/// throws an Error where the tree has some.
std::string cpp(const Tree& tree, std::span<const std::string> names);

/// The same as LaTeX, each name as given, with as few parentheses as its operators need.
std::string latex(const Tree& tree, std::span<const std::string> names);

}  // namespace cotangent::expressions
