// SPDX-License-Identifier: BSD-3-Clause
// Expressions over named variables, as decks write them: "q1 - 0.5*q2^2", and conditions: "p_q1 > 0 and q2 <
// 0.5".
//   operators, loosest first: or | and | not | < <= > >= == != | + - | * / | unary - | ^ (from the right)
//   functions: sqrt exp log sin cos tan asin acos atan atan2 sinh cosh tanh abs hypot min max; the number pi
// Parsed once into a postfix program (Dijkstra 1961), which then runs without allocation. Limits: 64 pending
// operands; a variable's name is made of letters, digits and _, and isn't one of the words above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cotangent::expressions {

namespace detail {
enum class Operation : std::uint8_t;

struct Instruction {
  Operation operation;
  std::size_t variable = 0;
  double constant = 0;
};
using Program = std::vector<Instruction>;

double run(const Program& program, std::span<const double> variables);
bool mentions(const Program& program, std::size_t variable);
}  // namespace detail

/// constant + sum_i coefficients[i] x_i
struct Affine {
  std::vector<double> coefficients;
  double constant = 0;
};

/// A real function of the variables.
class Expression {
 public:
  /// Throws an Error that names the place and, for an unknown name, the nearest valid one.
  static Expression parse(const std::string& text, std::span<const std::string> variable_names);

  /// The value at these variables, given in the order of their names.
  double evaluate(std::span<const double> variables) const { return detail::run(program_, variables); }
  /// Whether the i-th variable is mentioned.
  bool depends_on(std::size_t i) const { return detail::mentions(program_, i); }
  /// The coefficients, where the expression is an affine function of the variables (a hyperplane).
  std::optional<Affine> affine() const;
  const std::string& text() const { return text_; }

 private:
  Expression(std::string text, detail::Program program, std::size_t variable_count)
      : text_(std::move(text)), program_(std::move(program)), variable_count_(variable_count) {}
  std::string text_;
  detail::Program program_;
  std::size_t variable_count_;
};

/// Something that holds or doesn't. A comparison with NaN doesn't hold, but != does.
class Condition {
 public:
  /// Throws like Expression::parse.
  static Condition parse(const std::string& text, std::span<const std::string> variable_names);

  bool holds(std::span<const double> variables) const { return detail::run(program_, variables) != 0; }
  bool depends_on(std::size_t i) const { return detail::mentions(program_, i); }
  const std::string& text() const { return text_; }

 private:
  Condition(std::string text, detail::Program program)
      : text_(std::move(text)), program_(std::move(program)) {}
  std::string text_;
  detail::Program program_;
};

}  // namespace cotangent::expressions
