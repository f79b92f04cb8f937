// SPDX-License-Identifier: BSD-3-Clause
// Functions and conditions of named variables, as decks write them: "q1 - 0.5*q2^2", "p_q1 > 0 and q2 < 0.5".
#pragma once

#include <span>
#include <string>
#include <utility>

#include "expressions/evaluate.hpp"
#include "expressions/parser.hpp"

namespace cotangent::expressions {

/// A real function of the variables.
class Expression {
 public:
  /// A text that has been read.
  Expression(std::string text, Tree tree) : text_(std::move(text)), tree_(std::move(tree)) {}
  /// Throws like expressions::parse.
  static Expression parse(const std::string& text, std::span<const std::string> variables,
                          std::span<const Constant> constants = {}) {
    return {text, expressions::parse(text, Language::value, variables, constants)};
  }

  /// The value at these variables, given in the order of their names.
  double evaluate(std::span<const double> variables) const { return expressions::evaluate(tree_, variables); }
  template <class R>
  R evaluate(std::span<const R> variables) const {
    return expressions::evaluate(tree_, variables);
  }
  /// Whether the i-th variable is mentioned.
  bool depends_on(std::size_t i) const { return tree_.mentions(i); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Tree tree_;
};

/// Something that holds or doesn't. A comparison with NaN doesn't hold, but != does.
class Condition {
 public:
  /// A text that has been read.
  Condition(std::string text, Tree tree) : text_(std::move(text)), tree_(std::move(tree)) {}
  /// Throws like expressions::parse.
  static Condition parse(const std::string& text, std::span<const std::string> variables) {
    return {text, expressions::parse(text, Language::condition, variables)};
  }

  bool holds(std::span<const double> variables) const { return evaluate(tree_, variables) != 0; }
  bool depends_on(std::size_t i) const { return tree_.mentions(i); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  Tree tree_;
};

}  // namespace cotangent::expressions
