// SPDX-License-Identifier: BSD-3-Clause
// The operations of an expression's program, and the parser that writes it. Private to the expression's
// sources.
#pragma once

#include <span>
#include <string>

#include "expressions/expression.hpp"

namespace cotangent::expressions::detail {

/// In the order of their number of operands: none, one (from negate on), two (from add on).
enum class Operation : std::uint8_t {
  constant,
  variable,
  negate,
  negation,
  abs,
  sqrt,
  exp,
  log,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  add,
  subtract,
  multiply,
  divide,
  power,
  atan2,
  hypot,
  min,
  max,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  unequal,
  conjunction,
  disjunction,
};

constexpr std::size_t operands(Operation operation) {
  if (operation < Operation::negate) return 0;
  return operation < Operation::add ? 1 : 2;
}

inline constexpr std::size_t most_pending = 64;  ///< operands that a running program may hold

enum class Kind { value, truth };

/// The operation on its operands; truths are 1 and 0.
double apply(Operation operation, double a);
double apply(Operation operation, double a, double b);

/// Parses the whole text and demands that it is of this kind.
Program parse_program(const std::string& text, std::span<const std::string> variable_names, Kind wanted);

}  // namespace cotangent::expressions::detail
