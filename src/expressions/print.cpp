// SPDX-License-Identifier: BSD-3-Clause
// Trees in the language of decks, as C++ and as JavaScript.
#include "expressions/print.hpp"

#include <cctype>
#include <cstdlib>
#include <numbers>

#include "expressions/pieces.hpp"

namespace cotangent::expressions {

namespace {

using namespace printing;

/// The language of decks.
struct Deck {
  std::span<const std::string> names;
  static std::string part(std::string name) { return name; }

  static std::string within(Binding least, Piece piece) {
    return piece.binding >= least ? std::move(piece.text) : in_parentheses(std::move(piece.text));
  }
  /// Behind an operation: no two signs in a row.
  static std::string behind(Binding least, Piece piece) {
    if (piece.signed_first) return in_parentheses(std::move(piece.text));
    return within(least, std::move(piece));
  }

  static std::size_t mentions(const Node&) { return 1; }
  Piece leaf(const Node& node) const {
    if (node.operation == Operation::name) return {names[node.name]};
    if (node.number == std::numbers::pi) return {"pi"};
    if (node.number == 2 * std::numbers::pi) return {"2*pi", of_product};
    if (std::signbit(node.number)) return {shortest(node.number), of_sign, true};
    return {shortest(node.number)};
  }
  Piece one(const Node& node, Piece a) const {
    if (node.operation == Operation::negate)
      return {"-" + (a.signed_first ? in_parentheses(a.text) : within(of_power, std::move(a))), of_sign,
              true};
    if (node.operation == Operation::negation) return {"not " + within(of_not, std::move(a)), of_not};
    if (node.operation == Operation::fixed_power)
      return {between(within(of_atom, std::move(a)), "^", shortest(node.number)), of_power};
    return {called(word(node.operation), a.text)};
  }
  Piece two(const Node& node, Piece a, Piece b) const {
    if (node.operation == Operation::power)
      return {between(within(of_atom, std::move(a)), "^", within(of_sign, std::move(b))), of_power};
    const std::optional<Binding> binding = infix(node.operation);
    if (!binding) return {called(word(node.operation), a.text + ", " + b.text)};
    const bool tight = *binding == of_product;
    const Binding left = *binding == of_comparison ? of_sum : *binding;
    const bool signed_first = a.signed_first && a.binding >= *binding && *binding >= of_sum;
    const auto tighter = [](Binding than) {
      return than == of_product ? of_power : static_cast<Binding>(than + 1);
    };
    const std::string sign(word(node.operation));
    return {between(within(left, std::move(a)), tight ? sign : " " + sign + " ",
                    behind(tighter(*binding), std::move(b))),
            *binding, signed_first};
  }
};

/// What C++ and JavaScript share: an operation is a call, or in parentheses.
struct Code {
  std::span<const std::string> names;
  static std::string part(std::string name) { return name; }

