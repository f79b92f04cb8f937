// SPDX-License-Identifier: BSD-3-Clause
// What all printers share. One pass over the nodes makes each a piece of text from its operands' pieces; a
// language says how: leaf(node), one(node, a), two(node, a, b), part(name), and mentions(node), how often a
// node writes its operands down. One that takes the sine and the cosine of an operand together says that in
// sine_and_cosine(a), a part, and how each is read from it in one_of_both(node, part).
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "expressions/print.hpp"

namespace cotangent::expressions::printing {

inline constexpr std::size_t longest_text = 1000000;
inline constexpr int deepest_nesting = 40;  ///< of parentheses in C++ and JavaScript
inline constexpr int least_shared = 4;      ///< operations of what decks write once under a name

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
inline std::string shortest(double number) {
  if (!std::isfinite(number)) throw Error("a formula holds a number that isn't finite");
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return {text.data(), end};
}

inline std::string_view word(Operation operation) {
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
inline std::optional<Binding> infix(Operation operation) {
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

inline std::string in_parentheses(std::string text) {
  text.insert(0, 1, '(');
  text += ')';
  return text;
}
inline std::string called(std::string_view function, const std::string& arguments) {
  return std::string(function) + "(" + arguments + ")";
}
/// a's text grows by b's: what is long is on the left of long sums.
inline std::string between(std::string a, std::string_view sign, std::string_view b) {
  a += sign;
  a += b;
  return a;
}
inline bool is_whole(double number) {
  return number == std::floor(number) && std::abs(number) <= 64;
}

/// What becomes a part: never a leaf.
using Apart = bool (*)(const Piece& piece, std::size_t uses);

template <class Language>
concept TakesSineWithCosine = requires {
  &Language::sine_and_cosine;
};

/// Of each node which of sine and cosine are taken of it: 1, 2 or 3.
inline std::vector<int> circular_functions(const std::vector<Node>& nodes) {
  std::vector<int> taken(nodes.size(), 0);
  for (const Node& node : nodes)
    if (node.operation == Operation::sin || node.operation == Operation::cos)
      taken[node.operand[0]] |= node.operation == Operation::sin ? 1 : 2;
  return taken;
}

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
  const auto put_apart = [&](std::string value) {
    const std::string name = Language::part(prefix + std::to_string(result.parts.size() + 1));
    result.parts.push_back({name, std::move(value)});
    return name;
  };
  const std::vector<int> circular = circular_functions(nodes);
  std::vector<std::string> both(nodes.size());  ///< the part of each node's sine and cosine
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    if (operands(node.operation) == 0) {
      pieces[i] = language.leaf(node);
      continue;
    }
    Piece a = take(node.operand[0]);
    if constexpr (TakesSineWithCosine<Language>) {
      const bool is_circular = node.operation == Operation::sin || node.operation == Operation::cos;
      if (is_circular && circular[node.operand[0]] == 3) {
        std::string& part = both[node.operand[0]];
        if (part.empty()) part = put_apart(Language::sine_and_cosine(a));
        pieces[i] = Language::one_of_both(node, part);
        continue;
      }
    }
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
    if (apart(pieces[i], uses[i])) pieces[i] = {put_apart(std::move(pieces[i].text))};
  }
  for (const Graph::Id root : roots) result.values.push_back(take(root).text);
  return result;
}

inline bool never(const Piece&, std::size_t) {
  return false;
}
inline bool for_readers(const Piece& piece, std::size_t uses) {
  return uses > 1 && piece.operations >= least_shared;
}
inline bool for_compilers(const Piece& piece, std::size_t uses) {
  return uses > 1 || piece.depth >= deepest_nesting;
}

}  // namespace cotangent::expressions::printing
