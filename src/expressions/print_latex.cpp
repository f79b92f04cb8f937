// SPDX-License-Identifier: BSD-3-Clause
// Trees and names as LaTeX.
#include <cctype>
#include <numbers>

#include "expressions/pieces.hpp"

namespace cotangent::expressions {

namespace {

using namespace printing;

struct Latex {
  std::span<const std::string> names;
  static std::string part(const std::string& name) { return latex_symbol(name); }

  static std::string in_brackets(const std::string& text) { return "\\left(" + text + "\\right)"; }
  static std::string within(Binding least, Piece piece) {
    return piece.binding >= least ? std::move(piece.text) : in_brackets(piece.text);
  }
  static std::string behind(Binding least, Piece piece) {
    if (piece.signed_first) return in_brackets(piece.text);
    return within(least, std::move(piece));
  }
  static std::string fraction(const std::string& above, const std::string& below) {
    return "\\frac{" + above + "}{" + below + "}";
  }
  static Piece number(double number) {
    if (number == std::numbers::pi) return {"\\pi"};
    if (number == 2 * std::numbers::pi) return {"2 \\pi", of_product};
    for (const int below : {2, 4, 8})
      if (number == 1.0 / below) return {fraction("1", std::to_string(below)), of_power};
    std::string text = shortest(number);
    const bool negative = std::signbit(number);
    const auto e = text.find('e');
    if (e == std::string::npos) return {text, negative ? of_sign : of_atom, negative};
    std::string exponent = text.substr(e + 1);
    if (exponent[0] == '+') exponent.erase(0, 1);
    return {text.substr(0, e) + " \\cdot 10^{" + exponent + "}", of_product, negative};
  }
  static Piece function(const std::string& name, const std::string& arguments) {
    return {name + in_brackets(arguments), of_power, false, 0, 0, name.size()};
  }

