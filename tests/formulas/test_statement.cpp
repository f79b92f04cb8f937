// SPDX-License-Identifier: BSD-3-Clause
// What a statement becomes: its source, and the structure by which it runs without a compiler.
#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/parser.hpp"
#include "formulas/interpreted.hpp"
#include "formulas/statement.hpp"

using namespace cotangent;
using namespace cotangent::formulas;
using expressions::Language;

namespace {

/// Coordinates x and y, a parameter k.
Statement statement(const std::string& lagrangian) {
  Statement s;
  s.name = "stated";
  s.coordinates = {{"x", "1", false}, {"y", "1", false}};
  s.parameters = {{"k", "1", 2.0}};
  s.lagrangian = expressions::parse(lagrangian, Language::value, s.names());
  return s;
}

bool newtonian(const std::string& lagrangian) {
  return is_newtonian(statement(lagrangian).lagrangian, 2, 1);
}

std::string refusal(const Statement& s, const std::string& method) {
  const mechanics::Formulas formulas = s.formulas();
  try {
    interpreted_problem(s, method, {"", "", {}, {}, &formulas});
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("which Lagrangians are K(v) - U(q), K quadratic") {
  for (const char* yes :
       {"(x_dot^2 + y_dot^2)/2 - k*x^4*sin(y)", "k*x_dot*y_dot - x", "x_dot^2/k + 3*y_dot - exp(x*y)",
        "-(-x_dot*x_dot) + y_dot^2 - cos(x)^y", "x_dot^1*x_dot + y_dot^2"}) {
    CAPTURE(yes);
    CHECK(newtonian(yes));
  }
  for (const char* no :
       {"(1 + x^2)*x_dot^2/2", "x_dot^2/(1 + y^2)", "x*y_dot - y*x_dot + x_dot^2", "sqrt(1 - x_dot^2)",
        "x_dot^3", "x_dot^2*y_dot", "1/x_dot", "cos(x + y_dot)", "x_dot^2*t"}) {
    CAPTURE(no);
    CHECK_FALSE(newtonian(no));
  }
}

TEST_CASE("a statement's formulas are of coordinates, velocities, parameters and the time alone") {
  Statement s = statement("0");
  const auto parsed = [&](const std::string& text) {
    return expressions::parse(text, Language::value, s.names());
  };
  s.where.push_back({"w", parsed("k*x^2")});
  s.where.push_back({"u", parsed("w + sin(y)")});
  s.lagrangian = parsed("x_dot^2/2 - u");
  s.force = {parsed("-w*x_dot"), parsed("cos(t)")};
  s.domain = parsed("1 - w");
  s.kick = Kick{parsed("u"), parsed("k")};
  const mechanics::Formulas formulas = s.formulas();
  CHECK(formulas.lagrangian == parsed("x_dot^2/2 - (k*x^2 + sin(y))"));
  CHECK(formulas.force == std::vector{parsed("-(k*x^2)*x_dot"), parsed("cos(t)")});
  CHECK(formulas.domain == parsed("1 - k*x^2"));
  CHECK(formulas.kick == parsed("k*x^2 + sin(y)"));
  CHECK(formulas.kick_every == parsed("k"));
  CHECK(formulas.lagrangian != parsed("x_dot^2/2 - k*x^2"));
  CHECK((formulas.constraint.empty() && formulas.rolling.empty() && !formulas.dissipation));
}

TEST_CASE("a source holds numbers and numbered names, and nothing of the deck's text") {
  Statement s = statement("(x_dot^2 + y_dot^2)/2 - k*x^2*0.1");
  s.coordinates[0].name = "class_of_mine";
  s.parameters[0].name = "operator_of_mine";
  const std::string text = source(s, {"gauss"});
  CHECK(text.find("of_mine") == std::string::npos);
  CHECK(text.find("stated") == std::string::npos);
  CHECK(text.find("power<2>(v0)") != std::string::npos);
  CHECK(text.find("method = \"gauss\"") != std::string::npos);
  CHECK(source(s, {"*"}).find("method =") == std::string::npos);
  CHECK(text.find("tangent_maps") == std::string::npos);
  CHECK(source(s, {"gauss", false}).find("bool tangent_maps = false;") != std::string::npos);
  CHECK(text.find("stages") == std::string::npos);
  CHECK(source(s, {"gauss", true, 10}).find("int stages = 10;") != std::string::npos);
  // Other numbers are another source; other values of parameters aren't.
  CHECK(source(statement("(x_dot^2 + y_dot^2)/2 - k*x^2*0.2"), {"gauss"}) != text);
  s.parameters[0].value = 7;
  CHECK(source(s, {"gauss"}) == text);
}

TEST_CASE("a source has the parts and members that a statement has, and no others") {
  Statement s = statement("(x_dot^2 + y_dot^2)/2 - k*x^2");
  const std::string bare = source(s, {"gauss"});
  for (const char* member : {"constraint", "force", "dissipation", "kick", "domain", "rolling"}) {
    CAPTURE(member);
    CHECK(bare.find(std::string(" ") + member + "(") == std::string::npos);
  }
  s.dissipation = expressions::parse("k*x_dot^2/2", Language::value, s.names());
  s.constraint = {expressions::parse("x^2 + y^2 - t", Language::value, s.names())};
  const std::string more = source(s, {"gauss"});
  CHECK(more.find(" dissipation(") != std::string::npos);
  CHECK(more.find(" constraint(") != std::string::npos);
  CHECK(more.find(" force(") == std::string::npos);
}

TEST_CASE("a source says whether what it rolls on moves") {
  Statement s = statement("(x_dot^2 + y_dot^2)/2");
  const auto parsed = [&](const std::string& text) {
    return expressions::parse(text, Language::value, s.names());
  };
  s.where = {{"speed", parsed("k")}};
  const auto moves = [&](const std::string& rolling) {
    s.rolling = {parsed(rolling)};
    return source(s, {"*"}).find("rolling_moves = true;") != std::string::npos;
  };
  for (const char* still : {"x_dot*cos(y) - y_dot*sin(x)", "-(x_dot - 2*y_dot)/k", "0*k + x_dot"}) {
    CAPTURE(still);
    CHECK_FALSE(moves(still));
  }
  for (const char* moving : {"(x_dot - k)*cos(y)", "x_dot + 1", "y_dot - sin(x)/2", "y_dot - speed"}) {
    CAPTURE(moving);
    CHECK(moves(moving));
  }
}

TEST_CASE("degrees of formulas in the velocities") {
  const Statement s = statement("(x_dot^2 + y_dot^2)/2");
  const auto degree = [&](const std::string& text) {
    return s.structure(expressions::parse(text, Language::value, s.names())).degree;
  };
  CHECK(degree("k*sin(x) - t") == 0);
  CHECK(degree("(x_dot - k)*cos(y)/(1 + x^2)") == 1);
  CHECK(degree("x_dot*y_dot") == 2);
  CHECK(degree("x_dot^2 - y_dot") == 2);
  CHECK(degree("y_dot*sin(x_dot)") == 3);
  CHECK(degree("y_dot/x_dot") == 3);
}

TEST_CASE("a table isn't given what its member doesn't take") {
  Statement s = statement("(x_dot^2 + y_dot^2)/2");
  std::string large = "x_dot*t";
  for (int k = 0; k < 300; ++k) large += " + y_dot*sin(x + " + std::to_string(k) + ")*cos(x_dot*y)*exp(y)";
  s.rolling = {expressions::parse(large, Language::value, s.names())};
  CHECK_THROWS_WITH(source(s, {"*"}), ContainsSubstring("rolling() depends on 't'"));
}

TEST_CASE("what can't run without a compiler says why, and the way out") {
  const bool built = !interpreted_kinds().empty();
  Statement s = statement("(x_dot^2 + y_dot^2)/2 - k*x^2");
  const auto says = [&](const std::string& method, const char* part) {
    const std::string why = refusal(s, method);
    CAPTURE(why);
    CHECK(why.find("--compile") != std::string::npos);
    if (built) CHECK(why.find(part) != std::string::npos);
  };
  says("rk4", "'gauss' alone");
  s.rolling = {s.lagrangian};
  says("gauss", "rolling");
  s.rolling.clear();
  s.kick = {s.lagrangian, s.lagrangian};
  says("gauss", "kicks");
  s.kick.reset();
  s.constraint = {s.lagrangian};
  says("gauss", "surface in space");
  s.constraint.clear();
  for (int k = 0; k < 3; ++k) s.coordinates.push_back({"z" + std::to_string(k), "1", false});
  says("gauss", "coordinates run");
}
