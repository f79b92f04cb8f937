// SPDX-License-Identifier: BSD-3-Clause
// Expressions and conditions: values, precedence, constants, and every way to get one wrong.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/expression.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> names = {"q1", "q2", "q1_dot", "p_q1"};
const std::vector<double> state = {0.3, -1.7, 2.5, 4.0};
const double not_a_number = std::numeric_limits<double>::quiet_NaN();

double value(const std::string& text) {
  return Expression::parse(text, names).evaluate(state);
}
bool holds(const std::string& text) {
  return Condition::parse(text, names).holds(state);
}

/// What was said, in its first line, and what of the text was shown.
template <class Kind>
std::pair<std::string, std::string> refusal_shown(const std::string& text) {
  try {
    Kind::parse(text, names);
  } catch (const Error& error) {
    CHECK(error.code() == exit_bad_input);
    const std::string what = error.what();
    const auto end = std::min(what.find('\n'), what.size());
    return {what.substr(0, end), what.substr(end)};
  }
  return {"no refusal", ""};
}
template <class Kind>
std::string refusal(const std::string& text) {
  return refusal_shown<Kind>(text).first;
}
std::string refused(const std::string& text) {
  return refusal<Expression>(text);
}
std::string refused_condition(const std::string& text) {
  return refusal<Condition>(text);
}

bool contains(const std::string& text, const std::string& part) {
  UNSCOPED_INFO("in '" << text << "'");
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("precedence and associativity are those of mathematics") {
  CHECK(value("1 + 2*3") == 7);
  CHECK(value("(1 + 2)*3") == 9);
  CHECK(value("8 - 3 - 2") == 3);
  CHECK(value("8 / 4 / 2") == 1);
  CHECK(value("2^3^2") == 512);
  CHECK(value("-2^2") == -4);
  CHECK(value("(-2)^2") == 4);
  CHECK(value("2^-1") == 0.5);
  CHECK(value("2 * -3") == -6);
  CHECK(value("--3") == 3);
  CHECK(value("+3 - +2") == 1);
  CHECK(value("6/2*3") == 9);
  CHECK(value(" \t( ( 1 ) )\n") == 1);
}

TEST_CASE("numbers are read in every usual form") {
  CHECK(value("0.1") == 0.1);
  CHECK(value(".5") == 0.5);
  CHECK(value("2.") == 2);
  CHECK(value("1e-3") == 1e-3);
  CHECK(value("1.5E+2") == 150);
  CHECK(value("pi") == 3.14159265358979323846);
  CHECK(value("1-1") == 0);
}

TEST_CASE("variables and functions") {
  CHECK(value("q1") == 0.3);
  CHECK(value("q1_dot") == 2.5);
  CHECK(value("q1*q2 - p_q1/q1_dot") == 0.3 * -1.7 - 4.0 / 2.5);
  CHECK(value("q2^2") == -1.7 * -1.7);
  CHECK(value("q1^2.5") == std::pow(0.3, 2.5));
  CHECK(value("sqrt(p_q1)") == 2);
  CHECK(value("exp(q1)") == std::exp(0.3));
  CHECK(value("log(q1)") == std::log(0.3));
  CHECK(value("sin(q1)") == std::sin(0.3));
  CHECK(value("cos(q1)") == std::cos(0.3));
  CHECK(value("tan(q1)") == std::tan(0.3));
  CHECK(value("asin(q1)") == std::asin(0.3));
  CHECK(value("acos(q1)") == std::acos(0.3));
  CHECK(value("atan(q1)") == std::atan(0.3));
  CHECK(value("sinh(q1)") == std::sinh(0.3));
  CHECK(value("cosh(q1)") == std::cosh(0.3));
  CHECK(value("tanh(q1)") == std::tanh(0.3));
  CHECK(value("abs(q2)") == 1.7);
  CHECK(value("atan2(q2, q1)") == std::atan2(-1.7, 0.3));
  CHECK(value("hypot (q1, q2)") == std::hypot(0.3, -1.7));
  CHECK(value("min(q1, q2)") == -1.7);
  CHECK(value("max(q1, q2, p_q1, 1)") == 4);
  CHECK(value("min(3, 1 + 1, max(0, 5))") == 2);
}

TEST_CASE("a variable may have the name of a function or of pi") {
  const std::vector<std::string> odd = {"pi", "min"};
  const std::vector<double> at = {5, 7};
  CHECK(Expression::parse("min(pi, min)", odd).evaluate(at) == 5);
  CHECK(Expression::parse("min", odd).evaluate(at) == 7);
}

TEST_CASE("a power is the same whether its exponent is a number or a variable") {
  for (const double exponent : {2.0, 3.0, 2.5, 0.0, -1.0, 7.0}) {
    INFO(exponent);
    const std::vector<double> at = {1.1, exponent, 0, 0};
    const double product = 1.1 * 1.1;
    const double power = exponent == 2 ? product : exponent == 3 ? product * 1.1 : std::pow(1.1, exponent);
    CHECK(Expression::parse("q1^q2", names).evaluate(at) == power);
    CHECK(Expression::parse("q1^(" + std::to_string(exponent) + ")", names).evaluate(at) == power);
  }
}

TEST_CASE("constants stand for their numbers, as if these were written") {
  const std::vector<Constant> constants = {{"speed", -0.3}, {"q2", 2.0}, {"pi", 3.0}};
  const auto with = [&](const std::string& text) {
    return Expression::parse(text, names, constants).evaluate(state);
  };
  CHECK(with("-speed^2") == -(-0.3 * -0.3));
  CHECK(with("q1*q2") == 0.6);  // a constant hides a variable
  CHECK(with("pi") == 3);
  CHECK(with("1 - speed*q1") == 1 - -0.3 * 0.3);
  CHECK_FALSE(Expression::parse("q2 + speed", names, constants).depends_on(1));
  const auto refused_with = [&](const std::string& text) -> std::string {
    try {
      Expression::parse(text, names, constants);
    } catch (const Error& error) {
      return error.what();
    }
    return "no refusal";
  };
  CHECK(contains(refused_with("q1 - sped"),
                 "unknown name 'sped' at column 6 of 'q1 - sped'; did you mean 'speed'?"));
  CHECK(contains(refused_with("speed(q1)"), "'speed' is a variable, not a function, at column 1"));
}

TEST_CASE("values that aren't finite come through") {
  CHECK(std::isnan(value("sqrt(q2)")));
  CHECK(std::isinf(value("1/0")));
  const auto f = [](const std::string& text, double q1) {
    return Expression::parse(text, names).evaluate(std::vector<double>{q1, 1, 0, 0});
  };
  for (const std::string text :
       {"min(q1, q2)", "min(q2, q1)", "max(q1, q2)", "max(q2, q1)", "q1 + 1", "abs(q1)"}) {
    CHECK(std::isnan(f(text, not_a_number)));
    CHECK(std::isfinite(f(text, 2)));
  }
}

TEST_CASE("random polynomials agree with the same arithmetic written in C++ to the bit") {
  const auto f = Expression::parse("0.5*(q1_dot^2 + q2*q2) + q1^2*q2 - q2^3/3 - -q1", names);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-2, 2);
  for (int trial = 0; trial < 1000; ++trial) {
    const double q1 = uniform(random), q2 = uniform(random), v = uniform(random);
    const double exact = 0.5 * (v * v + q2 * q2) + q1 * q1 * q2 - q2 * q2 * q2 / 3 - -q1;
    const std::vector<double> at = {q1, q2, v, 0};
    CHECK(std::bit_cast<std::uint64_t>(f.evaluate(at)) == std::bit_cast<std::uint64_t>(exact));
  }
}

