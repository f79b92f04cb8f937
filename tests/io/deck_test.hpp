// SPDX-License-Identifier: BSD-3-Clause
// Decks from a text, and the text of what they refuse.
#pragma once

#include <string>
#include <vector>

#include "catch.hpp"
#include "io/deck.hpp"

namespace cotangent::test {

inline io::Deck deck_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return io::Deck::parse(text, "deck.toml", overrides);
}

/// The text of the refusal; its exit code must be that of wrong input.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.code() == exit_bad_input);
    return error.what();
  }
  return "no refusal";
}

inline void check_contains(const std::string& text, const std::string& part) {
  INFO("'" << text << "' should contain '" << part << "'");
  CHECK(text.find(part) != std::string::npos);
}

}  // namespace cotangent::test
