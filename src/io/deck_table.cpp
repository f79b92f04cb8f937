// SPDX-License-Identifier: BSD-3-Clause
// What a table of the deck answers: each getter checks the type, notes what it read, and says what is wrong
// where.
#include <cmath>
#include <optional>

#include "core/error.hpp"
#include "core/names.hpp"
#include "io/deck.hpp"
#include "io/deck_tree.hpp"

namespace cotangent::io {

using namespace detail;

namespace {

constexpr std::size_t most_values = 100'000'000;
constexpr double largest_whole = 9007199254740992.0;  // 2^53: every whole number below is a double

std::string shortened(std::string text) {
  std::size_t most = 60;
  if (text.size() > most) {
    while ((text[most] & 0xC0) == 0x80) --most;  // not within a character
    text.resize(most);
    text += "...";
  }
  return text;
}

std::string kind(const Value& value) {
  constexpr const char* kinds[] = {"a text", "a number", "a whole number", "a truth value",
                                   "a list", "a table",  "a date or time"};
  return kinds[value.content.index()];
}

std::string located(const Document& document, const Section& section, const Item& item) {
  std::string text = place(document, item.line) + ", " + spelled(section.path, item.key);
  if (item.given) return text + " = " + shortened(printed(*item.given, Form::given));
  if (item.resolved)
    return text + " = " + shortened(printed(*item.resolved, Form::resolved)) + " (the default)";
  return text + " (not given)";
}

std::string located(const Document& document, const Section& section) {
  return place(document, section.line) + (section.path.empty() ? "" : ", [" + section.path + "]");
}

/// A key that was asked for and isn't there, and one that nobody has asked for and looks like it: "; was it
/// meant by 'stepp' (deck.toml:3)?". A section that isn't there is looked for in the same way.
std::string misspelt(const Document& document, const Section& section, const Item* missing = nullptr) {
  std::vector<std::string> unread;
  for (const auto& item : section.items)
    if (item->given && !item->asked) unread.push_back(item->key);
  for (const auto& item : section.items) {
    if (item->given || !item->asked || (missing && item.get() != missing)) continue;
    const std::string likely = nearest(item->key, unread);
    if (likely.empty() || !is_likely(item->key, likely)) continue;
    return "; was " + (missing ? "it" : "'" + item->key + "'") + " meant by '" + likely + "' (" +
           place(document, section.find(likely)->line) + ")?";
  }
  return section.line == not_given && !section.path.empty() ? misspelt(document, *document.root) : "";
}

Value as_value(double x) {
  return {x};
}
Value as_value(std::int64_t x) {
  return {x};
}
Value as_value(bool x) {
  return {x};
}
Value as_value(const std::string& x) {
  return {x};
}
template <class T>
Value as_value(const std::vector<T>& list) {
  Value::List values;
  for (const T& element : list) values.push_back(as_value(element));
  return {std::move(values)};
}

/// One reading of one key: where we are, and what was expected there.
struct Reading {
  const Document& document;
  const Section& section;
  const Item& item;
  std::string_view expected;

  [[noreturn]] void refuse(const std::string& text) const {
    throw Error(located(document, section, item) + ": " + text);
  }
  [[noreturn]] void wrong(const Value& found) const {
    const bool within = &found != &*item.given;
    refuse("expected " + std::string(expected) + ", found " + kind(found) +
           (within ? " (" + shortened(printed(found, Form::given)) + ")" : ""));
  }
  /// A missing key is often a misspelt one.
  [[noreturn]] void missing() const {
    throw Error(located(document, section) + ": missing key '" + item.key + "', " + std::string(expected) +
                misspelt(document, section, &item));
  }

  template <class T>
  const T& as(const Value& value) const {
    if (const T* content = std::get_if<T>(&value.content)) return *content;
    wrong(value);
  }

  double number(const Value& value, const double* fallback = nullptr) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value.content)) return static_cast<double>(*whole);
    const double x = as<double>(value);
    const bool like_the_default =
        fallback && ((std::isinf(x) && std::isinf(*fallback)) || (std::isnan(x) && std::isnan(*fallback)));
    if (!std::isfinite(x) && !like_the_default) refuse("expected a finite number");
    return x;
  }

  std::int64_t integer(const Value& value) const {
    if (const auto* whole = std::get_if<std::int64_t>(&value.content)) return *whole;
    const double x = as<double>(value);
    if (x != std::trunc(x) || !(std::abs(x) <= largest_whole)) wrong(value);
    return static_cast<std::int64_t>(x);
  }

  std::vector<double> numbers(const Value& value) const {
    std::vector<double> out;
    for (const Value& element : as<Value::List>(value)) out.push_back(number(element));
    return out;
  }
};