TEST_CASE("an expression knows its variables") {
  const auto f = Expression::parse("sin(q2) + 3*p_q1", names);
  CHECK_FALSE(f.depends_on(0));
  CHECK(f.depends_on(1));
  CHECK_FALSE(f.depends_on(2));
  CHECK(f.depends_on(3));
  CHECK_FALSE(f.depends_on(17));
  CHECK(f.text() == "sin(q2) + 3*p_q1");
  const auto c = Condition::parse("q1 > 0 and not q1_dot < 2", names);
  CHECK(c.depends_on(2));
  CHECK_FALSE(c.depends_on(1));
}

TEST_CASE("conditions compare and combine") {
  CHECK(holds("q1 > 0"));
  CHECK_FALSE(holds("q1 < 0"));
  CHECK(holds("p_q1 >= 4"));
  CHECK(holds("p_q1 <= 4"));
  CHECK_FALSE(holds("p_q1 > 4"));
  CHECK(holds("p_q1 == 4"));
  CHECK(holds("p_q1 != 5"));
  CHECK(holds("q1 > 0 and q2 < 0.5"));
  CHECK_FALSE(holds("q1 > 0 and q2 > 0.5"));
  CHECK(holds("q1 < 0 or q2 < 0.5"));
  CHECK(holds("not q1 < 0"));
  CHECK(holds("not(q1 < 0)"));
  CHECK(holds("not not q1 > 0"));
  CHECK(holds("(q1 + 1)*2 > 2"));
  CHECK(holds("(q1 > 0)"));
  CHECK(holds("((q1) > (0)) and ((q2 + 1) < 0)"));
  CHECK(holds("1 < 2"));
}

