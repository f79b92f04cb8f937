// SPDX-License-Identifier: BSD-3-Clause
// The deck: a TOML text whose every key must be read by somebody. A table is a view that remembers what was
// asked of it, so that an unknown key is refused with the nearest known one, and the resolved deck (all that
// was read, defaults included) can be stored with the result and compared when a run is resumed. Reference:
// TOML 1.0. Limits: dates and times have no meaning here; one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cotangent::io {

namespace detail {
struct Document;
struct Section;
struct Item;
}  // namespace detail

/// One table of a deck, given or not. A getter without a default refuses a missing key; one with a default
/// notes it in the resolved deck. A wrong type, and a number that isn't finite, are refused with file, line,
/// key and value.
class Table {
 public:
  std::string text(std::string_view key) const;
  std::string text(std::string_view key, std::string_view fallback) const;
  /// The name of a file that is read, and of one that is written: Deck::finish() compares them.
  std::string input_file(std::string_view key) const;
  std::string input_file(std::string_view key, std::string_view fallback) const;
  std::string output_file(std::string_view key, std::string_view fallback) const;
  /// A formula, as its text; a number is one.
  std::string formula(std::string_view key) const;
  std::string formula(std::string_view key, std::string_view fallback) const;
  /// A list of texts, or one text alone.
  std::vector<std::string> texts(std::string_view key) const;
  std::vector<std::string> texts(std::string_view key, const std::vector<std::string>& fallback) const;

  /// A finite number; infinity or NaN passes only where the default is such a one.
  double number(std::string_view key) const;
  double number(std::string_view key, double fallback) const;
  /// A number above zero.
  double positive(std::string_view key) const;
  double positive(std::string_view key, double fallback) const;
  double at_least(std::string_view key, double minimum) const;
  double at_least(std::string_view key, double minimum, double fallback) const;

  /// A whole number; 1e6 is one, 1.5 is not.
  std::int64_t integer(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t fallback) const;
  std::int64_t integer_at_least(std::string_view key, std::int64_t minimum) const;
  std::int64_t integer_at_least(std::string_view key, std::int64_t minimum, std::int64_t fallback) const;

  bool boolean(std::string_view key) const;
  bool boolean(std::string_view key, bool fallback) const;

  /// A list of finite numbers, possibly empty.
  std::vector<double> numbers(std::string_view key) const;
  std::vector<double> numbers(std::string_view key, const std::vector<double>& fallback) const;
  /// A list of lists of finite numbers, not necessarily of one length.
  std::vector<std::vector<double>> rows(std::string_view key) const;
  /// The values of a parameter axis: a number, a list, or { from = a, to = b, count = n } with both ends.
  std::vector<double> axis(std::string_view key) const;
  std::vector<double> axis(std::string_view key, double fallback) const;

  /// One of the valid names.
  std::string choice(std::string_view key, const std::vector<std::string>& valid) const;
  std::string choice(std::string_view key, std::string_view fallback,
                     const std::vector<std::string>& valid) const;

  /// Whether the key is given. To ask doesn't use it: Deck::finish() still wants it read.
  bool has(std::string_view key) const;
  /// Whether it is given as a table.
  bool holds_table(std::string_view key) const;
  /// The keys given, in the order of the file; those from the command line last.
  std::vector<std::string> keys() const;
  /// The table within, empty where it isn't given.
  Table table(std::string_view key) const;
  /// A list of tables, empty where it isn't given.
  std::vector<Table> tables(std::string_view key) const;

  /// "in [method] name (deck.toml:3)", for messages.
  std::string where(std::string_view key) const;
  /// "deck.toml:12, [method] step = -1: must be positive", for the caller to throw.
  Error error(std::string_view key, std::string_view text) const;
  /// "deck.toml:10, [method]: give step or tolerance", for the caller to throw.
  Error error(std::string_view text) const;

 private:
  friend class Deck;
  Table(std::shared_ptr<detail::Document> document, std::shared_ptr<detail::Section> section);
  detail::Item& ask(std::string_view key) const;
  template <class T, class Convert>
  T read(std::string_view key, const T* fallback, std::string_view expected, const Convert& convert) const;

  std::shared_ptr<detail::Document> document_;
  std::shared_ptr<detail::Section> section_;
};

/// A parsed deck. Copies share what was read.
class Deck {
 public:
  /// Parses TOML and applies overrides `section.key=value` in order. A value that isn't TOML is a text
  /// (method.name=rk4); an empty one removes the key (ensemble.grid=). The file's name serves for messages.
  static Deck parse(const std::string& text, const std::string& file_name,
                    std::span<const std::string> overrides = {});

  /// The whole deck as a table.
  Table root() const;
  /// A section, empty where it isn't given.
  Table table(std::string_view key) const { return root().table(key); }

  /// Once all is read: refuses a file to be written that is the deck itself or one that is read, and all keys
  /// that nobody read, each with its line and the nearest key that was asked for.
  void finish() const;

  /// Everything read so far, with defaults, as TOML: in the order of first access, doubles in the shortest
  /// form that reads back to the same bits.
  std::string resolved() const;

 private:
  explicit Deck(std::shared_ptr<detail::Document> document) : document_(std::move(document)) {}
  void refuse_overwritten() const;
  std::shared_ptr<detail::Document> document_;
};

/// The text of a deck file; an Error where it is missing or unreadable.
std::string read_file(const std::string& path);

/// What differs between two resolved decks, as "[method] step: 0.5 in the file, 0.25 in the deck", a line
/// each and at most five; empty if they agree. `ignorable` holds dotted keys or whole sections:
/// "output.file", "output".
std::string difference(const std::string& in_the_file, const std::string& in_the_deck,
                       std::span<const std::string> ignorable = {});

}  // namespace cotangent::io
