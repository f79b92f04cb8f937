// SPDX-License-Identifier: BSD-3-Clause
#include "formulas/pair_potential.hpp"

#include <cmath>
#include <optional>
#include <vector>

#include "formulas/loader.hpp"
#include "formulas/source.hpp"

namespace cotangent::formulas {

namespace {

using expressions::Graph;
using expressions::Node;
using expressions::Operation;

/// What a node has become.
struct Rewritten {
  Graph::Id value;
  bool constant = false;            ///< r isn't in it
  bool rootless = false;            ///< nothing of it needs r, but s at most
  std::optional<Graph::Id> square;  ///< of what is proportional to an odd power of r
};

class Squares {
 public:
  explicit Squares(std::size_t s) : s_(s) {}

  expressions::Tree of(const expressions::Tree& tree) {
    for (const Node& node : tree.nodes()) done_.push_back(rewritten(node));
    return graph_.tree(done_.back().value);
  }

 private:
  Rewritten rewritten(const Node& node) {
    if (node.operation == Operation::number) return {graph_.number(node.number), true, true, {}};
    if (node.operation == Operation::name)
      return node.name == 0 ? Rewritten{graph_.name(0), false, false, graph_.name(s_)}
                            : Rewritten{graph_.name(node.name), true, true, {}};
    const Rewritten a = done_[node.operand[0]];
    if (node.operation == Operation::fixed_power) return power(a, node.number);
    if (operands(node.operation) == 1)
      return {graph_.apply(node.operation, a.value), a.constant, a.rootless,
              node.operation == Operation::negate ? a.square : std::nullopt};
    const Rewritten b = done_[node.operand[1]];
    if (node.operation == Operation::multiply) return multiplied(a, b);
    if (node.operation == Operation::divide) return divided(a, b);
    return {graph_.apply(node.operation, a.value, b.value), a.constant && b.constant,
            a.rootless && b.rootless, std::nullopt};
  }

  Rewritten power(const Rewritten& a, double n) {
    const bool odd = std::fmod(n, 2) != 0;
    if (!a.square || n != std::round(n)) return {raised(a.value, n), a.constant, a.rootless, std::nullopt};
    if (odd) return {raised(a.value, n), false, false, raised(*a.square, n)};
    return {raised(*a.square, n / 2), false, true, std::nullopt};
  }
  Rewritten multiplied(const Rewritten& a, const Rewritten& b) {
    if (a.square && a.value == b.value) return {*a.square, false, true, std::nullopt};
    Rewritten result{graph_.apply(Operation::multiply, a.value, b.value), a.constant && b.constant,
                     a.rootless && b.rootless, std::nullopt};
    if (a.square && b.rootless) result.square = product(*a.square, squared(b));
    if (b.square && a.rootless) result.square = product(squared(a), *b.square);
    return result;
  }
  Rewritten divided(const Rewritten& a, const Rewritten& b) {
    Rewritten result{a.value, a.constant && b.constant, a.rootless && b.rootless, std::nullopt};
    if (a.constant != b.constant)
      result.value = product(inverse(b.value), a.value);
    else
      result.value = graph_.apply(Operation::divide, a.value, b.value);
    if (a.square && b.rootless) result.square = product(*a.square, inverse(squared(b)));
    if (b.square && a.rootless) result.square = product(inverse(*b.square), squared(a));
    return result;
  }

  bool is_one(Graph::Id id) const {
    return graph_.nodes()[id].operation == Operation::number && graph_.nodes()[id].number == 1;
  }
  Graph::Id product(Graph::Id a, Graph::Id b) {
    return is_one(a) ? b : is_one(b) ? a : graph_.apply(Operation::multiply, a, b);
  }
  Graph::Id squared(const Rewritten& a) { return product(a.value, a.value); }
  Graph::Id inverse(Graph::Id a) { return graph_.apply(Operation::divide, graph_.number(1), a); }
  Graph::Id raised(Graph::Id a, double n) {
    return n == 1 ? a : graph_.apply(Operation::power, a, graph_.number(n));
  }

  std::size_t s_;
  Graph graph_;
  std::vector<Rewritten> done_;
};

}  // namespace

expressions::Tree of_squared_distance(const PairStatement& statement) {
  return Squares(1 + statement.parameters).of(statement.potential);
}

std::string source(const PairStatement& statement) {
  const expressions::Tree tree = of_squared_distance(statement);
  const Argument arguments[] = {{"s", 0}, {"p", statement.parameters}};
  std::vector<std::string> names = numbered("p", statement.parameters);
  names.insert(names.begin(), "r");
  names.emplace_back("s");
  return unit("Potential",
              "  static constexpr std::string_view name = \"formula\", about = \"\";\n"
              "  static constexpr std::array<mechanics::Parameter, " +
                  std::to_string(statement.parameters) + "> parameters{};\n" +
                  member("operator()", arguments, {&tree, 1}, names,
                         std::string("    using pairs::power;\n") +
                             (tree.mentions(0) ? "    const auto r = sqrt(s);\n" : "")) +
                  "  static double scale(const std::array<double, " + std::to_string(statement.parameters) +
                  ">&) { return 1.0; }\n",
              "COTANGENT_FORMULA_POTENTIAL");
}

LoadedPotential load(const PairStatement& statement, const CompiledFiles& files) {
  const Library library(source(statement), files);
  return {std::unique_ptr<particles::Potential>(
              library.function<particles::Potential*()>("cotangent_formula_potential")()),
          library.how()};
}

}  // namespace cotangent::formulas
