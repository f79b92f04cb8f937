// SPDX-License-Identifier: BSD-3-Clause
// A formula as a tree whose equal parts are one node: a graph without cycles. Its leaves are numbers and
// names; every other node is an operation on one operand or on two, and a call is an operation that the text
// writes by its name. Each node stands behind its operands, so that one pass folds the tree into whatever its
// operations are taken to mean: numbers (evaluate.hpp), texts (print.hpp), the regions of a billiard.
// Reference: Ershov, On programming of arithmetic operations, Comm. ACM 1 (1958) 3, who numbers the values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cotangent::expressions {

/// What a node is, in the order of its number of operands: none, one (from negate on), two (from add on).
enum class Operation : std::uint8_t {
  number,
  name,
  negate,
  negation,
  fixed_power,  ///< the operand to the power of the node's number
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
  where,  ///< the second where the first holds, else 0: of derivatives, decks have no word for it
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

struct Node {
  Operation operation;
  std::uint32_t name = 0;                  ///< which of the names; of Operation::name
  double number = 0;                       ///< of Operation::number and Operation::fixed_power
  std::array<std::uint32_t, 2> operand{};  ///< which nodes, as many as the operation has

  /// To the bit: 0 isn't -0, and a NaN is itself.
  bool operator==(const Node& other) const;
};

/// How often each node is an operand of another.
std::vector<std::uint32_t> uses(const std::vector<Node>& nodes);

/// One formula: its root is the last node, and no two nodes are equal. Equal formulas are equal trees.
class Tree {
 public:
  const std::vector<Node>& nodes() const { return nodes_; }
  bool mentions(std::size_t name) const;
  bool operator==(const Tree&) const = default;

  /// The root's meaning, given those of leaves, leaf(node), and of operations, one(node, a) and
  /// two(node, a, b). An operand's meaning is moved to whom needs it last.
  template <class Meaning, class Leaf, class One, class Two>
  Meaning fold(const Leaf& leaf, const One& one, const Two& two) const {
    std::vector<std::uint32_t> left = uses(nodes_);
    std::vector<Meaning> meanings;
    meanings.reserve(nodes_.size());
    const auto of = [&](std::uint32_t node) {
      return --left[node] > 0 ? Meaning(meanings[node]) : Meaning(std::move(meanings[node]));
    };
    for (const Node& node : nodes_) {
      if (operands(node.operation) == 0) {
        meanings.push_back(leaf(node));
      } else if (operands(node.operation) == 1) {
        meanings.push_back(one(node, of(node.operand[0])));
      } else {
        Meaning first = of(node.operand[0]);
        meanings.push_back(two(node, std::move(first), of(node.operand[1])));
      }
    }
    return std::move(meanings.back());
  }

 private:
  friend class Graph;
  std::vector<Node> nodes_;
};

/// Formulas as they grow, from the leaves on: what is stated again is found again.
class Graph {
 public:
  using Id = std::uint32_t;  ///< of a node

  Id number(double number) { return found({Operation::number, 0, number, {}}); }
  Id name(std::size_t name) { return found({Operation::name, static_cast<std::uint32_t>(name), 0, {}}); }
  /// An operation on one operand, or on two. On numbers it is done at once; a power whose exponent is a
  /// number is a fixed power.
  Id apply(Operation operation, Id a);
  Id apply(Operation operation, Id a, Id b);
  /// The root of a tree that stood elsewhere; with nodes in place of its names, where they are given.
  Id add(const Tree& tree);
  Id add(const Tree& tree, std::span<const Id> names);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// The formula whose root is this node.
  Tree tree(Id root) const;

 private:
  struct Hash {
    std::size_t operator()(const Node& node) const;
  };
  Id found(const Node& node);
  std::vector<Node> nodes_;
  std::unordered_map<Node, Id, Hash> ids_;
};

}  // namespace cotangent::expressions
