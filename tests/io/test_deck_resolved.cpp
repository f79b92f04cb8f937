// SPDX-License-Identifier: BSD-3-Clause
// The resolved deck reads back to the bit, a difference is named, and a missing file is told from a broken
// one.
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <unistd.h>

#include "io/deck_test.hpp"

using namespace cotangent;
using namespace cotangent::io;
using namespace cotangent::test;

namespace {
/// A study's reading, in an order of its own and with defaults.
void read(const Deck& deck) {
  const Table method = deck.table("method");
  method.number("step");
  method.text("name", "gauss");
  method.integer("stages", 8);
  const Table ensemble = deck.table("ensemble");
  ensemble.number("energy", 0.125);
  const Table grid = ensemble.table("grid");
  for (const std::string& key : grid.keys()) grid.numbers(key);
  deck.root().text("study");
  deck.table("model").axis("alpha", 1);
  deck.table("absent");
  ensemble.table("random");
  ensemble.has("list");
  deck.table("stop").number("time", std::numeric_limits<double>::infinity());
  for (const Table& wall : deck.root().tables("wall")) wall.text("shape", "circle");
}

const std::string example = R"(
wall = [ { shape = "line" }, {} ]
study = "poincare"
[model]
alpha = { to = 20, from = 0, count = 21 }
[ensemble]
energy = 1
grid = { q2_dot = [-0.4, 0.4, 24], q2 = [0, 1, 2] }
[method]
step = 1e-1
)";
}  // namespace

TEST_CASE("the resolved deck holds all that was read, in the order of first access") {
  const Deck deck = deck_of(example);
  read(deck);
  deck.finish();
  CHECK(deck.resolved() == R"(study = "poincare"
wall = [{ shape = "line" }, { shape = "circle" }]

[method]
step = 0.1
name = "gauss"
stages = 8

[ensemble]
energy = 1.0
grid = { q2_dot = [-0.4, 0.4, 24.0], q2 = [0.0, 1.0, 2.0] }

[model]
alpha = { from = 0.0, to = 20.0, count = 21 }

[stop]
time = inf
)");
}

TEST_CASE("the resolved deck resolves to itself") {
  const Deck deck = deck_of(example);
  read(deck);
  const Deck again = deck_of(deck.resolved());
  read(again);
  again.finish();
  CHECK(again.resolved() == deck.resolved());
  CHECK(difference(deck.resolved(), again.resolved()).empty());
  CHECK(deck_of("").resolved().empty());
}

TEST_CASE("doubles read back to the same bits") {
  std::mt19937_64 random(11);
  std::vector<double> values = {0.0,
                                -0.0,
                                0.1,
                                1.0 / 3,
                                1e22,
                                1e23,
                                123456789012345680.0,
                                5e-324,
                                std::numeric_limits<double>::max(),
                                std::numeric_limits<double>::min()};
  while (values.size() < 5000) {
    const double x = std::bit_cast<double>(random());
    if (std::isfinite(x)) values.push_back(x);
  }
  const Deck deck = deck_of("");
  deck.root().numbers("x", values);
  const auto read_back = deck_of(deck.resolved()).root().numbers("x");
  REQUIRE(read_back.size() == values.size());
  std::size_t equal = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    equal += std::bit_cast<std::uint64_t>(values[i]) == std::bit_cast<std::uint64_t>(read_back[i]);
  CHECK(equal == values.size());
}

TEST_CASE("texts and keys of any characters read back") {
  const std::string odd = "a \"b\" \\ \t\n\r\x01\x7f é ∂ '''";
  const Deck deck = deck_of("", {});
  deck.root().text("text", odd);
  deck.root().text("a key.with \"dots\"", "x");
  const Deck again = deck_of(deck.resolved());
  CHECK(again.root().text("text") == odd);
  CHECK(again.root().text("a key.with \"dots\"") == "x");
}

TEST_CASE("whole numbers read as numbers resolve alike, however they were written") {
  const auto resolved = [](const std::string& text) {
    const Deck deck = deck_of(text);
    deck.root().number("x");
    deck.root().integer("n", 1000000);
    return deck.resolved();
  };
  CHECK(resolved("x = 1\nn = 1e6") == resolved("x = 1.0"));
}

TEST_CASE("a difference names section, key and both values") {
  const std::string file =
      "study = 'a'\n[method]\nname = 'gauss'\nstep = 0.5\n[output]\nfile = 'a.h5'\ncheckpoint_minutes = 1\n";
  const std::string deck =
      "study = 'a'\n[method]\nname = 'gauss'\nstep = 0.25\n[output]\nfile = 'b.h5'\ncheckpoint_minutes = 2\n";
  const std::vector<std::string> keys = {"output.file", "output.checkpoint_minutes"}, section = {"output"},
                                 part = {"out"};
  CHECK(difference(file, file).empty());
  CHECK(difference(file, deck, keys) == "[method] step: 0.5 in the file, 0.25 in the deck");
  CHECK(difference(file, deck, section) == difference(file, deck, keys));
  check_contains(difference(file, deck, part), "[output] file: \"a.h5\" in the file, \"b.h5\" in the deck");
  CHECK(difference("a = 1", "a = 1\n[b]\nc = { d = 2 }") == "[b.c] d: absent in the file, 2 in the deck");
  CHECK(difference("a = 1\nb = []", "a = 1") == "b: [] in the file, absent in the deck");
  CHECK(difference("a = 1\nb = 2", "b = 2\na = 1").empty());
  const std::string many = difference("a=1\nb=1\nc=1\nd=1\ne=1\nf=1\ng=1", "");
  check_contains(many, "and 2 more");
  CHECK(many.find("f: ") == std::string::npos);
  check_contains(refusal([] { difference("a = ", "a = 1"); }), "the deck in the file:1:");
}

TEST_CASE("callers' own errors say where") {
  const Deck deck = deck_of("study = 'x'\n[method]\nstep = -1\n");
  const Table method = deck.table("method");
  CHECK(std::string(method.error("step", "must be even").what()) ==
        "deck.toml:3, [method] step = -1: must be even");
  CHECK(std::string(method.error("order", "is needed").what()) ==
        "deck.toml, [method] order (not given): is needed");
  method.number("tolerance", 1e-12);
  CHECK(std::string(method.error("tolerance", "too small").what()) ==
        "deck.toml, [method] tolerance = 1e-12 (the default): too small");
  CHECK(std::string(method.error("give step or tolerance").what()) ==
        "deck.toml:2, [method]: give step or tolerance");
  CHECK(std::string(deck.root().error("empty").what()) == "deck.toml: empty");
  CHECK(deck.root().where("study") == "in study (deck.toml:1)");
  CHECK(method.error("x").code() == exit_bad_input);
}

TEST_CASE("a deck is read whole, and one that can't be read is refused as wrong input") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("cotangent_deck_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  const std::string text = "a = 1\n" + std::string(100000, '#') + std::string("\n\0#", 3);
  std::ofstream(folder / "a.toml", std::ios::binary) << text;
  CHECK(read_file(folder / "a.toml") == text);
  const std::string missing = (folder / "b.toml").string();
  CHECK(refusal([&] { read_file(missing); }) ==
        "cannot read the deck '" + missing + "': No such file or directory");
  check_contains(refusal([&] { read_file(folder.string()); }), "it is a folder");
  check_contains(refusal([] { read_file(""); }), "cannot read the deck ''");
  if (::geteuid() != 0) {
    fs::permissions(folder / "a.toml", fs::perms::none);
    check_contains(refusal([&] { read_file(folder / "a.toml"); }), "Permission denied");
  }
  fs::remove_all(folder);
}
