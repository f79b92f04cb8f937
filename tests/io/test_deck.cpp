// SPDX-License-Identifier: BSD-3-Clause
// The deck: what it reads, what it refuses and in which words, and that its resolved form reads back equal.
#include <cmath>
#include <limits>

#include "io/deck_test.hpp"

using namespace cotangent;
using namespace cotangent::io;
using namespace cotangent::test;

namespace {

const std::string example = R"(# a comment
study = "poincare"

[model]
name = "henon-heiles"
alpha = { from = 0.0, to = 20.0, count = 21 }

[method]
name = "gauss"
stages = 8
step = 0.5

[ensemble]
energy = 0.125
grid = { q2 = [-0.4, 0.7, 24], q2_dot = [-0.4, 0.4, 24] }
list = [[0, 1], [2, 3.5, 4]]
)";

}  // namespace

TEST_CASE("a deck answers what it holds") {
  const Deck deck = deck_of(example);
  CHECK(deck.root().text("study") == "poincare");
  const Table method = deck.table("method");
  CHECK(method.text("name", "rk4") == "gauss");
  CHECK(method.integer("stages") == 8);
  CHECK(method.number("stages") == 8.0);
  CHECK(method.number("step") == 0.5);
  CHECK(method.has("step"));
  CHECK_FALSE(method.has("tolerance"));
  const Table ensemble = deck.table("ensemble");
  CHECK(ensemble.keys() == std::vector<std::string>{"energy", "grid", "list"});
  CHECK(ensemble.rows("list") == std::vector<std::vector<double>>{{0, 1}, {2, 3.5, 4}});
  const Table grid = ensemble.table("grid");
  CHECK(grid.keys() == std::vector<std::string>{"q2", "q2_dot"});
  CHECK(grid.numbers("q2_dot") == std::vector<double>{-0.4, 0.4, 24});
  const Table output = deck.table("output");
  CHECK(output.keys().empty());
  CHECK(output.number("checkpoint_minutes", 10) == 10);
  CHECK(output.boolean("quiet", false) == false);
  CHECK(deck_of("on = true").root().boolean("on", false));
}

TEST_CASE("keys come in the order of the file, not of the alphabet") {
  CHECK(deck_of("zeta = 1\nalpha = 2\n[m]\nx = 1\n[b]\ny = 1").root().keys() ==
        std::vector<std::string>{"zeta", "alpha", "m", "b"});
  CHECK(deck_of("zeta = 1", {"beta=2", "alpha=3", "zeta=4"}).root().keys() ==
        std::vector<std::string>{"zeta", "beta", "alpha"});
}

TEST_CASE("whole numbers may be written with an exponent, not with a fraction") {
  const Table t = deck_of("a = 1e6\nb = 1.5\nc = 1e300\nd = -3.0\ne = nan").root();
  CHECK(t.integer("a") == 1000000);
  CHECK(t.integer("d") == -3);
  CHECK(refusal([&] { t.integer("b"); }) == "deck.toml:2, b = 1.5: expected a whole number, found a number");
  CHECK(refusal([&] { t.integer("c"); }) ==
        "deck.toml:3, c = 1e+300: expected a whole number, found a number");
  CHECK_THROWS_AS(t.integer("e"), Error);
  CHECK(deck_of("a = 9223372036854775807").root().integer("a") == std::numeric_limits<std::int64_t>::max());
}

TEST_CASE("an axis is a number, a list or a range with both ends") {
  const auto axis = [](const std::string& text) { return deck_of("a = " + text).root().axis("a", 7); };
  CHECK(axis("3") == std::vector<double>{3});
  CHECK(axis("[3, 1.5, 2]") == std::vector<double>{3, 1.5, 2});
  const auto range = axis("{ from = 0.1, to = 0.7, count = 7 }");
  REQUIRE(range.size() == 7);
  CHECK(range.front() == 0.1);
  CHECK(range.back() == 0.7);
  CHECK(range[3] == Approx(0.4));
  CHECK(axis("{ from = 5, to = 9, count = 1 }") == std::vector<double>{5});
  CHECK(axis("{ from = 1, to = 0, count = 3 }") == std::vector<double>{1, 0.5, 0});
  CHECK(deck_of("").root().axis("a", 7) == std::vector<double>{7});
  check_contains(refusal([] { deck_of("").root().axis("a"); }), "missing key 'a'");
  check_contains(refusal([&] { axis("[]"); }), "deck.toml:1, a = []: needs one value at least");
  check_contains(refusal([&] { axis("\"x\""); }), "expected a number");
  check_contains(refusal([&] { axis("[1, true]"); }), "found a truth value (true)");
  check_contains(refusal([&] { axis("[1, inf]"); }), "finite");
  check_contains(refusal([&] { axis("{ from = 1, to = 2 }"); }), "[a]: missing key 'count'");
  check_contains(refusal([&] { axis("{ from = 1, to = 2, count = 0 }"); }),
                 "[a] count = 0: must be at least 1");
  check_contains(refusal([&] { axis("{ from = 1, to = 2, count = 1e12 }"); }), "too many");
  const Deck misspelt = deck_of("a = { from = 1, to = 2, count = 3, spacing = 4 }");
  misspelt.root().axis("a");
  check_contains(refusal([&] { misspelt.finish(); }), "unknown key 'spacing' in [a] (deck.toml:1)");
}