  static std::size_t mentions(const Node&) { return 1; }
  Piece leaf(const Node& node) const {
    if (node.operation == Operation::name) return {latex_symbol(names[node.name])};
    return number(node.number);
  }
  Piece one(const Node& node, Piece a) const {
    switch (node.operation) {
      case Operation::negate:
        return {"-" + behind(of_product, std::move(a)), of_sign, true};
      case Operation::negation:
        return {"\\lnot " + within(of_atom, std::move(a)), of_not};
      case Operation::fixed_power: {
        const std::string exponent = "^{" + number(node.number).text + "}";
        // sin^2(x), but not sin^{-1}(x)
        if (a.head > 0 && node.number > 0) return {a.text.insert(a.head, exponent), of_power};
        return {between(within(of_atom, std::move(a)), exponent, ""), of_power};
      }
      case Operation::sqrt:
        return {"\\sqrt{" + a.text + "}", of_power};
      case Operation::abs:
        return {"\\left|" + a.text + "\\right|"};
      case Operation::exp:
        return {"e^{" + a.text + "}", of_power};
      case Operation::asin:
      case Operation::acos:
      case Operation::atan:
        return function("\\arc" + std::string(word(node.operation)).substr(1), a.text);
      default:
        return function("\\" + std::string(word(node.operation)), a.text);
    }
  }
  Piece two(const Node& node, Piece a, Piece b) const {
    const auto joined = [&](Binding binding, Binding left, std::string_view sign, Binding right) -> Piece {
      const bool signed_first = a.signed_first && a.binding >= left;
      return {between(within(left, std::move(a)), sign, behind(right, std::move(b))), binding, signed_first};
    };
    switch (node.operation) {
      case Operation::add:
        return joined(of_sum, of_sum, " + ", of_sum);
      case Operation::subtract:
        return joined(of_sum, of_sum, " - ", of_product);
      case Operation::multiply: {
        const bool digits =
            std::isdigit(static_cast<unsigned char>(b.text[0])) || b.text.starts_with("\\frac{1}");
        return joined(of_product, of_product, digits ? " \\cdot " : " \\, ", of_product);
      }
      case Operation::divide:
        return {fraction(a.text, b.text), of_power};
      case Operation::power:
        return {between(within(of_atom, std::move(a)), "^{" + b.text + "}", ""), of_power};
      case Operation::min:
      case Operation::max:
        return function("\\" + std::string(word(node.operation)), a.text + ", " + b.text);
      case Operation::atan2:
      case Operation::hypot:
        return function("\\operatorname{" + std::string(word(node.operation)) + "}", a.text + ", " + b.text);
      case Operation::less:
      case Operation::greater:
        return joined(of_comparison, of_sum, " " + std::string(word(node.operation)) + " ", of_sum);
      case Operation::less_equal:
        return joined(of_comparison, of_sum, " \\le ", of_sum);
      case Operation::greater_equal:
        return joined(of_comparison, of_sum, " \\ge ", of_sum);
      case Operation::equal:
        return joined(of_comparison, of_sum, " = ", of_sum);
      case Operation::unequal:
        return joined(of_comparison, of_sum, " \\ne ", of_sum);
      case Operation::conjunction:
        return joined(of_and, of_and, " \\land ", of_and);
      default:
        return joined(of_or, of_or, " \\lor ", of_or);
    }
  }
};

constexpr std::array<std::string_view, 34> greek = {
    "alpha",   "beta",   "gamma", "delta",   "epsilon", "zeta",  "eta",   "theta", "iota",
    "kappa",   "lambda", "mu",    "nu",      "xi",      "pi",    "rho",   "sigma", "tau",
    "upsilon", "phi",    "chi",   "psi",     "omega",   "Gamma", "Delta", "Theta", "Lambda",
    "Xi",      "Pi",     "Sigma", "Upsilon", "Phi",     "Psi",   "Omega"};

struct Symbol {
  std::string base, index;
};
Symbol symbol_of(const std::string& name) {
  constexpr std::string_view dot = "_dot";
  if (name.size() > dot.size() && name.ends_with(dot)) {
    Symbol symbol = symbol_of(name.substr(0, name.size() - dot.size()));
    symbol.base = "\\dot{" + symbol.base + "}";
    return symbol;
  }
  if (const std::size_t point = name.find('.'); point != std::string::npos) {  // of a neighbour: right.q
    Symbol symbol = symbol_of(name.substr(point + 1));
    symbol.index += (symbol.index.empty() ? "" : ", ") + latex_symbol(name.substr(0, point));
    return symbol;
  }
  Symbol symbol{name, ""};
  const std::size_t bar = name.find('_', 1);
  if (bar != std::string::npos && bar + 1 < name.size()) {
    symbol = {name.substr(0, bar), latex_symbol(name.substr(bar + 1))};
  } else {
    std::size_t end = name.size();
    while (end > 1 && std::isdigit(static_cast<unsigned char>(name[end - 1]))) --end;
    symbol = {name.substr(0, end), name.substr(end)};
  }
  if (std::ranges::find(greek, symbol.base) != greek.end()) {
    symbol.base.insert(0, 1, '\\');
  } else {
    if (symbol.base.size() > 1) symbol.base = "\\mathrm{" + symbol.base + "}";
    for (auto i = symbol.base.find('_'); i != std::string::npos; i = symbol.base.find('_', i + 2))
      symbol.base.insert(i, 1, '\\');
  }
  return symbol;
}

}  // namespace

std::string latex_symbol(const std::string& name) {
  const Symbol symbol = symbol_of(name);
  const bool short_index = symbol.index.size() <= 1;
  if (symbol.index.empty()) return symbol.base;
  return symbol.base + "_" + (short_index ? symbol.index : "{" + symbol.index + "}");
}

std::string latex(const Tree& tree, std::span<const std::string> names) {
  return printed({&tree, 1}, Latex{names}, "", never).values[0];
}
Printed latex_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                       const std::string& prefix) {
  return printed(trees, Latex{names}, prefix, for_readers);
}

}  // namespace cotangent::expressions
