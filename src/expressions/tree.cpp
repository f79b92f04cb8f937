// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/tree.hpp"

#include <algorithm>

#include "expressions/evaluate.hpp"

namespace cotangent::expressions {

template double evaluate(const Tree&, std::span<const double>);

void Tree::apply(Operation operation) {
  const std::size_t count = operands(operation);
  const Node* const operand = &*(nodes_.end() - static_cast<std::ptrdiff_t>(count));
  const auto is_number = [](const Node& node) { return node.operation == Operation::number; };
  if (std::all_of(operand, operand + count, is_number)) {
    const double value = count == 1 ? applied(Node{operation}, operand[0].number)
                                    : applied(Node{operation}, operand[0].number, operand[1].number);
    if (count == 2) nodes_.pop_back();
    nodes_.back().number = value;
  } else if (operation == Operation::power && is_number(nodes_.back())) {
    nodes_.back().operation = Operation::fixed_power;
  } else {
    nodes_.push_back({operation});
  }
}

std::size_t Tree::pending() const {
  std::size_t now = 0, most = 0;
  for (const Node& node : nodes_) {
    now += 1 - operands(node.operation);  // unsigned, and the sum is never negative
    most = std::max(most, now);
  }
  return most;
}

bool Tree::mentions(std::size_t name) const {
  return std::any_of(nodes_.begin(), nodes_.end(), [name](const Node& node) {
    return node.operation == Operation::name && node.name == name;
  });
}

}  // namespace cotangent::expressions