TEST_CASE("lists of tables and of texts") {
  const Deck deck = deck_of("[[wall]]\nshape = 'circle'\n[[wall]]\nshape = 'line'\nlenth = 2\n");
  const auto walls = deck.root().tables("wall");
  REQUIRE(walls.size() == 2);
  CHECK(walls[0].text("shape") == "circle");
  CHECK(walls[1].text("shape") == "line");
  walls[1].number("length", 1);
  check_contains(refusal([&] { deck.finish(); }),
                 "unknown key 'lenth' in [wall[2]] (deck.toml:5); did you mean 'length'?");
  CHECK(deck_of("").root().tables("wall").empty());
  CHECK_THROWS_AS(deck_of("wall = [1]").root().tables("wall"), Error);
  CHECK(deck_of("n = ['a', 'b']").root().texts("n") == std::vector<std::string>{"a", "b"});
  CHECK(deck_of("n = 'a'").root().texts("n", {"z"}) == std::vector<std::string>{"a"});
  CHECK(deck_of("").root().texts("n", {"z"}) == std::vector<std::string>{"z"});
  check_contains(refusal([] { deck_of("n = ['a', 1]").root().texts("n"); }), "found a whole number (1)");
}

TEST_CASE("an unknown key is refused with its line and the nearest known one") {
  const Deck deck = deck_of("study = 'poincare'\n[method]\nname = 'gauss'\nstepp = 0.5\n");
  deck.root().text("study");
  deck.table("method").text("name");
  deck.table("method").number("step", 0.25);
  CHECK(refusal([&] { deck.finish(); }) ==
        "unknown key 'stepp' in [method] (deck.toml:4); did you mean 'step'? Valid: name, step");
}

TEST_CASE(
    "an unknown section, an unused key and a key from the command line are each refused; all in one text") {
  const Deck deck = deck_of("[methd]\nname = 'gauss'\n[stop]\ntime = 1\ncrossings = 2\n", {"output.fille=x"});
  const Table stop = deck.table("stop");
  if (!stop.has("crossings")) stop.number("time");
  deck.table("method").text("name", "gauss");
  deck.table("output").text("file", "x.h5");
  stop.has("time");
  const std::string text = refusal([&] { deck.finish(); });
  check_contains(text, "unknown section 'methd' (deck.toml:1); did you mean 'method'?");
  check_contains(text, "unused key 'time' in [stop] (deck.toml:4)");
  check_contains(text, "unused key 'crossings' in [stop] (deck.toml:5)");
  check_contains(text, "unknown key 'fille' in [output] (command line); did you mean 'file'?");
}

TEST_CASE("a deck that was read whole finishes in peace") {
  const Deck deck = deck_of("a = 1\n[b]\nc = { d = 2 }\n[e]\n");
  CHECK_THROWS_AS(deck.finish(), Error);
  deck.root().number("a");
  deck.table("b").table("c").number("d");
  deck.table("e");
  CHECK_NOTHROW(deck.finish());
}

TEST_CASE("a wrong type names place, value, and what was expected") {
  const Deck deck =
      deck_of("[method]\nstep = \"fast\"\nn = [1, \"a\"]\nw = { a = 1 }\nd = 2020-01-02\nr = [1]");
  const Table t = deck.table("method");
  CHECK(refusal([&] { t.number("step", 1); }) ==
        "deck.toml:2, [method] step = \"fast\": expected a number, found a text");
  CHECK(refusal([&] { t.numbers("n"); }) ==
        "deck.toml:3, [method] n = [1, \"a\"]: expected a list of numbers, found a text (\"a\")");
  check_contains(refusal([&] { t.text("w"); }), "[method] w = { a = 1 }: expected a text, found a table");
  check_contains(refusal([&] { t.number("d"); }), "d = 2020-01-02: expected a number, found a date or time");
  check_contains(refusal([&] { t.rows("r"); }),
                 "expected a list of lists of numbers, found a whole number (1)");
  check_contains(refusal([&] { t.table("step"); }), "expected a table, found a text");
  check_contains(refusal([&] { t.boolean("step"); }), "expected true or false");
  check_contains(refusal([&] { deck_of("method = 3").table("method"); }),
                 "deck.toml:1, method = 3: expected a table");
  check_contains(refusal([&] { deck_of("n = '" + std::string(58, 'x') + "∂yyy" + "'").root().number("n"); }),
                 "xxx...: expected a number");
}