TEST_CASE("and binds tighter than or, not tighter than and") {
  CHECK(holds("1 > 0 or 1 > 0 and 1 < 0"));
  CHECK_FALSE(holds("(1 > 0 or 1 > 0) and 1 < 0"));
  CHECK_FALSE(holds("q1 < 0 and q1 < 0 or q1 < 0"));
  CHECK_FALSE(holds("not q1 > 0 and q1 > 0"));
  CHECK(holds("not (q1 > 0 and q1 < 0)"));
  CHECK(holds("not q1 > 0 or q1 > 0"));
}

TEST_CASE("NaN fulfils no comparison but the unequal one") {
  const std::vector<double> at = {not_a_number, 0, 0, 0};
  for (const std::string text : {"q1 < 0", "q1 <= 0", "q1 > 0", "q1 >= 0", "q1 == q1"})
    CHECK_FALSE(Condition::parse(text, names).holds(at));
  CHECK(Condition::parse("q1 != q1", names).holds(at));
}

TEST_CASE("unknown names suggest the nearest") {
  CHECK(refused("q1 + p_q11") ==
        "unknown name 'p_q11' at column 6 of 'q1 + p_q11'; did you mean 'p_q1'? Valid: q1, q2, q1_dot, p_q1, "
        "pi");
  CHECK(
      contains(refused("sqr(q1)"), "unknown function 'sqr' at column 1 of 'sqr(q1)'; did you mean 'sqrt'?"));
  CHECK(contains(refused("ln(q1)"), "unknown function 'ln'"));
  CHECK(contains(refused("2*q1(3)"), "'q1' is a variable, not a function, at column 3"));
  CHECK(contains(refused("sin + 1"), "'sin' is a function and needs (...) at column 1"));
  CHECK(contains(refused_condition("p_q1 > 0 And q1 > 0"), "expected an operator at column 10"));
}

TEST_CASE("a slip in the syntax is shown with its column") {
  CHECK(refused("") == "expected an expression at the end of ''");
  CHECK(refused_condition("") == "expected a condition at the end of ''");
  CHECK(contains(refused("  "), "expected an expression"));
  CHECK(refused("1 +") == "expected a value at the end of '1 +'");
  CHECK(refused("(1 + 2") == "expected ')' at the end of '(1 + 2'");
  CHECK(refused("1 + 2)") == "expected an operator at column 6 of '1 + 2)'");
  CHECK(refused("2 q1") == "expected an operator at column 3 of '2 q1'");
  CHECK(refused("2q1") == "expected an operator at column 2 of '2q1'");
  CHECK(refused("1.2.3") == "expected an operator at column 4 of '1.2.3'");
  CHECK(refused("0x10") == "expected an operator at column 2 of '0x10'");
  CHECK(refused("2e") == "expected an operator at column 2 of '2e'");
  CHECK(refused(".") == "expected a number at column 1 of '.'");
  CHECK(refused("* 3") == "expected a value at column 1 of '* 3'");
  CHECK(refused("()") == "expected a value at column 2 of '()'");
  CHECK(refused("q1 $ 2") == "expected an operator at column 4 of 'q1 $ 2'");
  CHECK(contains(refused("q1 \xc3\xa9"), "expected an operator at column 4"));
  CHECK(contains(refused(std::string("q1\0", 3)), "expected an operator at column 3"));
  CHECK(contains(refused("1e999"), "a number beyond the reach of doubles at column 1"));
  CHECK(refused("q1 ** 2") == "expected an operator at column 4 of 'q1 ** 2'; a power is written ^");
  CHECK(contains(refused("0,5"), "a decimal point is written ."));
  CHECK(contains(refused_condition("q1 = 0"), "at column 4 of 'q1 = 0'; a comparison is written =="));
  CHECK(contains(refused_condition("q1 > 0 && q2 > 0"), "write 'and'"));
  CHECK(contains(refused_condition("q1 > 0 || q2 > 0"), "write 'or'"));
  CHECK(contains(refused_condition("!(q1 > 0)"), "write 'not'"));
  CHECK(contains(refused_condition("q1 > 0 and"), "expected a value at the end"));
  CHECK(contains(refused_condition("and q1 > 0"), "expected a value at column 1"));
  CHECK(contains(refused_condition("q1 > "), "expected a value at the end"));
}

TEST_CASE("functions count their arguments") {
  CHECK(refused("sin()") == "'sin' takes one argument, not 0, at column 1 of 'sin()'");
  CHECK(refused("1 + sin(1, 2)") == "'sin' takes one argument, not 2, at column 5 of '1 + sin(1, 2)'");
  CHECK(contains(refused("atan2(1)"), "'atan2' takes two arguments, not 1,"));
  CHECK(contains(refused("hypot(1, 2, 3)"), "'hypot' takes two arguments, not 3,"));
  CHECK(contains(refused("min(1)"), "'min' takes two arguments or more, not 1,"));
  CHECK(contains(refused("max()"), "not 0,"));
  CHECK(contains(refused("sin(1"), "expected ',' or ')' at the end"));
  CHECK(contains(refused("min(1, )"), "expected a value at column 8"));
}

