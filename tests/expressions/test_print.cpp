// SPDX-License-Identifier: BSD-3-Clause
// Trees as texts: what decks write reads back to the same tree; LaTeX, C++ and JavaScript as they should be.
#include <bit>
#include <cmath>
#include <numbers>
#include <random>

#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/derivative.hpp"
#include "expressions/evaluate.hpp"
#include "expressions/parser.hpp"
#include "expressions/print.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> names = {"a", "b", "c", "d"};

Tree tree(const std::string& formula) {
  return parse(formula, Language::value, names);
}
std::string as_text(const std::string& formula) {
  return text(tree(formula), names);
}
std::string as_latex(const std::string& formula) {
  return latex(tree(formula), names);
}
std::string joined(const Printed& code) {
  std::string all;
  for (const Part& part : code.parts) all += part.name + " = " + part.value + "; ";
  for (std::size_t k = 0; k < code.values.size(); ++k) all += (k > 0 ? ", " : "") + code.values[k];
  return all;
}
std::string as_cpp(const std::string& formula) {
  const Tree one = tree(formula);
  return joined(cpp({&one, 1}, names));
}
std::string as_javascript(const std::string& formula) {
  const Tree one = tree(formula);
  return joined(javascript({&one, 1}, names));
}
bool same_bits(double x, double y) {
  return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
         (std::isnan(x) && std::isnan(y));
}

/// Random formulas whose operands are what stood before them, so that they share parts.
class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}

  Tree tree(int operations) {
    Graph graph;
    std::vector<Graph::Id> values;
    for (std::size_t i = 0; i < names.size(); ++i) values.push_back(graph.name(i));
    for (const double number : {0.5, 2.0, 3.0, -1.5, 1e-20, 6.25e23, std::numbers::pi, 2 * std::numbers::pi})
      values.push_back(graph.number(number));
    const auto operand = [&] {  // late ones more often: deep trees
      const auto back = static_cast<std::size_t>(std::exponential_distribution<>(0.15)(random_));
      return values[values.size() - 1 - back % values.size()];
    };
    std::uniform_int_distribution<int> any(static_cast<int>(Operation::negate),
                                           static_cast<int>(Operation::max));
    for (int k = 0; k < operations; ++k) {
      const auto operation = static_cast<Operation>(any(random_));
      if (operation == Operation::negation) continue;
      const double exponents[] = {2, 3, 4, -1, 0.5, -2.5};
      const Graph::Id a = operand();
      const Graph::Id id = operation == Operation::fixed_power
                               ? graph.apply(Operation::power, a, graph.number(exponents[k % 6]))
                           : operands(operation) == 1 ? graph.apply(operation, a)
                                                      : graph.apply(operation, a, operand());
      const Node& node = graph.nodes()[id];
      if (node.operation != Operation::number || std::isfinite(node.number)) values.push_back(id);
    }
    return graph.tree(values.back());
  }
  std::vector<double> point() {
    std::vector<double> at;
    for (std::size_t i = 0; i < names.size(); ++i)
      at.push_back(std::uniform_real_distribution<>(-2, 2)(random_));
    return at;
  }

 private:
  std::mt19937 random_;
};

}  // namespace

TEST_CASE("a random tree printed and parsed is the same, and so is its value") {
  std::size_t largest = 0;
  for (unsigned seed = 1; seed <= 3000; ++seed) {
    Random random(seed);
    const Tree one = random.tree(40);
    const std::string written = text(one, names);
    INFO(seed << ": " << written);
    const Tree again = parse(written, Language::value, names);
    REQUIRE(again == one);
    const std::vector<double> at = random.point();
    REQUIRE(same_bits(evaluate<double>(one, at), evaluate<double>(again, at)));
    largest = std::max(largest, one.nodes().size());
  }
  CHECK(largest > 20);
}

TEST_CASE("a number in C++ is no integer") {
  CHECK(cpp_number(1.32712440041279419e20) ==
        "132712440041279422464.0");  // as an integer it would be another
  CHECK(cpp_number(-0.0) == "-0.0");
  CHECK(cpp_number(2.0) == "2.0");
  CHECK(cpp_number(0.25) == "0.25");
  CHECK(cpp_number(1e300) == "1e+300");
}

TEST_CASE("conditions and sets read back as well") {
  const std::vector<std::string> sets = {"left", "half-plane", "2"};
  for (const std::string given : {"a > 0", "not (a > 0 and -b <= c) or a + b != 2", "not not a < b",
                                  "(a < 1 or b < 1) and c < 1 and (d < 1 and a > 1)"}) {
    const Tree one = parse(given, Language::condition, names);
    CHECK(text(one, names) == given);
    CHECK(parse(text(one, names), Language::condition, names) == one);
  }
  for (const std::string given : {"left and not (half-plane or 2)", "left or (2 or half-plane)"})
    CHECK(text(parse(given, Language::set, sets), sets) == given);
}