constexpr auto to_text = [](const Reading& at, const Value& value) { return at.as<std::string>(value); };
constexpr auto to_formula = [](const Reading& at, const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return *text;
  at.number(value);
  return printed(value, Form::resolved);
};
constexpr auto to_boolean = [](const Reading& at, const Value& value) { return at.as<bool>(value); };
constexpr auto to_integer = [](const Reading& at, const Value& value) { return at.integer(value); };
constexpr auto to_number = [](const Reading& at, const Value& value) { return at.number(value); };
constexpr auto to_numbers = [](const Reading& at, const Value& value) { return at.numbers(value); };
constexpr auto to_texts = [](const Reading& at, const Value& value) {
  if (const auto* alone = std::get_if<std::string>(&value.content)) return std::vector<std::string>{*alone};
  std::vector<std::string> out;
  for (const Value& element : at.as<Value::List>(value)) out.push_back(at.as<std::string>(element));
  return out;
};
constexpr auto to_rows = [](const Reading& at, const Value& value) {
  std::vector<std::vector<double>> out;
  for (const Value& element : at.as<Value::List>(value)) out.push_back(at.numbers(element));
  return out;
};

}  // namespace

Table::Table(std::shared_ptr<Document> document, std::shared_ptr<Section> section)
    : document_(std::move(document)), section_(std::move(section)) {}

Item& Table::ask(std::string_view key) const {
  Item* item = section_->find(key);
  if (!item) item = &section_->add(key);
  if (!item->asked) section_->asked.push_back(item);
  item->asked = true;
  return *item;
}

template <class T, class Convert>
T Table::read(std::string_view key, const T* fallback, std::string_view expected,
              const Convert& convert) const {
  Item& item = ask(key);
  const Reading at{*document_, *section_, item, expected};
  if (!item.given && !fallback) at.missing();
  T answer = item.given ? convert(at, *item.given) : *fallback;
  item.resolved = as_value(answer);
  return answer;
}

std::string Table::text(std::string_view key) const {
  return read<std::string>(key, nullptr, "a text", to_text);
}
std::string Table::text(std::string_view key, std::string_view fallback) const {
  const std::string otherwise(fallback);
  return read(key, &otherwise, "a text", to_text);
}

std::string Table::input_file(std::string_view key) const {
  document_->inputs.push_back({section_, std::string(key), text(key)});
  return document_->inputs.back().name;
}
std::string Table::input_file(std::string_view key, std::string_view fallback) const {
  document_->inputs.push_back({section_, std::string(key), text(key, fallback)});
  return document_->inputs.back().name;
}
std::string Table::output_file(std::string_view key, std::string_view fallback) const {
  document_->outputs.push_back({section_, std::string(key), text(key, fallback)});
  return document_->outputs.back().name;
}

std::string Table::formula(std::string_view key) const {
  return read<std::string>(key, nullptr, "a number or a formula", to_formula);
}
std::string Table::formula(std::string_view key, std::string_view fallback) const {
  const std::string otherwise(fallback);
  return read(key, &otherwise, "a number or a formula", to_formula);
}
std::vector<std::string> Table::texts(std::string_view key) const {
  return read<std::vector<std::string>>(key, nullptr, "a text or a list of texts", to_texts);
}
std::vector<std::string> Table::texts(std::string_view key, const std::vector<std::string>& fallback) const {
  return read(key, &fallback, "a text or a list of texts", to_texts);
}

double Table::number(std::string_view key) const {
  return read<double>(key, nullptr, "a number", to_number);
}
double Table::number(std::string_view key, double fallback) const {
  return read(key, &fallback, "a number",
              [&fallback](const Reading& at, const Value& value) { return at.number(value, &fallback); });
}

namespace {
double above_zero(const Table& table, std::string_view key, double x) {
  return x > 0 ? x : throw table.error(key, "must be above zero");
}
template <class T>
T not_below(const Table& table, std::string_view key, T x, T minimum) {
  return x >= minimum ? x
                      : throw table.error(key, "must be at least " + printed(as_value(minimum), Form::given));
}
}  // namespace

double Table::positive(std::string_view key) const {
  return above_zero(*this, key, number(key));
}
double Table::positive(std::string_view key, double fallback) const {
  return above_zero(*this, key, number(key, fallback));
}
double Table::at_least(std::string_view key, double minimum) const {
  return not_below(*this, key, number(key), minimum);
}
double Table::at_least(std::string_view key, double minimum, double fallback) const {
  return not_below(*this, key, number(key, fallback), minimum);
}

std::int64_t Table::integer(std::string_view key) const {
  return read<std::int64_t>(key, nullptr, "a whole number", to_integer);
}
std::int64_t Table::integer(std::string_view key, std::int64_t fallback) const {
  return read(key, &fallback, "a whole number", to_integer);
}
std::int64_t Table::integer_at_least(std::string_view key, std::int64_t minimum) const {
  return not_below(*this, key, integer(key), minimum);
}
std::int64_t Table::integer_at_least(std::string_view key, std::int64_t minimum,
                                     std::int64_t fallback) const {
  return not_below(*this, key, integer(key, fallback), minimum);
}