  Piece leaf(const Node& node) const {
    if (node.operation == Operation::name) return {names[node.name]};
    return {in_parentheses(cpp_number(node.number))};
  }
  static Piece infixed(const Node& node, Piece a, const Piece& b) {
    return {
        in_parentheses(between(std::move(a.text), " " + std::string(word(node.operation)) + " ", b.text))};
  }
  static void refuse_truths(const Node& node) {
    const std::optional<Binding> binding = infix(node.operation);
    if (node.operation == Operation::negation || (binding && *binding < of_sum))
      throw Error("a comparison where a smooth function is needed");
  }
};

struct Cpp : Code {
  static std::size_t mentions(const Node&) { return 1; }
  static std::string sine_and_cosine(const Piece& a) { return called("sincos", a.text); }
  static Piece one_of_both(const Node& node, const std::string& part) {
    return {part + "." + std::string(word(node.operation))};
  }
  Piece one(const Node& node, const Piece& a) const {
    refuse_truths(node);
    if (node.operation == Operation::negate) return {in_parentheses("-" + a.text)};
    if (node.operation != Operation::fixed_power) return {called(word(node.operation), a.text)};
    // A whole exponent of moderate size is known to the type, so that the degree of a polynomial is.
    if (is_whole(node.number))
      return {called("power<" + std::to_string(static_cast<int>(node.number)) + ">", a.text)};
    // As a table of rows has it: products up to there, then the power of a real.
    const bool product = node.number == std::floor(node.number) && std::abs(node.number) < 1e5;
    return {called("pow", a.text + ", " + (product ? shortest(node.number) : cpp_number(node.number)))};
  }
  Piece two(const Node& node, Piece a, const Piece& b) const {
    refuse_truths(node);
    if (infix(node.operation)) return infixed(node, std::move(a), b);
    return {called(word(node.operation), a.text + ", " + b.text)};
  }
};

struct JavaScript : Code {
  /// Factors of a power that is a product, 0 where it is none.
  static std::size_t factors(const Node& node) {
    const bool few = node.operation == Operation::fixed_power && is_whole(node.number) && node.number >= 2 &&
                     node.number <= 4;
    return few ? static_cast<std::size_t>(node.number) : 0;
  }
  static bool chooses(const Node& node) {
    return node.operation == Operation::min || node.operation == Operation::max;
  }
  static std::size_t mentions(const Node& node) {
    return chooses(node) ? 2 : std::max<std::size_t>(1, factors(node));
  }
  static std::string_view sign(Operation operation) {
    switch (operation) {
      case Operation::conjunction:
        return "&&";
      case Operation::disjunction:
        return "||";
      case Operation::equal:
        return "===";
      case Operation::unequal:
        return "!==";
      default:
        return word(operation);
    }
  }
  Piece one(const Node& node, const Piece& a) const {
    if (node.operation == Operation::negation) return {in_parentheses("!" + a.text)};
    if (node.operation == Operation::negate) return {in_parentheses("-" + a.text)};
    if (node.operation != Operation::fixed_power)
      return {called("Math." + std::string(word(node.operation)), a.text)};
    if (factors(node) == 0) return {called("Math.pow", a.text + ", " + shortest(node.number))};
    std::string product = a.text;
    for (std::size_t k = 1; k < factors(node); ++k) product += " * " + a.text;
    return {in_parentheses(product)};
  }
  Piece two(const Node& node, Piece a, const Piece& b) const {
    if (infix(node.operation))
      return {
          in_parentheses(between(std::move(a.text), " " + std::string(sign(node.operation)) + " ", b.text))};
    if (node.operation == Operation::where) return {in_parentheses(a.text + " ? " + b.text + " : 0")};
    // Math.min(0, -0) is -0, ours the second.
    if (chooses(node))
      return {in_parentheses(a.text + (node.operation == Operation::min ? " < " : " > ") + b.text + " || " +
                             a.text + " !== " + a.text + " ? " + a.text + " : " + b.text)};
    return {called("Math." + std::string(word(node.operation)), a.text + ", " + b.text)};
  }
};

}  // namespace

std::string text(const Tree& tree, std::span<const std::string> names) {
  return printed({&tree, 1}, Deck{names}, "", never).values[0];
}
Printed text_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                      const std::string& prefix) {
  return printed(trees, Deck{names}, prefix, for_readers);
}
Printed cpp(std::span<const Tree> trees, std::span<const std::string> names) {
  return printed(trees, Cpp{{names}}, "n", for_compilers);
}
std::string cpp_number(double number) {
  const std::string text = shortest(number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0"
                                                       : text;  // an integer has less room, and no -0
}
bool is_whole_power(double exponent) {
  return is_whole(exponent);
}
Printed javascript(std::span<const Tree> trees, std::span<const std::string> names) {
  return printed(trees, JavaScript{{names}}, "n", for_compilers);
}

}  // namespace cotangent::expressions
