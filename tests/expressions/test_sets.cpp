// SPDX-License-Identifier: BSD-3-Clause
// The algebra of named sets: its tree against truth tables, and every way to get a text wrong.
#include "catch.hpp"
#include "core/error.hpp"
#include "expressions/parser.hpp"

using namespace cotangent;
using namespace cotangent::expressions;

namespace {

const std::vector<std::string> sets = {"left", "right", "half-plane", "2"};

/// Whether a point is in the set, given in which of the named ones it is.
bool contains_point(const std::string& text, const std::vector<bool>& in) {
  return parse(text, Language::set, sets)
      .fold<bool>([&](const Node& set) { return in[set.name]; }, [](const Node&, bool a) { return !a; },
                  [](const Node& joint, bool a, bool b) {
                    return joint.operation == Operation::conjunction ? a && b : a || b;
                  });
}

std::string refused(const std::string& text) {
  try {
    parse(text, Language::set, sets);
  } catch (const Error& error) {
    CHECK(error.code() == exit_bad_input);
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "no refusal";
}
bool contains(const std::string& text, const std::string& part) {
  UNSCOPED_INFO("in '" << text << "'");
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a set is what its truth table says") {
  for (unsigned row = 0; row < 16; ++row) {
    INFO(row);
    const bool a = row & 1, b = row & 2, c = row & 4, d = row & 8;
    const std::vector<bool> in = {a, b, c, d};
    CHECK(contains_point("left", in) == a);
    CHECK(contains_point("2 and half-plane", in) == (d && c));
    CHECK(contains_point("left or right and half-plane", in) == (a || (b && c)));
    CHECK(contains_point("(left or right) and not half-plane", in) == ((a || b) && !c));
    CHECK(contains_point("not left and right", in) == (!a && b));
    CHECK(contains_point("not(left and not(right or not 2))", in) == !(a && !(b || !d)));
    CHECK(contains_point(" not\tnot\nleft ", in) == a);
  }
}

TEST_CASE("a slip in a set is shown with its column, and with what was probably meant") {
  CHECK(refused("left or rigth") ==
        "unknown set 'rigth' at column 9 of 'left or rigth'; did you mean 'right'? Valid: left, right, "
        "half-plane, 2");
  CHECK(contains(refused("haf-plane"),
                 "unknown set 'haf-plane' at column 1 of 'haf-plane'; did you mean "
                 "'half-plane'?"));
  CHECK(contains(refused("pi"), "unknown set 'pi' at column 1"));
  CHECK(refused("") == "expected a set at the end of ''");
  CHECK(refused("left or") == "expected a set at the end of 'left or'");
  CHECK(refused("left or and right") == "expected a set at column 9 of 'left or and right'");
  CHECK(refused("not") == "expected a set at the end of 'not'");
  CHECK(refused("()") == "expected a set at column 2 of '()'");
  CHECK(refused("(left") == "expected ')' at the end of '(left'");
  CHECK(refused("(left or (right) and left") == "expected ')' at the end of '(left or (right) and left'");
  CHECK(refused("left)") == "expected 'and' or 'or' at column 5 of 'left)'");
  CHECK(refused("left right") == "expected 'and' or 'or' at column 6 of 'left right'");
  CHECK(refused("left not right") == "expected 'and' or 'or' at column 6 of 'left not right'");
  CHECK(refused("left Or right") == "expected 'and' or 'or' at column 6 of 'left Or right'");
  CHECK(refused("left, right") == "expected 'and' or 'or' at column 5 of 'left, right'");
  CHECK(refused("left + right") == "expected 'and' or 'or' at column 6 of 'left + right'");
  CHECK(refused("left > 0") == "expected 'and' or 'or' at column 6 of 'left > 0'");
  CHECK(refused("left(2)") == "expected 'and' or 'or' at column 5 of 'left(2)'");
  CHECK(refused("left && right") == "expected 'and' or 'or' at column 6 of 'left && right'; write 'and'");
  CHECK(refused("left | right") == "expected 'and' or 'or' at column 6 of 'left | right'; write 'or'");
  CHECK(refused("!left") == "expected a set at column 1 of '!left'; write 'not'");
  CHECK(refused("-left") == "expected a set at column 1 of '-left'");
}

TEST_CASE("the depth of sets is limited, their number is not") {
  const auto repeated = [](const std::string& part, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += part;
    return text;
  };
  const std::vector<bool> in = {true, false, false, false};
  CHECK(contains_point(repeated("(", 300) + "left" + repeated(")", 300), in));
  CHECK(contains_point(repeated("right or ", 20000) + "left", in));
  CHECK(contains(refused(repeated("(", 100000)), "nested too deeply"));
  CHECK(contains(refused(repeated("not ", 100000) + "left"), "nested too deeply"));
}