bool Table::boolean(std::string_view key) const {
  return read<bool>(key, nullptr, "true or false", to_boolean);
}
bool Table::boolean(std::string_view key, bool fallback) const {
  return read(key, &fallback, "true or false", to_boolean);
}

std::vector<double> Table::numbers(std::string_view key) const {
  return read<std::vector<double>>(key, nullptr, "a list of numbers", to_numbers);
}
std::vector<double> Table::numbers(std::string_view key, const std::vector<double>& fallback) const {
  return read(key, &fallback, "a list of numbers", to_numbers);
}
std::vector<std::vector<double>> Table::rows(std::string_view key) const {
  return read<std::vector<std::vector<double>>>(key, nullptr, "a list of lists of numbers", to_rows);
}

std::vector<double> Table::axis(std::string_view key) const {
  constexpr auto expected = "a number, a list of numbers, or { from, to, count }";
  const Item& item = ask(key);
  if (item.given && std::holds_alternative<std::shared_ptr<Section>>(item.given->content)) {
    const Table range = table(key);
    const double from = range.number("from"), to = range.number("to");
    const auto count = static_cast<std::size_t>(range.integer_at_least("count", 1));
    if (count > most_values) throw range.error("count", "too many values on one axis");
    std::vector<double> values(count, from);
    for (std::size_t i = 1; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      values[i] = i + 1 == count ? to : from + (to - from) * share;
    }
    return values;
  }
  if (item.given && std::holds_alternative<Value::List>(item.given->content)) {
    auto values = read<std::vector<double>>(key, nullptr, expected, to_numbers);
    return values.empty() ? throw error(key, "needs one value at least") : values;
  }
  return {read<double>(key, nullptr, expected, to_number)};
}
std::vector<double> Table::axis(std::string_view key, double fallback) const {
  if (has(key)) return axis(key);
  return {number(key, fallback)};
}

std::string Table::choice(std::string_view key, const std::vector<std::string>& valid) const {
  std::string expected = "one of";
  for (const std::string& name : valid) expected += (&name == &valid.front() ? " " : ", ") + name;
  const auto to_choice = [&](const Reading& at, const Value& value) {
    const std::string& name = at.as<std::string>(value);
    for (const std::string& other : valid)
      if (name == other) return name;
    // [method] name = "gaus" is an unknown method, not an unknown name; so it is in [[methods]].
    std::string last = section_->path.substr(section_->path.rfind('.') + 1);
    if (const auto index = last.find("s["); index != std::string::npos) last.resize(index);
    unknown_name(key == "name" && !last.empty() ? last : std::string(key), name, valid, where(key));
  };
  return read<std::string>(key, nullptr, expected, to_choice);
}
std::string Table::choice(std::string_view key, std::string_view fallback,
                          const std::vector<std::string>& valid) const {
  return has(key) ? choice(key, valid) : text(key, fallback);
}

bool Table::has(std::string_view key) const {
  return ask(key).given.has_value();
}

bool Table::holds_table(std::string_view key) const {
  const Item& item = ask(key);
  return item.given && std::holds_alternative<std::shared_ptr<Section>>(item.given->content);
}

std::vector<std::string> Table::keys() const {
  std::vector<std::string> out;
  for (const auto& item : section_->items)
    if (item->given) out.push_back(item->key);
  return out;
}

Table Table::table(std::string_view key) const {
  Item& item = ask(key);
  if (item.given) {
    item.resolved =
        Value{Reading{*document_, *section_, item, "a table"}.as<std::shared_ptr<Section>>(*item.given)};
  } else if (!item.resolved) {
    auto absent = std::make_shared<Section>();
    absent->path = joined(section_->path, key);
    item.resolved = Value{std::move(absent)};
  }
  return Table(document_, std::get<std::shared_ptr<Section>>(item.resolved->content));
}

std::vector<Table> Table::tables(std::string_view key) const {
  Item& item = ask(key);
  if (!item.given) return {};
  const Reading at{*document_, *section_, item, "a list of tables"};
  std::vector<Table> out;
  for (const Value& element : at.as<Value::List>(*item.given))
    out.push_back(Table(document_, at.as<std::shared_ptr<Section>>(element)));
  item.resolved = item.given;
  return out;
}

std::string Table::where(std::string_view key) const {
  return "in " + spelled(section_->path, key) + " (" + place(*document_, ask(key).line) + ")";
}

Error Table::error(std::string_view key, std::string_view text) const {
  return Error(located(*document_, *section_, ask(key)) + ": " + std::string(text));
}
Error Table::error(std::string_view text) const {
  return Error(located(*document_, *section_) + ": " + std::string(text) + misspelt(*document_, *section_));
}

}  // namespace cotangent::io