TEST_CASE("decks' formulas have as few parentheses as keep the tree") {
  for (const std::string minimal : {"a + b - c",
                                    "a - (b - c)",
                                    "a - b - (c - d)",
                                    "a + (b + c)",
                                    "-a^2",
                                    "(-a)^2",
                                    "-(a + b)",
                                    "-(-a)",
                                    "-a*b",
                                    "-(a*b)",
                                    "a*(-b)",
                                    "a - (-b)",
                                    "a - (-b*c)",
                                    "a/(b/c)",
                                    "a/b/c",
                                    "a*b/c",
                                    "a*(b/c)",
                                    "a^b^c",
                                    "(a^b)^c",
                                    "a^-b",
                                    "a^-1",
                                    "2*a^2.5",
                                    "(a + b)*c",
                                    "sqrt(a + b)^2",
                                    "min(a, b, c)",
                                    "atan2(a - 1, b)",
                                    "2*pi*a",
                                    "a*(2*pi)",
                                    "a + 2*pi",
                                    "a/pi",
                                    "1e-20*a",
                                    "a - (-1.5)",
                                    "a^3/3"}) {
    const std::string printed = as_text(minimal);
    CHECK(tree(printed) == tree(minimal));
    if (minimal != "min(a, b, c)") CHECK(printed == minimal);
  }
  CHECK(as_text("((a))+((b*c))") == "a + b*c");
  CHECK(as_text("min(a, b, c)") == "min(min(a, b), c)");
  CHECK(as_text("(2*3.141592653589793)*a") == "2*pi*a");
}

TEST_CASE("what decks repeat is a part where it is long") {
  const std::vector<Tree> two = {tree("sin(a*b + c^2 - 1)*(a*b + c^2 - 1)"),
                                 tree("a*b + c^2 - 1 + sin(a)/sin(a)")};
  CHECK(joined(text_in_parts(two, names, "part")) ==
        "part1 = a*b + c^2 - 1; sin(part1)*part1, part1 + sin(a)/sin(a)");
}

TEST_CASE("LaTeX is written as mathematics is") {
  CHECK(as_latex("(a-b)-(c-d)") == "a - b - \\left(c - d\\right)");
  CHECK(as_latex("a+(b+c)") == "a + b + c");
  CHECK(as_latex("-a^2") == "-a^{2}");
  CHECK(as_latex("(-a)^2") == "\\left(-a\\right)^{2}");
  CHECK(as_latex("a/(b/c)") == "\\frac{a}{\\frac{b}{c}}");
  CHECK(as_latex("(a + b)/(c - d)") == "\\frac{a + b}{c - d}");
  CHECK(as_latex("(a/b)^2") == "\\left(\\frac{a}{b}\\right)^{2}");
  CHECK(as_latex("(a + b)*c") == "\\left(a + b\\right) \\, c");
  CHECK(as_latex("a*(b*c)") == "a \\, b \\, c");
  CHECK(as_latex("a*(-b)") == "a \\, \\left(-b\\right)");
  CHECK(as_latex("a + (-b*c)") == "a + \\left(-b \\, c\\right)");
  CHECK(as_latex("-(a + b)") == "-\\left(a + b\\right)");
  CHECK(as_latex("0.5*(a^2 + b^2)") == "\\frac{1}{2} \\, \\left(a^{2} + b^{2}\\right)");
  CHECK(as_latex("a*3") == "a \\cdot 3");
  CHECK(as_latex("sqrt(a + b)") == "\\sqrt{a + b}");
  CHECK(as_latex("sqrt(a)^2") == "\\left(\\sqrt{a}\\right)^{2}");
  CHECK(as_latex("sin(a)^2") == "\\sin^{2}\\left(a\\right)");
  CHECK(as_latex("sin(a)^-1") == "\\left(\\sin\\left(a\\right)\\right)^{-1}");
  CHECK(as_latex("asin(a)") == "\\arcsin\\left(a\\right)");
  CHECK(as_latex("abs(a - b)^3") == "\\left|a - b\\right|^{3}");
  CHECK(as_latex("exp(-a)*b^c") == "e^{-a} \\, b^{c}");
  CHECK(as_latex("2*pi*a + 1e-20") == "2 \\pi \\, a + 1 \\cdot 10^{-20}");
  CHECK(as_latex("max(a, b)") == "\\max\\left(a, b\\right)");
  CHECK(as_latex("hypot(a, b)") == "\\operatorname{hypot}\\left(a, b\\right)");
}

