// SPDX-License-Identifier: BSD-3-Clause
// Derivatives as formulas: of every function against central differences, of second order against the rule
// of a product, and the zeros that they know.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "expressions/derivative.hpp"
#include "expressions/evaluate.hpp"
#include "expressions/parser.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> names = {"a", "b"};

struct Differentiated {
  Graph graph;
  Graph::Id root;
  explicit Differentiated(const std::string& formula)
      : root(graph.add(parse(formula, Language::value, names))) {}
  std::optional<Tree> by(std::size_t name) {
    const auto slope = derivative(graph, root, name);
    return slope ? std::optional(graph.tree(*slope)) : std::nullopt;
  }
  double value(double a, double b) const {
    return evaluate(graph.tree(root), std::span<const double>(std::array{a, b}));
  }
};

}  // namespace

TEST_CASE("derivatives of all functions are those of central differences") {
  const double a = 0.37, b = 0.59, h = 1e-5;
  for (const char* formula : {"-a*b",         "a^2 - b^3",
                              "a^-1.5",       "abs(a - b)",
                              "sqrt(a*b)",    "exp(a)*b",
                              "log(a + b)",   "sin(a*b)",
                              "cos(a - 2*b)", "tan(a)*b",
                              "asin(a*b)",    "acos(a)*b",
                              "atan(a/b)",    "sinh(a)",
                              "cosh(a*b)",    "tanh(a - b)",
                              "a^b",          "b^a",
                              "a/b",          "b/a",
                              "atan2(a, b)",  "atan2(b, a)",
                              "hypot(a, b)",  "min(a, b)*b",
                              "max(a, b)*b",  "max(b, a) - min(b, a*a)"}) {
    INFO(formula);
    Differentiated f(formula);
    const double expected_a = (f.value(a + h, b) - f.value(a - h, b)) / (2 * h),
                 expected_b = (f.value(a, b + h) - f.value(a, b - h)) / (2 * h);
    const auto at = [&](std::size_t name) {
      const auto slope = f.by(name);
      return slope ? evaluate(*slope, std::span<const double>(std::array{a, b})) : 0.0;
    };
    CHECK(std::abs(at(0) - expected_a) < 1e-8 * (1 + std::abs(expected_a)));
    CHECK(std::abs(at(1) - expected_b) < 1e-8 * (1 + std::abs(expected_b)));
  }
}

TEST_CASE("a derivative of a derivative") {
  Differentiated f("a^3*sin(b)");
  const auto first = derivative(f.graph, f.root, 0);
  REQUIRE(first);
  const auto second = derivative(f.graph, *first, 1);
  REQUIRE(second);
  const double a = 0.8, b = 0.3;
  CHECK(std::abs(evaluate(f.graph.tree(*second), std::span<const double>(std::array{a, b})) -
                 3 * a * a * std::cos(b)) < 1e-15);
}

TEST_CASE("what doesn't depend on a name has no derivative by it") {
  CHECK_FALSE(Differentiated("sin(a)*3").by(1));
  CHECK(Differentiated("sin(a)*b").by(1));
  CHECK(*Differentiated("3*a + b").by(1) == parse("1", Language::value, names));
}

TEST_CASE("at kinks and at zero derivatives are those of automatic differentiation") {
  struct Case {
    const char* formula;
    double a, b, by_a, by_b;
  };
  for (const Case& at :
       {Case{"abs(a)", 0, 1, 0, 0}, Case{"min(a, b)", 2, 2, 0, 1}, Case{"max(a, b)", 2, 2, 0, 1},
        Case{"min(a, b)", 1, 2, 1, 0}, Case{"max(a, b)", 1, 2, 0, 1}, Case{"abs(a)*b", -3, 2, -2, 3},
        Case{"max(a, 0)^2", -1, 0, 0, 0}, Case{"a^2", 0, 0, 0, 0}, Case{"a^3", -2, 0, 12, 0}}) {
    INFO(at.formula << " at " << at.a << ", " << at.b);
    Differentiated f(at.formula);
    const auto by = [&](std::size_t name) {
      const auto slope = f.by(name);
      return slope ? evaluate(*slope, std::span<const double>(std::array{at.a, at.b})) : 0.0;
    };
    CHECK(by(0) == at.by_a);
    CHECK(by(1) == at.by_b);
  }
}

TEST_CASE("of a power, the base may be zero or negative") {
  for (const double base : {0.0, -1.5}) {
    Differentiated f("a^b");
    const auto slope = f.by(0);
    REQUIRE(slope);
    CHECK(std::abs(evaluate(*slope, std::span<const double>(std::array{base, 4.0})) - 4 * std::pow(base, 3)) <
          1e-14);
  }
}

TEST_CASE("a truth has no derivative: the second one of |a| is zero") {
  Differentiated f("abs(a)*a");  // 2|a|, then 2 sgn(a)
  const auto first = derivative(f.graph, f.root, 0);
  REQUIRE(first);
  const auto second = derivative(f.graph, *first, 0);
  REQUIRE(second);
  CHECK(evaluate(f.graph.tree(*second), std::span<const double>(std::array{-0.5, 0.0})) == -2);
}

TEST_CASE("|a| has no slope at NaN, and one at infinity") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* formula : {"abs(a)", "abs(a) + b", "3*abs(2*a)", "abs(a)*a"}) {
    INFO(formula);
    const auto slope = Differentiated(formula).by(0);
    REQUIRE(slope);
    CHECK(std::isnan(evaluate(*slope, std::span<const double>(std::array{nan, 1.0}))));
  }
  const auto slope = Differentiated("abs(a)").by(0);
  REQUIRE(slope);
  CHECK(evaluate(*slope, std::span<const double>(std::array{-HUGE_VAL, 1.0})) == -1);
}

TEST_CASE("what min and max don't choose may have any derivative; NaN comes through") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto slope_at = [](const char* formula, double a, double b, int order = 1) {
    Differentiated f(formula);
    auto node = f.root;
    for (int k = 0; k < order; ++k) node = derivative(f.graph, node, 0).value_or(f.graph.number(0));
    return evaluate(f.graph.tree(node), std::span<const double>(std::array{a, b}));
  };
  CHECK(slope_at("max(sqrt(a), a + b)", 0, 1) == 1);  // the other's is infinite
  CHECK(slope_at("min(log(a), 3*a)", 0, 1) == HUGE_VAL);
  CHECK(slope_at("max(log(a), 3*a)", 0, 1) == 3);
  CHECK(slope_at("max(sqrt(a), a^2 + b)", 0, 1, 2) == 2);
  CHECK(std::isnan(slope_at("max(a^2, b)", nan, 1)));
  CHECK(std::isnan(slope_at("min(b, a^2)", nan, 1)));
  CHECK(slope_at("min(b, a^2)", 3, nan) == 0);  // of the NaN, which doesn't depend on a
}
