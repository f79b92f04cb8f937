// SPDX-License-Identifier: BSD-3-Clause
// One evaluator over every real type: lanes and jets against the same formulas in double and in C++.
#include <cmath>
#include <limits>

#include "ad/ad.hpp"
#include "catch.hpp"
#include "expressions/expression.hpp"
#include "numerics/lanes.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> names = {"x", "y"};

/// Every operation there is, each of them smooth where x > 0 > y > -1.
const std::vector<std::string> smooth = {
    "x + y",  "x - y",       "x*y",         "x/y",          "-x",        "x^2",     "y^3",     "y^4",
    "y^(-1)", "x^2.5",       "x^y",         "2^y",          "sqrt(x)",   "exp(x)",  "log(x)",  "sin(x*y)",
    "cos(x)", "tan(y)",      "asin(y)",     "acos(y)",      "atan(x*y)", "sinh(x)", "cosh(y)", "tanh(x - y)",
    "abs(y)", "atan2(y, x)", "hypot(x, y)", "min(x, y, 1)", "max(x, y)"};
const std::vector<std::string> truths = {"x < y",  "x <= y", "x > y",           "x >= y",
                                         "x == y", "x != y", "x < 0 and y < 0", "x < 0 or not y < 0"};

}  // namespace

TEMPLATE_TEST_CASE("each lane has the value that it has alone", "", numerics::Lanes<2>, numerics::Lanes<4>,
                   numerics::Lanes<8>) {
  using R = TestType;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double x[] = {0.5, 1.25, nan, 3.0, 0.1, 1.0, 7.5, -2.0},
               y[] = {-0.5, -0.25, -0.1, nan, -0.9, 2.0, 3.0, 0.0};
  std::vector<R> at(2, R(0.0));
  for (int i = 0; i < R::width; ++i) {
    at[0].set(i, x[i]);
    at[1].set(i, y[i]);
  }
  const auto agree = [&](const std::string& text, const R& found, double value, int i) {
    INFO(text << " at " << x[i] << ", " << y[i]);
    CHECK((found[i] == value || std::abs(found[i] - value) <= 4e-16 * std::abs(value) ||
           (std::isnan(found[i]) && std::isnan(value))));
  };
  for (const std::string& text : smooth) {
    const auto f = Expression::parse(text, names);
    const R found = f.evaluate<R>(at);
    for (int i = 0; i < R::width; ++i) agree(text, found, f.evaluate(std::vector<double>{x[i], y[i]}), i);
  }
  for (const std::string& text : truths) {
    const Tree tree = parse(text, Language::condition, names);
    const R found = evaluate<R>(tree, at);
    for (int i = 0; i < R::width; ++i)
      agree(text, found, Condition::parse(text, names).holds(std::vector<double>{x[i], y[i]}), i);
  }
}

TEST_CASE("jets of every operation have its derivatives") {
  using J = ad::A<2>;
  const double x = 0.7, y = -0.4, h = 1e-4;
  const std::vector<J> at = {ad::variable<0, 2, 2, 0>(x), ad::variable<1, 2, 2, 0>(y)};
  for (const std::string& text : smooth) {
    INFO(text);
    const auto f = Expression::parse(text, names);
    const auto value = [&](double dx, double dy) { return f.evaluate(std::vector<double>{x + dx, y + dy}); };
    const J found = f.evaluate<J>(at);
    CHECK(found.value() == value(0, 0));
    CHECK(ad::gradient<0>(found) == within((value(h, 0) - value(-h, 0)) / (2 * h), 1e-6));
    CHECK(ad::gradient<1>(found) == within((value(0, h) - value(0, -h)) / (2 * h), 1e-6));
    const double xx = (value(h, 0) - 2 * value(0, 0) + value(-h, 0)) / (h * h);
    const double xy = (value(h, h) - value(h, -h) - value(-h, h) + value(-h, -h)) / (4 * h * h);
    const double yy = (value(0, h) - 2 * value(0, 0) + value(0, -h)) / (h * h);
    CHECK(ad::hessian<0, 0>(found) == within(xx, 1e-5));
    CHECK(ad::hessian<0, 1>(found) == within(xy, 1e-5));
    CHECK(ad::hessian<1, 1>(found) == within(yy, 1e-5));
  }
}

