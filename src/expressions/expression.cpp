// SPDX-License-Identifier: BSD-3-Clause
// How a program runs, on numbers and on affine functions.
#include "expressions/expression.hpp"

#include <algorithm>
#include <cmath>

#include "expressions/parser.hpp"

namespace cotangent::expressions {

namespace detail {

double apply(Operation operation, double a) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::negation:
      return a == 0;
    case Operation::abs:
      return std::abs(a);
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    default:
      return std::tanh(a);
  }
}

double apply(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return b == 2 ? a * a : b == 3 ? a * a * a : std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    case Operation::hypot:
      return std::hypot(a, b);
    // NaN in either operand comes through.
    case Operation::min:
      return a < b || a != a ? a : b;
    case Operation::max:
      return a > b || a != a ? a : b;
    case Operation::less:
      return a < b;
    case Operation::less_equal:
      return a <= b;
    case Operation::greater:
      return a > b;
    case Operation::greater_equal:
      return a >= b;
    case Operation::equal:
      return a == b;
    case Operation::unequal:
      return a != b;
    case Operation::conjunction:
      return a != 0 && b != 0;
    default:
      return a != 0 || b != 0;
  }
}

double run(const Program& program, std::span<const double> variables) {
  double stack[most_pending + 1];
  stack[0] = 0;  // below the first operand
  double* top = stack;
  for (const Instruction& step : program) {
    switch (step.operation) {  // arithmetic first: it is most of what decks hold
      case Operation::constant:
        *++top = step.constant;
        continue;
      case Operation::variable:
        *++top = variables[step.variable];
        continue;
      case Operation::add:
        --top;
        *top = top[0] + top[1];
        continue;
      case Operation::subtract:
        --top;
        *top = top[0] - top[1];
        continue;
      case Operation::multiply:
        --top;
        *top = top[0] * top[1];
        continue;
      default:
        break;
    }
    if (operands(step.operation) == 1) {
      *top = apply(step.operation, *top);
    } else {
      --top;
      *top = apply(step.operation, top[0], top[1]);
    }
  }
  return *top;
}

bool mentions(const Program& program, std::size_t variable) {
  return std::any_of(program.begin(), program.end(), [variable](const Instruction& step) {
    return step.operation == Operation::variable && step.variable == variable;
  });
}

}  // namespace detail

namespace {

using detail::Operation;
using MaybeAffine = std::optional<Affine>;

bool is_constant(const Affine& f) {
  return std::all_of(f.coefficients.begin(), f.coefficients.end(), [](double c) { return c == 0; });
}

/// alpha f + beta g
Affine combined(double alpha, const Affine& f, double beta, const Affine& g) {
  Affine out{f.coefficients, alpha * f.constant + beta * g.constant};
  for (std::size_t i = 0; i < out.coefficients.size(); ++i)
    out.coefficients[i] = alpha * f.coefficients[i] + beta * g.coefficients[i];
  return out;
}

MaybeAffine applied(Operation operation, const MaybeAffine& f) {
  if (!f) return {};
  if (operation == Operation::negate) return combined(-1, *f, 0, *f);
  if (!is_constant(*f)) return {};
  return Affine{std::vector<double>(f->coefficients.size()), apply(operation, f->constant)};
}

MaybeAffine applied(Operation operation, const MaybeAffine& f, const MaybeAffine& g) {
  if (!f || !g) return {};
  if (operation == Operation::add) return combined(1, *f, 1, *g);
  if (operation == Operation::subtract) return combined(1, *f, -1, *g);
  if (is_constant(*f) && is_constant(*g))
    return Affine{std::vector<double>(f->coefficients.size()), apply(operation, f->constant, g->constant)};
  if (operation == Operation::multiply && is_constant(*f)) return combined(f->constant, *g, 0, *g);
  if (operation == Operation::multiply && is_constant(*g)) return combined(g->constant, *f, 0, *f);
  if (operation == Operation::power && is_constant(*g) && g->constant == 1) return f;
  if (operation == Operation::divide && is_constant(*g)) {
    Affine out = *f;
    for (double& c : out.coefficients) c /= g->constant;
    out.constant /= g->constant;
    return out;
  }
  return {};
}

}  // namespace

Expression Expression::parse(const std::string& text, std::span<const std::string> variable_names) {
  return Expression(text, detail::parse_program(text, variable_names, detail::Kind::value),
                    variable_names.size());
}

Condition Condition::parse(const std::string& text, std::span<const std::string> variable_names) {
  return Condition(text, detail::parse_program(text, variable_names, detail::Kind::truth));
}

std::optional<Affine> Expression::affine() const {
  std::vector<MaybeAffine> stack;
  for (const detail::Instruction& step : program_) {
    switch (operands(step.operation)) {
      case 0: {
        Affine leaf{std::vector<double>(variable_count_), step.constant};
        if (step.operation == Operation::variable) leaf.coefficients[step.variable] = 1;
        stack.push_back(std::move(leaf));
        break;
      }
      case 1:
        stack.back() = applied(step.operation, stack.back());
        break;
      default: {
        const MaybeAffine right = std::move(stack.back());
        stack.pop_back();
        stack.back() = applied(step.operation, stack.back(), right);
      }
    }
  }
  const MaybeAffine& whole = stack.back();
  if (!whole || !std::isfinite(whole->constant)) return {};
  for (const double c : whole->coefficients)
    if (!std::isfinite(c)) return {};
  return whole;
}

}  // namespace cotangent::expressions
