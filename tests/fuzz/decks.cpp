// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reader of decks, and of the models that they state. Whatever the bytes are, the answer is a deck
// or an Error; what was read, printed as a deck, reads as the same; the C++ of a stated model holds
// nothing of the deck but numbers.
#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/error.hpp"
#include "formulas/loader.hpp"
#include "formulas/statement.hpp"
#include "io/deck.hpp"
#include "studies/program/formula_model.hpp"

namespace {

using namespace cotangent;

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s\n%s\n", what, text.c_str());
  std::abort();
}

/// Asks a table for everything in it, as all kinds.
void read_all(const io::Table& table, int depth) {
  for (const std::string& key : table.keys()) {
    const auto attempt = [](const auto& read) {
      try {
        read();
      } catch (const Error&) {
      }
    };
    attempt([&] { table.text(key); });
    attempt([&] { table.formula(key); });
    attempt([&] { table.texts(key); });
    attempt([&] { table.number(key); });
    attempt([&] { table.integer(key); });
    attempt([&] { table.boolean(key); });
    attempt([&] { table.numbers(key); });
    attempt([&] { table.rows(key); });
    attempt([&] { table.axis(key); });
    attempt([&] {
      for (const io::Table& inner : table.tables(key))
        if (depth < 8) read_all(inner, depth + 1);
    });
    attempt([&] {
      if (table.holds_table(key) && depth < 8) read_all(table.table(key), depth + 1);
    });
  }
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Of quotes, comments and directives it has those that the printer writes itself, of other characters the
/// plain ones.
void check_source(const std::string& source, std::size_t quotes) {
  const std::string marks = " \n_(){}[]<>;:,.=+-*/&\"#";
  const bool plain = std::ranges::all_of(source, [&](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || marks.find(c) != std::string::npos;
  });
  if (!plain || count(source, "//") != 2 || count(source, "/*") != 0 || count(source, "#") != 1 ||
      count(source, "\"") != quotes)
    fail("the C++ holds what it shouldn't", source);
}

}  // namespace

/// The reader of models can compile them too; that isn't fuzzed.
cotangent::formulas::Loaded cotangent::formulas::load(const Statement&, const Methods&, const CompiledFiles&,
                                                      Use) {
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const io::Deck deck = io::Deck::parse(text, "fuzzed.toml");
    read_all(deck.root(), 0);
    const std::string resolved = deck.resolved();
    const io::Deck again = io::Deck::parse(resolved, "resolved.toml");
    read_all(again.root(), 0);
    if (const std::string other = io::difference(resolved, again.resolved()); !other.empty())
      fail("the resolved deck reads as another one", other);
  } catch (const Error&) {
  }
  // An override is text from the command line.
  const std::size_t cut = text.find('\n');
  try {
    const std::string override[]{text.substr(0, cut)};
    io::Deck::parse("[method]\nname = \"gauss\"\n", "fuzzed.toml", override).finish();
  } catch (const Error&) {
  }
  try {
    const io::Deck deck = io::Deck::parse(text, "fuzzed.toml");
    if (studies::states_model(deck)) {
      const formulas::Methods methods = studies::methods_of(deck, false);
      check_source(formulas::source(studies::read_statement(deck), methods), methods.name == "*" ? 2 : 4);
    }
  } catch (const Error&) {
  }
  return 0;
}