TEST_CASE("jets of lanes: the Lagrangian of Henon and Heiles, as a text and as C++") {
  using Real = numerics::Lanes<4>;
  using J = ad::Jet<Real, 4, 2, ad::full<4>>;
  const std::vector<std::string> variables = {"q1", "q2", "v1", "v2"};
  const auto text = Expression::parse("(v1^2 + v2^2)/2 - (q1^2 + q2^2)/2 - q1^2*q2 + q2^3/3", variables);
  Real q1(0.1), q2(-0.2), v1(0.3), v2(0.0);
  for (int i = 0; i < 4; ++i) {
    q1.set(i, 0.1 - 0.3 * i);
    v2.set(i, 0.2 * i);
  }
  const auto state = ad::seed<0, 4, 2, 0>(std::array{q1, q2, v1, v2});
  const auto [a, b, c, d] = state;
  const J written = 0.5 * (c * c + d * d) - 0.5 * (a * a + b * b) - a * a * b + b * b * b / 3.0;
  const std::vector<J> at = {a, b, c, d};
  const J found = text.evaluate<J>(at);
  const auto near = [](const Real& f, const Real& g) { return all(abs(f - g) <= Real(1e-15)); };
  CHECK(near(found.value(), written.value()));
  const auto first = ad::gradient_of<4>(found), first_written = ad::gradient_of<4>(written);
  const auto second = ad::hessian_of<4>(found), second_written = ad::hessian_of<4>(written);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(near(first[i], first_written[i]));
    for (std::size_t j = 0; j < 4; ++j) CHECK(near(second[i][j], second_written[i][j]));
  }
}

TEST_CASE("a power has derivatives by its exponent, where that is 2 or 3, too") {
  using J = ad::A<2>;
  for (const double y : {2.0, 3.0, 2.5}) {
    INFO(y);
    const double x = 1.7;
    const std::vector<J> at{ad::variable<0, 2, 2, 0>(x), ad::variable<1, 2, 2, 0>(y)};
    const auto power = Expression::parse("x^y", names).evaluate<J>(at);
    CHECK(ad::value(power) == Approx(std::pow(x, y)).epsilon(1e-14));
    CHECK(ad::gradient<0>(power) == Approx(y * std::pow(x, y - 1)).epsilon(1e-14));
    CHECK(ad::gradient<1>(power) == Approx(std::pow(x, y) * std::log(x)).epsilon(1e-14));
    CHECK(ad::hessian<0, 1>(power) == Approx(std::pow(x, y - 1) * (1 + y * std::log(x))).epsilon(1e-14));
    const auto exponential = Expression::parse("2^y", names).evaluate<J>(at);
    CHECK(ad::gradient<1>(exponential) == Approx(std::pow(2, y) * std::log(2)).epsilon(1e-14));
  }
}

TEST_CASE("what holds numbers alone is one number, and a fixed power one node") {
  const auto nodes = [](const std::string& text) {
    return parse(text, Language::value, names).nodes().size();
  };
  CHECK(nodes("1 + 2*(3 - sin(0.5))^2/min(4, 5, pi)") == 1);
  CHECK(nodes("x") == 1);
  CHECK(nodes("x + 2*3") == 3);
  CHECK(nodes("x^2") == 2);
  CHECK(nodes("x^(1 + 1)") == 2);
  CHECK(nodes("x^y") == 3);
  CHECK(nodes("2^y") == 3);
  CHECK(nodes("max(x, y, 1)") == 5);
}

TEST_CASE("equal parts are one node, whose value is taken once") {
  const auto nodes = [](const std::string& text) {
    return parse(text, Language::value, names).nodes().size();
  };
  CHECK(nodes("(x + y)*(x + y)") == 4);
  CHECK(nodes("(x + y)*(y + x)") == 5);
  CHECK(nodes("sin(x + y)^2 + cos(x + y)*sin(x + y)") == 8);
  CHECK(nodes("0*x - (-0)*x") == 6);  // 0 isn't -0
  std::string doubled = "x";
  for (int k = 0; k < 6; ++k) doubled = "(" + doubled + " + " + doubled + ")";
  Graph graph;
  Graph::Id id = graph.name(0);
  for (int k = 0; k < 100; ++k) id = graph.apply(Operation::add, id, id);
  const Tree tree = graph.tree(id);
  CHECK(tree.nodes().size() == 101);
  CHECK(evaluate(tree, std::span<const double>(std::vector<double>{3.0})) == std::ldexp(3.0, 100));
  CHECK(parse(doubled, Language::value, names).nodes().size() == 7);
}
