// SPDX-License-Identifier: BSD-3-Clause
// One pass over the nodes makes each a piece of text from its operands' pieces; a language says how.
#include "expressions/print.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <string_view>

#include "core/error.hpp"

namespace cotangent::expressions {

namespace {

constexpr std::size_t longest_text = 1000000;
constexpr int deepest_nesting = 40;  ///< of parentheses in C++ and JavaScript
constexpr int least_shared = 4;      ///< operations of what decks write once under a name

/// How firmly a piece holds together, loosest first; as the grammar has it.
enum Binding { of_or, of_and, of_not, of_comparison, of_sum, of_product, of_sign, of_power, of_atom };

struct Piece {
  std::string text;
  Binding binding = of_atom;
  bool signed_first = false;  ///< begins with a sign
  int operations = 0;         ///< in the text, parts not counted
  int depth = 0;              ///< of the operations
  std::size_t head = 0;       ///< of LaTeX's functions: the length of their name, before which a power goes
};

/// The shortest text that reads back to the same bits.
std::string shortest(double number) {
  if (!std::isfinite(number)) throw Error("a formula holds a number that isn't finite");
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

std::string_view word(Operation operation) {
  switch (operation) {
    case Operation::negation:
      return "not";
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
    case Operation::add:
      return "+";
    case Operation::subtract:
      return "-";
    case Operation::multiply:
      return "*";
    case Operation::divide:
      return "/";
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
    case Operation::less:
      return "<";
    case Operation::less_equal:
      return "<=";
    case Operation::greater:
      return ">";
    case Operation::greater_equal:
      return ">=";
    case Operation::equal:
      return "==";
    case Operation::unequal:
      return "!=";
    case Operation::conjunction:
      return "and";
    case Operation::disjunction:
      return "or";
    default:
      throw Error("an operation that has no word");
  }
}

/// The binding of an operation on two operands that is written between them.
std::optional<Binding> infix(Operation operation) {
  switch (operation) {
    case Operation::disjunction:
      return of_or;
    case Operation::conjunction:
      return of_and;
    case Operation::less:
    case Operation::less_equal:
    case Operation::greater:
    case Operation::greater_equal:
    case Operation::equal:
    case Operation::unequal:
      return of_comparison;
    case Operation::add:
    case Operation::subtract:
      return of_sum;
    case Operation::multiply:
    case Operation::divide:
      return of_product;
    default:
      return std::nullopt;
  }
}

std::string in_parentheses(std::string text) {
  text.insert(0, 1, '(');
  text += ')';
  return text;
}
std::string called(std::string_view function, const std::string& arguments) {
  return std::string(function) + "(" + arguments + ")";
}
/// a's text grows by b's: what is long is on the left of long sums.
std::string between(std::string a, std::string_view sign, std::string_view b) {
  a += sign;
  a += b;
  return a;
}
bool is_whole(double number) {
  return number == std::floor(number) && std::abs(number) <= 64;
}

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
    const std::string text = shortest(node.number);
    return {in_parentheses(text.find_first_of(".e") == std::string::npos ? text + ".0" : text)};
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
  Piece one(const Node& node, Piece a) const {
    refuse_truths(node);
    if (node.operation == Operation::negate) return {in_parentheses("-" + a.text)};
    if (node.operation != Operation::fixed_power) return {called(word(node.operation), a.text)};
    // A whole exponent of moderate size is known to the type, so that the degree of a polynomial is.
    if (is_whole(node.number))
      return {called("power<" + std::to_string(static_cast<int>(node.number)) + ">", a.text)};
    return {called("pow", a.text + ", " + shortest(node.number))};
  }
  Piece two(const Node& node, Piece a, Piece b) const {
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
  static std::size_t mentions(const Node& node) { return std::max<std::size_t>(1, factors(node)); }
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
  Piece one(const Node& node, Piece a) const {
    if (node.operation == Operation::negation) return {in_parentheses("!" + a.text)};
    if (node.operation == Operation::negate) return {in_parentheses("-" + a.text)};
    if (node.operation != Operation::fixed_power)
      return {called("Math." + std::string(word(node.operation)), a.text)};
    if (factors(node) == 0) return {called("Math.pow", a.text + ", " + shortest(node.number))};
    std::string product = a.text;
    for (std::size_t k = 1; k < factors(node); ++k) product += " * " + a.text;
    return {in_parentheses(product)};
  }
  Piece two(const Node& node, Piece a, Piece b) const {
    if (infix(node.operation))
      return {
          in_parentheses(between(std::move(a.text), " " + std::string(sign(node.operation)) + " ", b.text))};
    return {called("Math." + std::string(word(node.operation)), a.text + ", " + b.text)};
  }
};

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

/// What becomes a part: never a leaf.
using Apart = bool (*)(const Piece& piece, std::size_t uses);

template <class Language>
Printed printed(std::span<const Tree> trees, const Language& language, const std::string& prefix,
                Apart apart) {
  Graph graph;
  std::vector<Graph::Id> roots;
  for (const Tree& tree : trees) roots.push_back(graph.add(tree));
  const std::vector<Node>& nodes = graph.nodes();
  std::vector<std::size_t> uses(nodes.size(), 0), left(nodes.size(), 0);
  for (const Graph::Id root : roots) ++uses[root], ++left[root];
  for (const Node& node : nodes)
    for (std::size_t k = 0; k < operands(node.operation); ++k) {
      uses[node.operand[k]] += Language::mentions(node);
      ++left[node.operand[k]];
    }
  Printed result;
  std::vector<Piece> pieces(nodes.size());
  const auto take = [&](Graph::Id id) { return --left[id] > 0 ? pieces[id] : std::move(pieces[id]); };
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (operands(node.operation) == 0) {
      pieces[i] = language.leaf(node);
      continue;
    }
    Piece a = take(node.operand[0]);
    if (operands(node.operation) == 1) {
      const int operations = a.operations + 1, depth = a.depth + 1;
      pieces[i] = language.one(node, std::move(a));
      pieces[i].operations = operations;
      pieces[i].depth = depth;
    } else {
      Piece b = take(node.operand[1]);
      const int operations = a.operations + b.operations + 1, depth = std::max(a.depth, b.depth) + 1;
      pieces[i] = language.two(node, std::move(a), std::move(b));
      pieces[i].operations = operations;
      pieces[i].depth = depth;
    }
    if (pieces[i].text.size() > longest_text) throw Error("a formula is too long to be written out");
    if (apart(pieces[i], uses[i])) {
      const std::string name = Language::part(prefix + std::to_string(result.parts.size() + 1));
      result.parts.push_back({name, std::move(pieces[i].text)});
      pieces[i] = {name};
    }
  }
  for (const Graph::Id root : roots) result.values.push_back(take(root).text);
  return result;
}

bool never(const Piece&, std::size_t) {
  return false;
}
bool for_readers(const Piece& piece, std::size_t uses) {
  return uses > 1 && piece.operations >= least_shared;
}
bool for_compilers(const Piece& piece, std::size_t uses) {
  return uses > 1 || piece.depth >= deepest_nesting;
}

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

std::string text(const Tree& tree, std::span<const std::string> names) {
  return printed({&tree, 1}, Deck{names}, "", never).values[0];
}
Printed text_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                      const std::string& prefix) {
  return printed(trees, Deck{names}, prefix, for_readers);
}
std::string latex(const Tree& tree, std::span<const std::string> names) {
  return printed({&tree, 1}, Latex{names}, "", never).values[0];
}
Printed latex_in_parts(std::span<const Tree> trees, std::span<const std::string> names,
                       const std::string& prefix) {
  return printed(trees, Latex{names}, prefix, for_readers);
}
Printed cpp(std::span<const Tree> trees, std::span<const std::string> names, const std::string& prefix) {
  return printed(trees, Cpp{{names}}, prefix, for_compilers);
}
Printed javascript(std::span<const Tree> trees, std::span<const std::string> names,
                   const std::string& prefix) {
  return printed(trees, JavaScript{{names}}, prefix, for_compilers);
}

}  // namespace cotangent::expressions
