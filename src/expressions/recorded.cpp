// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/recorded.hpp"

#include "core/error.hpp"
#include "core/real.hpp"
#include "expressions/evaluate.hpp"

namespace cotangent::expressions {

namespace {

/// a b, or the power that it is: (a a) a is the cube, in this order alone, for derivatives round by it.
Graph::Id product(Graph& graph, Graph::Id a, Graph::Id b) {
  const Node& left = graph.nodes()[a];
  if (left.operation == Operation::number) return graph.apply(Operation::multiply, a, b);
  if (a == b) return graph.apply(Operation::power, a, graph.number(2));
  if (left.operation == Operation::fixed_power && left.number == 2 && left.operand[0] == b)
    return graph.apply(Operation::power, b, graph.number(3));
  return graph.apply(Operation::multiply, a, b);
}

}  // namespace

Tree Recorded::tree() const {
  if (graph_) return graph_->tree(node_);
  Graph graph;
  return graph.tree(graph.number(number_));
}

Recorded Recorded::of(Operation operation, const Recorded& a) {
  if (!a.graph_) return applied({operation}, a.number_);
  return {*a.graph_, a.graph_->apply(operation, a.node_)};
}

Recorded Recorded::of(Operation operation, const Recorded& a, const Recorded& b) {
  Graph* const graph = a.graph_ ? a.graph_ : b.graph_;
  if (!graph) return applied({operation}, a.number_, b.number_);
  const Graph::Id left = a.in(*graph), right = b.in(*graph);
  return {*graph, operation == Operation::multiply ? product(*graph, left, right)
                                                   : graph->apply(operation, left, right)};
}

Recorded Recorded::power(const Recorded& a, int n) {
  if (n == 3) return a * a * a;
  return cotangent::integer_power<Recorded>(a, n);
}

void unwritable(const char* word) {
  throw Error(std::string("no formula of a deck has a word for ") + word);
}

}  // namespace cotangent::expressions
