// SPDX-License-Identifier: BSD-3-Clause
// Overrides from the command line: what they replace, add and remove, and which are refused.
#include "io/deck_test.hpp"

using namespace cotangent;
using namespace cotangent::io;
using namespace cotangent::test;

namespace {
const std::string example = R"(study = "poincare"
[model]
alpha = { from = 0.0, to = 20.0, count = 21 }
[method]
name = "gauss"
step = 0.5
[ensemble]
energy = 0.125
grid = { q2 = [-0.4, 0.7, 24] }
)";
}  // namespace

TEST_CASE("an override replaces, whatever was there") {
  const Deck deck = deck_of(example, {"method.step=0.25", "method.name=rk4", "study=trajectory",
                                      "model.alpha=18", "ensemble.grid.q2=[0, 1, 2]"});
  CHECK(deck.table("method").number("step") == 0.25);
  CHECK(deck.table("method").text("name") == "rk4");
  CHECK(deck.root().text("study") == "trajectory");
  CHECK(deck.table("model").axis("alpha") == std::vector<double>{18});
  CHECK(deck.table("ensemble").table("grid").numbers("q2") == std::vector<double>{0, 1, 2});
}

TEST_CASE("an override adds keys and sections, also within an inline table") {
  const Deck deck =
      deck_of(example, {"model.alpha.count=3", "output.file=run#3.h5", "ensemble.list=[[0,1,2,3]]",
                        "ensemble.random={count = 5, seed = 1}", "a.b.c = true"});
  CHECK(deck.table("model").axis("alpha") == std::vector<double>{0, 10, 20});
  CHECK(deck.table("output").text("file") == "run#3.h5");
  CHECK(deck.table("ensemble").rows("list") == std::vector<std::vector<double>>{{0, 1, 2, 3}});
  CHECK(deck.table("ensemble").table("random").integer("count") == 5);
  CHECK(deck.table("a").table("b").boolean("c"));
}

TEST_CASE("an empty value removes the key, and the last override wins") {
  const Deck deck = deck_of(
      example, {"ensemble.grid=", "method.name=", "study=a", "study=b", "x=1", "x=", "model.alpha.to="});
  CHECK_FALSE(deck.table("ensemble").has("grid"));
  CHECK(deck.table("ensemble").keys() == std::vector<std::string>{"energy"});
  CHECK(deck.table("method").text("name", "rk4") == "rk4");
  CHECK(deck.root().text("study") == "b");
  CHECK_FALSE(deck.root().has("x"));
  CHECK_FALSE(deck.table("model").table("alpha").has("to"));
}

TEST_CASE("a value is TOML where it can be, and a text otherwise") {
  const auto text = [](const std::string& value) { return deck_of("", {"k=" + value}).root().text("k"); };
  CHECK(text("henon-heiles") == "henon-heiles");
  CHECK(text("\"quoted text\"") == "quoted text");
  CHECK(text("'18'") == "18");
  CHECK(text("../run 1.h5") == "../run 1.h5");
  CHECK(text("q1 + q2 = 0") == "q1 + q2 = 0");
  CHECK(text("p_q1 > 0") == "p_q1 > 0");
  CHECK(text("18#3") == "18#3");
  CHECK(text("1,2") == "1,2");
  CHECK(text("1],[2") == "1],[2");
  CHECK(deck_of("", {"k=-1e-3"}).root().number("k") == -1e-3);
  CHECK(deck_of("", {"k = 7 "}).root().integer("k") == 7);
  CHECK(deck_of("", {"k=false"}).root().boolean("k") == false);
}

TEST_CASE("an odd override is refused") {
  const auto refused = [](const std::string& override_text) {
    return refusal([&] { deck_of(example, {override_text}); });
  };
  check_contains(refused("method.step"), "command line, override 'method.step': expected section.key=value");
  check_contains(refused(""), "expected section.key=value");
  check_contains(refused("=3"), "'' is no key");
  check_contains(refused("method..step=3"), "'method..step' is no key");
  check_contains(refused(".step=3"), "is no key");
  check_contains(refused("method.=3"), "is no key");
  check_contains(refused("meth od.step=3"), "'meth od.step' is no key");
  check_contains(refused("--step=3"), "no refusal");  // a key may begin with a dash; finish() refuses it
  check_contains(refused("ensemble.list=[[0,1]"), "override 'ensemble.list=[[0,1]': Error while parsing");
  check_contains(refused("method.name=\"open"), "Error while parsing");
  check_contains(refused("method.step=1\nx=2"), "line break");
  check_contains(refused("output.file=\xff"), "utf-8");
  check_contains(refused("output.file=\x01"), "override 'output.file=");
  check_contains(refused("method.step.size=1"), "[method] step is no table but 0.5 (deck.toml:6)");
  check_contains(refused("model.alpha.from.x=1"), "[model.alpha] from is no table but 0.0 (deck.toml:3)");
}

TEST_CASE("to remove what isn't there is a slip of the pen") {
  CHECK(refusal([] { deck_of(example, {"ensemble.gird="}); }) ==
        "unknown key 'gird' to remove with 'ensemble.gird='; did you mean 'grid'? Valid: energy, grid");
  check_contains(refusal([] { deck_of(example, {"ensembl.grid="}); }), "did you mean 'ensemble'?");
  check_contains(refusal([] { deck_of(example, {"method.step=", "method.step="}); }), "unknown key 'step'");
}

TEST_CASE("what came from the command line is located there") {
  const Deck deck = deck_of(example, {"method.step=fast", "fresh.key=1", "ensemble.energy=-1"});
  CHECK(refusal([&] { deck.table("method").number("step"); }) ==
        "command line, [method] step = \"fast\": expected a number, found a text");
  CHECK(refusal([&] { deck.table("ensemble").positive("energy"); }) ==
        "command line, [ensemble] energy = -1: must be above zero");
  CHECK(refusal([&] { deck.table("fresh").text("name"); }) ==
        "command line, [fresh]: missing key 'name', a text");
  CHECK(deck.table("method").where("step") == "in [method] step (command line)");
  check_contains(
      refusal([] {
        deck_of("[model]\nalpha = { from = 1 }", {"model.alpha.from=x"}).table("model").axis("alpha");
      }),
      "command line, [model.alpha] from = \"x\"");
}
