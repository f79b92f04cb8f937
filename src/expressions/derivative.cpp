// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/derivative.hpp"

namespace cotangent::expressions {

namespace {

using Id = Graph::Id;
using Slope = std::optional<Id>;  ///< none: zero

/// Sums and products that know their zeros and ones.
class Calculus {
 public:
  explicit Calculus(Graph& graph) : graph_(graph), zero_(graph.number(0)), one_(graph.number(1)) {}

  Id constant(double value) { return graph_.number(value); }
  Id of(Operation operation, Id a) { return graph_.apply(operation, a); }
  Id of(Operation operation, Id a, Id b) { return graph_.apply(operation, a, b); }
  Id product(Id a, Id b) {
    if (a == one_) return b;
    return b == one_ ? a : of(Operation::multiply, a, b);
  }
  Slope times(Slope a, Id b) { return a ? Slope(product(*a, b)) : Slope(); }
  Slope over(Slope a, Id b) { return a ? Slope(of(Operation::divide, *a, b)) : Slope(); }
  Slope minus(Slope a) { return a ? Slope(of(Operation::negate, *a)) : Slope(); }
  Slope sum(Slope a, Slope b) {
    if (!a || !b) return a ? a : b;
    return of(Operation::add, *a, *b);
  }
  Slope difference(Slope a, Slope b) {
    if (!b) return a;
    return a ? Slope(of(Operation::subtract, *a, *b)) : minus(b);
  }

  /// Of an operation on one operand a; `node` is its value.
  Slope one(const Node& operation, Id node, Id a, Slope da) {
    using enum Operation;
    switch (operation.operation) {
      case negate:
        return minus(da);
      case fixed_power:
        if (operation.number == 0) return {};
        return times(times(da, constant(operation.number)), raised(a, operation.number - 1));
      case abs:
        return times(da, sign(a));
      case sqrt:
        return over(da, of(multiply, constant(2), node));
      case exp:
        return times(da, node);
      case log:
        return over(da, a);
      case sin:
        return times(da, of(cos, a));
      case cos:
        return minus(times(da, of(sin, a)));
      case tan:
        return times(da, of(add, one_, squared(node)));
      case asin:
        return over(da, of(sqrt, of(subtract, one_, squared(a))));
      case acos:
        return minus(over(da, of(sqrt, of(subtract, one_, squared(a)))));
      case atan:
        return over(da, of(add, one_, squared(a)));
      case sinh:
        return times(da, of(cosh, a));
      case cosh:
        return times(da, of(sinh, a));
      case tanh:
        return times(da, of(subtract, one_, squared(node)));
      default:  // a truth
        return {};
    }
  }

  /// Of an operation on two operands.
  Slope two(Operation operation, Id node, Id a, Slope da, Id b, Slope db) {
    using enum Operation;
    switch (operation) {
      case add:
        return sum(da, db);
      case subtract:
        return difference(da, db);
      case multiply:
        return sum(times(da, b), times(db, a));
      case divide:
        return over(difference(da, times(db, node)), b);
      case power:
        return sum(times(times(da, b), of(power, a, of(subtract, b, one_))),
                   times(db, of(multiply, of(log, a), node)));
      case Operation::atan2: {  // of y = a and x = b
        const Id square = of(add, squared(a), squared(b));
        return over(difference(times(da, b), times(db, a)), square);
      }
      case Operation::hypot:
        return over(sum(times(da, a), times(db, b)), node);
      case min:
        return chosen(of(less, a, b), a, da, db);
      case max:
        return chosen(of(greater, a, b), a, da, db);
      case where:
        return only_where(a, db);
      default:  // a truth
        return {};
    }
  }

 private:
  Id raised(Id a, double exponent) {
    if (exponent == 0) return one_;
    return exponent == 1 ? a : of(Operation::power, a, constant(exponent));
  }
  Id squared(Id a) { return raised(a, 2); }
  /// NaN of NaN.
  Id sign(Id a) {
    using enum Operation;
    const Id of_numbers = of(subtract, of(greater, a, zero_), of(less, a, zero_));
    return of(add, of_numbers, of(where, of(unequal, a, a), a));
  }
  Slope only_where(Id truth, Slope slope) {
    return slope ? Slope(of(Operation::where, truth, *slope)) : Slope();
  }
  /// That of a where it is asked for or a is NaN, else that of b; what the other one is doesn't matter.
  Slope chosen(Id asked, Id a, Slope da, Slope db) {
    const Id first = of(Operation::disjunction, asked, of(Operation::unequal, a, a));
    return sum(only_where(first, da), only_where(of(Operation::negation, first), db));
  }
  Graph& graph_;
  Id zero_, one_;
};

}  // namespace

Slope derivative(Graph& graph, Id root, std::size_t name) {
  const std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().begin() + root + 1);
  std::vector<bool> needed(nodes.size(), false);
  needed[root] = true;
  for (std::size_t i = nodes.size(); i-- > 0;)
    for (std::size_t k = 0; needed[i] && k < operands(nodes[i].operation); ++k)
      needed[nodes[i].operand[k]] = true;

  Calculus calculus(graph);
  std::vector<Slope> slopes(nodes.size());
  for (Id i = 0; i <= root; ++i) {
    const Node& node = nodes[i];
    if (!needed[i]) continue;
    const auto [a, b] = node.operand;
    if (node.operation == Operation::name && node.name == name)
      slopes[i] = calculus.constant(1);
    else if (operands(node.operation) == 1)
      slopes[i] = calculus.one(node, i, a, slopes[a]);
    else if (operands(node.operation) == 2)
      slopes[i] = calculus.two(node.operation, i, a, slopes[a], b, slopes[b]);
  }
  return slopes[root];
}

}  // namespace cotangent::expressions