TEST_CASE("values and conditions aren't mixed up") {
  CHECK(refused("q1 > 0") == "'q1 > 0' is a condition where a value is needed");
  CHECK(refused_condition("q1 + 1") ==
        "'q1 + 1' is a value where a condition is needed; compare it, as in 'q1 + 1 > 0'");
  CHECK(refused_condition("q1 and q2 > 0") ==
        "a value where a condition is needed at column 1 of 'q1 and q2 > 0'");
  CHECK(contains(refused_condition("q2 > 0 or q1"), "a value where a condition is needed at column 11"));
  CHECK(contains(refused_condition("not q1"), "a value where a condition is needed at column 5"));
  CHECK(contains(refused("(q1 > 0) + 1"), "a condition where a value is needed at column 1"));
  CHECK(contains(refused("1 + (q1 > 0)"), "a condition where a value is needed at column 5"));
  CHECK(contains(refused("2*(q1 > 0)"), "a condition where a value is needed at column 3"));
  CHECK(contains(refused("-(q1 > 0)"), "a condition where a value is needed at column 2"));
  CHECK(contains(refused("2^(q1 > 0)"), "a condition where a value is needed at column 3"));
  CHECK(contains(refused("sin(q1 > 0)"), "a condition where a value is needed at column 5"));
  CHECK(
      contains(refused_condition("(q1 > 0) == (q2 > 0)"), "a condition where a value is needed at column 1"));
  CHECK(refused_condition("0 < q1 < 1") ==
        "a second comparison at column 8 of '0 < q1 < 1'; write 'a < b and b < c'");
}

TEST_CASE("depth is limited, length is not") {
  const auto repeated = [](const std::string& part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  CHECK(value(repeated("(", 150) + "q1" + repeated(")", 150)) == 0.3);
  CHECK(
      refused(repeated("(", 1000000)) ==
      "nested too deeply at column 201: at most 200 parentheses within one another, or 400 signs or powers");
  CHECK(contains(refused(repeated("-", 100000) + "1"), "nested too deeply at column 400"));
  CHECK(contains(refused(repeated("2^", 100000) + "1"), "nested too deeply at column 799"));
  CHECK(contains(refused(repeated("sin(", 100000)), "nested too deeply at column 801"));
  CHECK(contains(refused_condition(repeated("not ", 100000) + "1 > 0"), "nested too deeply at column"));
  CHECK(value(repeated("q1 + (", 150) + "q1" + repeated(")", 150)) == Approx(151 * 0.3));
  CHECK(value(repeated("p_q1 - ", 100000) + "0") == 4.0 - 99999 * 4.0);
  CHECK(contains(refused(repeated("q1 + ", 300000) + "q1"), ": at most 262144 different operations"));
}

TEST_CASE("the place of a slip is marked in the text") {
  const auto shown = [](const std::string& text) { return refusal_shown<Expression>(text).second; };
  CHECK(shown("q1 + p_q11") ==
        "\n  q1 + p_q11"
        "\n       ^");
  CHECK(shown("1 +  ") ==
        "\n  1 +  "
        "\n     ^");
  CHECK(shown("").empty());
  CHECK(shown("q1\t* 2 q2") ==
        "\n  q1 * 2 q2"
        "\n         ^");
  SECTION("of several lines the one") {
    CHECK(refused("q1 +\n  q2 q1\n+ 1") == "expected an operator at line 2, column 6");
    CHECK(shown("q1 +\n  q2 q1\n+ 1") ==
          "\n    q2 q1"
          "\n       ^");
  }
  SECTION("of a long one what surrounds it") {
    std::string text;
    for (int i = 0; i < 40; ++i) text += "q1 + ";
    CHECK(refused(text + "x1 + " + text + "1").starts_with("unknown name 'x1' at column 201;"));
    CHECK(shown(text + "x1 + " + text + "1") ==
          "\n  ...q1 + q1 + q1 + q1 + q1 + q1 + x1 + q1 + q1 + q1 + q1 + q1 + ..."
          "\n                                   ^");
  }
  SECTION("letters of several bytes are one") {
    CHECK(shown("q1 + \xc3\xa9 $") == "\n  q1 + \xc3\xa9 $\n       ^");
    CHECK(shown("q1 \xc3\xa9 $") == "\n  q1 \xc3\xa9 $\n     ^");
  }
}
