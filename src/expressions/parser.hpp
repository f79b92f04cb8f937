// SPDX-License-Identifier: BSD-3-Clause
// From a text to its tree. The grammar stands in README.md.
#pragma once

#include <span>
#include <string>

#include "expressions/tree.hpp"
#include "expressions/units.hpp"

namespace cotangent::expressions {

/// What a text has to be: a real value, a condition on values, or a set, in the algebra of named sets.
enum class Language { value, condition, set };

/// A name that stands for a number, once and for all.
struct Constant {
  std::string name;
  double value = 0;
};

/// The tree, whose names are counted in the order given. A constant's name hides a variable's, and that hides
/// pi. Throws an Error that says what is wrong at which column, and for an unknown name the nearest valid
/// one. Where units are given, it also throws where dimensions don't fit, unless one that matters is unknown.
Tree parse(const std::string& text, Language language, std::span<const std::string> names,
           std::span<const Constant> constants = {}, Units* units = nullptr);

}  // namespace cotangent::expressions
