// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/print.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/error.hpp"

namespace cotangent::expressions {

namespace {

/// The shortest text that reads back to the same bits.
std::string shortest(double number) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string_view function_name(Operation operation) {
  switch (operation) {
    case Operation::abs:
      return "abs";
    case Operation::sqrt:
      return "sqrt";
    case Operation::exp:
      return "exp";
    case Operation::log:
      return "log";
    case Operation::sin:
      return "sin";
    case Operation::cos:
      return "cos";
    case Operation::tan:
      return "tan";
    case Operation::asin:
      return "asin";
    case Operation::acos:
      return "acos";
    case Operation::atan:
      return "atan";
    case Operation::sinh:
      return "sinh";
    case Operation::cosh:
      return "cosh";
    case Operation::tanh:
      return "tanh";
    case Operation::power:
      return "pow";
    case Operation::atan2:
      return "atan2";
    case Operation::hypot:
      return "hypot";
    case Operation::min:
      return "min";
    case Operation::max:
      return "max";
    default:
      throw Error("a comparison where a smooth function is needed");
  }
}

std::string called(std::string_view function, const std::string& a) {
  return std::string(function) + "(" + a + ")";
}

/// A whole exponent of moderate size is known to the type, so that the degree of a polynomial is.
bool is_small_integer(double n) {
  return n == std::floor(n) && std::abs(n) <= 64;
}

// How firmly a piece of LaTeX holds together.
enum Binding { of_sum, of_product, of_sign, of_power, of_atom };
struct Latex {
  std::string text;
  Binding binding = of_atom;

  std::string within(Binding least) const { return binding >= least ? text : "\\left(" + text + "\\right)"; }
};

Latex latex_number(double number) {
  const std::string text = shortest(number);
  const Binding binding = number < 0 ? of_sign : of_atom;
  const auto e = text.find('e');
  if (e == std::string::npos) return {text, binding};
  std::string exponent = text.substr(e + 1);
  if (exponent[0] == '+') exponent.erase(0, 1);
  return {text.substr(0, e) + " \\cdot 10^{" + exponent + "}", of_product};
}

}  // namespace

std::string cpp(const Tree& tree, std::span<const std::string> names) {
  return tree.fold<std::string>(
      [&](const Node& node) {
        if (node.operation == Operation::name) return names[node.name];
        const std::string text = shortest(node.number);
        const bool whole = text.find_first_of(".en") == std::string::npos;  // infinity and NaN have an n
        return "(" + text + (whole ? ".0)" : ")");
      },
      [](const Node& node, const std::string& a) -> std::string {
        if (node.operation == Operation::negate) return "(-" + a + ")";
        if (node.operation == Operation::fixed_power)
          return is_small_integer(node.number)
                     ? "power<" + std::to_string(static_cast<int>(node.number)) + ">(" + a + ")"
                     : "pow(" + a + ", " + shortest(node.number) + ")";
        return called(function_name(node.operation), a);
      },
      [](const Node& node, const std::string& a, const std::string& b) -> std::string {
        switch (node.operation) {
          case Operation::add:
            return "(" + a + " + " + b + ")";
          case Operation::subtract:
            return "(" + a + " - " + b + ")";
          case Operation::multiply:
            return "(" + a + " * " + b + ")";
          case Operation::divide:
            return "(" + a + " / " + b + ")";
          default:
            return called(function_name(node.operation), a + ", " + b);
        }
      });
}

std::string latex(const Tree& tree, std::span<const std::string> names) {
  return tree
      .fold<Latex>(
          [&](const Node& node) -> Latex {
            if (node.operation == Operation::name) return {names[node.name], of_atom};
            return latex_number(node.number);
          },
          [](const Node& node, const Latex& a) -> Latex {
            switch (node.operation) {
              case Operation::negate:
                return {"-" + a.within(of_product), of_sign};
              case Operation::fixed_power:
                return {a.within(of_atom) + "^{" + latex_number(node.number).text + "}", of_power};
              case Operation::sqrt:
                return {"\\sqrt{" + a.text + "}", of_atom};
              case Operation::abs:
                return {"\\left|" + a.text + "\\right|", of_atom};
              case Operation::exp:
                return {"e^{" + a.text + "}", of_power};
              case Operation::asin:
              case Operation::acos:
              case Operation::atan:
                return {"\\arc" + std::string(function_name(node.operation)).substr(1) + "\\left(" + a.text +
                            "\\right)",
                        of_atom};
              default:
                return {"\\" + std::string(function_name(node.operation)) + "\\left(" + a.text + "\\right)",
                        of_atom};
            }
          },
          [](const Node& node, const Latex& a, const Latex& b) -> Latex {
            switch (node.operation) {
              case Operation::add:
                return {a.text + " + " + b.within(of_product), of_sum};
              case Operation::subtract:
                return {a.text + " - " + b.within(of_product), of_sum};
              case Operation::multiply:
                return {a.within(of_product) + " \\, " + b.within(of_power), of_product};
              case Operation::divide:
                return {"\\frac{" + a.text + "}{" + b.text + "}", of_atom};
              case Operation::power:
                return {a.within(of_atom) + "^{" + b.text + "}", of_power};
              case Operation::min:
              case Operation::max:
                return {"\\" + std::string(function_name(node.operation)) + "\\left(" + a.text + ", " +
                            b.text + "\\right)",
                        of_atom};
              default:
                return {"\\operatorname{" + std::string(function_name(node.operation)) + "}\\left(" + a.text +
                            ", " + b.text + "\\right)",
                        of_atom};
            }
          })
      .text;
}

}  // namespace cotangent::expressions