TEST_CASE("names become symbols") {
  CHECK(latex_symbol("q1") == "q_1");
  CHECK(latex_symbol("q12") == "q_{12}");
  CHECK(latex_symbol("q_dot") == "\\dot{q}");
  CHECK(latex_symbol("q1_dot") == "\\dot{q}_1");
  CHECK(latex_symbol("theta_dot") == "\\dot{\\theta}");
  CHECK(latex_symbol("omega1") == "\\omega_1");
  CHECK(latex_symbol("Omega") == "\\Omega");
  CHECK(latex_symbol("p_q1") == "p_{q_1}");
  CHECK(latex_symbol("mass") == "\\mathrm{mass}");
  CHECK(latex_symbol("weight_length") == "\\mathrm{weight}_{\\mathrm{length}}");
  CHECK(latex_symbol("_x") == "\\mathrm{\\_x}");
}

TEST_CASE("C++ names what is used again, and is as long as the tree has nodes") {
  CHECK(as_cpp("a + b*2") == "(a + (b * (2.0)))");
  CHECK(as_cpp("-a^3/sqrt(b)") == "((-power<3>(a)) / sqrt(b))");
  CHECK(as_cpp("a^-2 + a^0.5 + a^b") == "((power<-2>(a) + pow(a, 0.5)) + pow(a, b))");
  CHECK(as_cpp("sin(a + b)*sin(a + b) + (a + b)") == "n1 = (a + b); n2 = sin(n1); ((n2 * n2) + n1)");
  // Sine and cosine of one operand share their work; one of them alone is called by itself.
  CHECK(as_cpp("sin(a)*cos(a) + cos(b)") == "n1 = sincos(a); ((n1.sin * n1.cos) + cos(b))");
  CHECK(as_cpp("cos(a + b)^2 - cos(a + b)*sin(a + b)*sin(b)") ==
        "n1 = (a + b); n2 = sincos(n1); (power<2>(n2.cos) - ((n2.cos * n2.sin) * sin(b)))");
  const std::vector<Tree> two = {tree("a*b + 1"), tree("a*b")};
  CHECK(joined(cpp(two, names)) == "n1 = (a * b); (n1 + (1.0)), n1");
  Graph graph;
  Graph::Id id = graph.name(0);
  for (int k = 0; k < 200; ++k) id = graph.apply(Operation::multiply, id, id);
  const Tree doubled = graph.tree(id);
  CHECK(joined(cpp({&doubled, 1}, names)).size() < 200 * 30);
  CHECK_THROWS_WITH(text(doubled, names), ContainsSubstring("too long"));
  std::string sum = "a";
  for (int k = 0; k < 100000; ++k) sum += " + b";
  const std::string code = as_cpp(sum);
  CHECK(code.size() < 100000 * 12);
  int depth = 0, deepest = 0;
  for (const char c : code) deepest = std::max(deepest, depth += c == '(' ? 1 : c == ')' ? -1 : 0);
  CHECK(deepest < 50);
  CHECK(as_text(sum) == sum);
  for (const std::string truth : {"a < b", "not a < b"}) {
    const Tree condition = parse(truth, Language::condition, names);
    CHECK_THROWS_WITH(cpp({&condition, 1}, names), ContainsSubstring("smooth"));
  }
  CHECK_THROWS_WITH(as_cpp("a + 1/0"), ContainsSubstring("finite"));
}

TEST_CASE("JavaScript multiplies where powers are small") {
  CHECK(as_javascript("sin(a)*pi") == "(Math.sin(a) * (3.141592653589793))");
  CHECK(as_javascript("a^3 - b^5") == "((a * a * a) - Math.pow(b, 5))");
  CHECK(as_javascript("(a + b)^2") == "n1 = (a + b); (n1 * n1)");
  CHECK(as_javascript("atan2(a, b)^c") == "Math.pow(Math.atan2(a, b), c)");
  const Tree condition = parse("a > 0 and not (b == c or b != 1)", Language::condition, names);
  CHECK(joined(javascript({&condition, 1}, names)) == "((a > (0.0)) && (!((b === c) || (b !== (1.0)))))");
}

TEST_CASE(
    "JavaScript's smaller and larger are ours: the second at a tie, of -0 and 0 too, NaN where one is") {
  CHECK(as_javascript("min(a, b)") == "(a < b || a !== a ? a : b)");
  CHECK(as_javascript("max(a, b)") == "(a > b || a !== a ? a : b)");
  CHECK(as_javascript("min(a + b, c*d)") == "n1 = (a + b); n2 = (c * d); (n1 < n2 || n1 !== n1 ? n1 : n2)");
  Graph graph;
  const auto slope = derivative(graph, graph.add(tree("max(a, b^2)")), 1);
  REQUIRE(slope);
  const Tree by_b = graph.tree(*slope);
  CHECK(joined(javascript({&by_b, 1}, names)) == "((!((a > (b * b)) || (a !== a))) ? ((2.0) * b) : 0)");
}
