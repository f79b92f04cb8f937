// SPDX-License-Identifier: BSD-3-Clause
// A formula as a tree. Its leaves are numbers and names; every other node is an operation on one operand or
// on two, and a call is an operation that the text writes by its name. The nodes are kept in postorder, each
// behind its operands (Dijkstra 1961), so that one pass with a stack folds the tree into whatever its
// operations are taken to mean: numbers (evaluate.hpp), the regions of a billiard.
#pragma once

#include <cstddef>
#include <cstdint>
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
  std::uint32_t name = 0;  ///< which of the names; of Operation::name
  double number = 0;       ///< of Operation::number and Operation::fixed_power
};

class Tree {
 public:
  void add_number(double number) { nodes_.push_back({Operation::number, 0, number}); }
  void add_name(std::size_t name) { nodes_.push_back({Operation::name, static_cast<std::uint32_t>(name)}); }
  /// An operation on the last operand, or the last two. On numbers it is done at once.
  void apply(Operation operation);

  const std::vector<Node>& nodes() const { return nodes_; }
  /// How many operands wait for their operation at most.
  std::size_t pending() const;
  bool mentions(std::size_t name) const;

  /// The root's meaning, given those of leaves, leaf(node), and of operations, one(node, a) and
  /// two(node, a, b).
  template <class Meaning, class Leaf, class One, class Two>
  Meaning fold(const Leaf& leaf, const One& one, const Two& two) const {
    std::vector<Meaning> stack;
    for (const Node& node : nodes_) {
      if (operands(node.operation) == 0) {
        stack.push_back(leaf(node));
      } else if (operands(node.operation) == 1) {
        stack.back() = one(node, stack.back());
      } else {
        const Meaning right = std::move(stack.back());
        stack.pop_back();
        stack.back() = two(node, stack.back(), right);
      }
    }
    return std::move(stack.back());
  }

 private:
  std::vector<Node> nodes_;
};

}  // namespace cotangent::expressions