TEST_CASE("a missing key says where, and which key may have been meant") {
  const Deck deck = deck_of("[method]\nstepp = 1\n[b]");
  CHECK(refusal([&] { deck.root().text("study"); }) == "deck.toml: missing key 'study', a text");
  CHECK(refusal([&] { deck.table("method").number("step"); }) ==
        "deck.toml:1, [method]: missing key 'step', a number; was it meant by 'stepp' (deck.toml:2)?");
  CHECK(refusal([&] { deck.table("b").integer("n"); }) ==
        "deck.toml:3, [b]: missing key 'n', a whole number");
  CHECK(refusal([&] { deck.table("c").text("n"); }) == "deck.toml, [c]: missing key 'n', a text");
}

TEST_CASE("numbers outside their range and numbers that are none are refused") {
  const Table t = deck_of("a = -1\nz = 0\nn = nan\ni = inf\nk = 3", {"c=-2"}).root();
  CHECK(refusal([&] { t.positive("a"); }) == "deck.toml:1, a = -1: must be above zero");
  CHECK_THROWS_AS(t.positive("z", 1), Error);
  CHECK(refusal([&] { t.at_least("c", 0.5, 1); }) == "command line, c = -2: must be at least 0.5");
  check_contains(refusal([&] { t.integer_at_least("k", 4); }), "deck.toml:5, k = 3: must be at least 4");
  CHECK(t.integer_at_least("k", 3) == 3);
  CHECK(t.at_least("z", 0) == 0);
  CHECK(refusal([&] { t.number("n"); }) == "deck.toml:3, n = nan: expected a finite number");
  CHECK_THROWS_AS(t.positive("i"), Error);
  CHECK_THROWS_AS(t.number("i", 3.0), Error);
  CHECK_THROWS_AS(t.number("n", INFINITY), Error);
  CHECK(std::isinf(t.number("i", INFINITY)));
  CHECK(std::isnan(t.number("n", NAN)));
}

TEST_CASE("a choice suggests the nearest") {
  const Table t = deck_of("[section]\ndirection = 'upp'\n[method]\nname = 'gaus'").table("section");
  CHECK(refusal([&] {
          t.choice("direction", "up", {"up", "down", "both"});
        }) ==
        "unknown direction 'upp' in [section] direction (deck.toml:2); did you mean 'up'? Valid: up, down, "
        "both");
  const Table method = deck_of("[section]\ndirection = 'upp'\n[method]\nname = 'gaus'").table("method");
  check_contains(refusal([&] {
                   method.choice("name", {"gauss", "rk4"});
                 }),
                 "unknown method 'gaus' in [method] name (deck.toml:4); did you mean 'gauss'?");
  CHECK(deck_of("").root().choice("d", "up", {"up", "down"}) == "up");
  CHECK(deck_of("d = 'down'").root().choice("d", "up", {"up", "down"}) == "down");
  CHECK(refusal([] {
          deck_of("").root().choice("d", {"up", "down"});
        }) == "deck.toml: missing key 'd', one of up, down");
}

TEST_CASE("a syntax error has its line and column") {
  const auto refused = [](const std::string& text) { return refusal([&] { deck_of(text); }); };
  check_contains(refused("a = 1\nb = = 2\n"), "deck.toml:2:5: ");
  check_contains(refused("a = 1\na = 2\n"), "deck.toml:2:");
  check_contains(refused("[a\n"), "deck.toml:1:");
  check_contains(refused("a = { = 1 }"), "deck.toml:1:");
  check_contains(refused("a = { , }"), "deck.toml:1:");
  check_contains(refused(". = 1"), "deck.toml:1:");
  check_contains(refused("a. = 1"), "deck.toml:1:");
  check_contains(refused("a = 1e999\n"), "deck.toml:1:");
  check_contains(refused("a = 99999999999999999999\n"), "deck.toml:1:");
  check_contains(refused("a = \"\xff\xfe\"\n"), "deck.toml:1:");
  check_contains(refused(std::string("\x89HDF\r\n\x1a\n\0\0", 10)), "deck.toml:1:");
  check_contains(refused("a = " + std::string(100000, '[')), "deck.toml:1:");
}
