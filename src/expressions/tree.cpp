// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/tree.hpp"

#include <algorithm>
#include <bit>

#include "expressions/evaluate.hpp"

namespace cotangent::expressions {

template double evaluate(const Tree&, std::span<const double>);

namespace {

constexpr auto bits = [](double number) { return std::bit_cast<std::uint64_t>(number); };

}  // namespace

bool Node::operator==(const Node& other) const {
  return operation == other.operation && name == other.name && bits(number) == bits(other.number) &&
         operand == other.operand;
}

std::vector<std::uint32_t> uses(const std::vector<Node>& nodes) {
  std::vector<std::uint32_t> count(nodes.size(), 0);
  for (const Node& node : nodes)
    for (std::size_t k = 0; k < operands(node.operation); ++k) ++count[node.operand[k]];
  return count;
}

bool Tree::mentions(std::size_t name) const {
  return std::ranges::any_of(
      nodes_, [name](const Node& node) { return node.operation == Operation::name && node.name == name; });
}

std::size_t Graph::Hash::operator()(const Node& node) const {
  std::uint64_t hash = static_cast<std::uint64_t>(node.operation);
  for (const std::uint64_t part :
       {std::uint64_t{node.name}, bits(node.number), std::uint64_t{node.operand[0]} << 32 | node.operand[1]})
    hash = std::rotl((hash ^ part) * 0x9e3779b97f4a7c15u, 29);
  return static_cast<std::size_t>(hash);
}

namespace {

/// Whether its value is true or false: a comparison, or made of such. It is never put as a number, which no
/// text of a condition may hold.
constexpr bool is_truth(Operation operation) {
  return operation == Operation::negation || operation >= Operation::less;
}

}  // namespace

Graph::Id Graph::found(const Node& node) {
  const auto [place, isnew] = ids_.try_emplace(node, static_cast<Id>(nodes_.size()));
  if (isnew) nodes_.push_back(node);
  return place->second;
}

Graph::Id Graph::apply(Operation operation, Id a) {
  if (!is_truth(operation) && nodes_[a].operation == Operation::number)
    return number(applied({operation}, nodes_[a].number));
  return found({operation, 0, 0, {a}});
}

Graph::Id Graph::apply(Operation operation, Id a, Id b) {
  const bool fixed = nodes_[b].operation == Operation::number && !is_truth(operation);
  if (fixed && nodes_[a].operation == Operation::number)
    return number(applied({operation}, nodes_[a].number, nodes_[b].number));
  if (fixed && operation == Operation::power)
    return found({Operation::fixed_power, 0, nodes_[b].number, {a}});
  return found({operation, 0, 0, {a, b}});
}

Graph::Id Graph::add(const Tree& tree) {
  std::vector<Id> ids;
  for (Node node : tree.nodes()) {
    for (std::size_t k = 0; k < operands(node.operation); ++k) node.operand[k] = ids[node.operand[k]];
    ids.push_back(found(node));
  }
  return ids.back();
}

Graph::Id Graph::add(const Tree& tree, std::span<const Id> names) {
  std::vector<Id> ids;
  for (const Node& node : tree.nodes()) {
    const auto& [a, b] = node.operand;
    if (node.operation == Operation::name)
      ids.push_back(names[node.name]);
    else if (node.operation == Operation::number)
      ids.push_back(number(node.number));
    else if (node.operation == Operation::fixed_power)
      ids.push_back(apply(Operation::power, ids[a], number(node.number)));
    else if (operands(node.operation) == 1)
      ids.push_back(apply(node.operation, ids[a]));
    else
      ids.push_back(apply(node.operation, ids[a], ids[b]));
  }
  return ids.back();
}

Tree Graph::tree(Id root) const {
  // Left to right, so that the order of a formula's nodes is its own.
  Tree result;
  std::unordered_map<Id, Id> placed;
  std::vector<Id> path{root};
  while (!path.empty()) {
    const Id id = path.back();
    Node node = nodes_[id];
    const std::size_t count = operands(node.operation);
    std::size_t k = 0;
    while (k < count && placed.contains(node.operand[k])) ++k;
    if (k < count) {
      path.push_back(node.operand[k]);
      continue;
    }
    path.pop_back();
    if (placed.contains(id)) continue;
    for (k = 0; k < count; ++k) node.operand[k] = placed[node.operand[k]];
    placed[id] = static_cast<Id>(result.nodes_.size());
    result.nodes_.push_back(node);
  }
  return result;
}

}  // namespace cotangent::expressions
