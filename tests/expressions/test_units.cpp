// SPDX-License-Identifier: BSD-3-Clause
// Dimensions: their algebra, and formulas in which they don't fit.
#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/parser.hpp"
#include "expressions/units.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> names = {"x", "v", "m", "a", "unknown"};

std::vector<std::optional<Dimension>> dimensions() {
  return {
      Dimension::parse("m"), Dimension::parse("m/s"), Dimension::parse("kg"), Dimension::parse("rad"), {}};
}

/// The unit of a formula, "unknown" where it is.
std::string unit(const std::string& formula, Language language = Language::value) {
  const auto of_names = dimensions();
  Units units{of_names, {}};
  parse(formula, language, names, {}, &units);
  return units.whole ? units.whole->text() : "unknown";
}

}  // namespace

TEST_CASE("units are products of powers") {
  for (const auto& [text, same] : std::vector<std::pair<std::string, std::string>>{{"kg*m^2/s^2", "J"},
                                                                                   {"N*m", "J"},
                                                                                   {"1/(s*m)", "s^-1/m"},
                                                                                   {"rad", "1"},
                                                                                   {"rad/s", "Hz"},
                                                                                   {"m^(1/2)*m^0.5", "m"},
                                                                                   {"V*A", "W"},
                                                                                   {"N/m^2", "Pa"},
                                                                                   {"ohm*A", "V"},
                                                                                   {"T*m^2", "Wb"},
                                                                                   {"ohm*S", "1"},
                                                                                   {"H*A^2", "J"},
                                                                                   {"F*V^2", "J"},
                                                                                   {"C/s", "A"},
                                                                                   {" kg * m ", "m*kg"}}) {
    INFO(text << " and " << same);
    CHECK(Dimension::parse(text) == Dimension::parse(same));
  }
  CHECK_FALSE(Dimension::parse("cm") == Dimension::parse("m"));
  CHECK_FALSE(Dimension::parse("deg") == Dimension::parse("rad"));
  CHECK_FALSE(Dimension::parse("m/s") == Dimension::parse("m/s^2"));
  CHECK(Dimension::parse("N").text() == "kg*m/s^2");
  CHECK(Dimension::parse("1/s").text() == "1/s");
  for (const char* text : {"", "m+s", "m^", "2*m", "(m", "m s", "m^nan", "m^(1/0)", "m;", "m*"}) {
    INFO(text);
    CHECK_THROWS_AS(Dimension::parse(text), Error);
  }
  CHECK_THROWS_AS(Dimension::parse(std::string(100000, '(')), Error);
}

TEST_CASE("a formula has the unit of its terms") {
  CHECK(unit("m*v^2/2") == "kg*m^2/s^2");
  CHECK(unit("sqrt(x^2 + (v/v*x)^2)") == "m");
  CHECK(unit("m*v^2*(1 - cos(a)^2) + 0") == "kg*m^2/s^2");
  CHECK(unit("atan2(x, 2*x)*max(0, v, 3*v)") == "m/s");
  CHECK(unit("2^(x/x)") == "1");
  CHECK(unit("hypot(x, x)/abs(x)^3") == "1/m^2");
  CHECK(unit("x > 0 and v < 3*v", Language::condition) == "1");
}

TEST_CASE("what doesn't fit is shown") {
  for (const auto& [formula, column] : std::vector<std::pair<std::string, int>>{{"x + v", 5},
                                                                                {"m*v^2 - m*x", 9},
                                                                                {"1 + x", 5},
                                                                                {"cos(x)", 5},
                                                                                {"x^x", 3},
                                                                                {"x^a", 3},
                                                                                {"a + max(x, v)", 12},
                                                                                {"atan2(x, v)", 10},
                                                                                {"hypot(x, m)", 10},
                                                                                {"exp(a)*log(2*v)", 12}}) {
    INFO(formula);
    CHECK_THROWS_WITH(unit(formula), ContainsSubstring("unit ") &&
                                         ContainsSubstring("at column " + std::to_string(column) + " "));
  }
  CHECK_THROWS_WITH(unit("x + v"), ContainsSubstring("unit m/s doesn't fit to m: at column 5 of 'x + v'\n"
                                                     "  x + v\n"
                                                     "      ^"));
  CHECK_THROWS_WITH(unit("x > v", Language::condition), ContainsSubstring("column 5"));
}

TEST_CASE("where a unit isn't known nothing is checked") {
  CHECK(unit("x + v + unknown") == "unknown");
  CHECK(unit("unknown*cos(x)") == "unknown");
}
