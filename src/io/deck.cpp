// SPDX-License-Identifier: BSD-3-Clause
// From TOML text to the tree, overrides from the command line, and what concerns a deck as a whole.
// The only file that sees the TOML library.
#include "io/deck.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "core/names.hpp"
#include "io/deck_tree.hpp"

// On some malformed decks the library asserts (with NDEBUG, lets clang assume) what it then checks itself: a
// wrong deck must end in an Error in every build.
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>

namespace cotangent::io {

using namespace detail;

namespace {

std::shared_ptr<Section> section_of(const toml::table& table, const std::string& path, int line);

Value value_of(const toml::node& node, const std::string& path, int line) {
  if (const auto* text = node.as_string()) return {text->get()};
  if (const auto* number = node.as_floating_point()) return {number->get()};
  if (const auto* whole = node.as_integer()) return {whole->get()};
  if (const auto* truth = node.as_boolean()) return {truth->get()};
  if (const auto* table = node.as_table()) return {section_of(*table, path, line)};
  if (const auto* array = node.as_array()) {
    Value::List list;
    for (const toml::node& element : *array)
      list.push_back(value_of(element, path + "[" + std::to_string(list.size() + 1) + "]", line));
    return {std::move(list)};
  }
  std::ostringstream date;
  if (const auto* day = node.as_date()) date << day->get();
  if (const auto* hour = node.as_time()) date << hour->get();
  if (const auto* both = node.as_date_time()) date << both->get();
  return {Date{date.str()}};
}

/// The library sorts keys by name; their places in the text restore the order of the file.
std::shared_ptr<Section> section_of(const toml::table& table, const std::string& path, int line) {
  auto section = std::make_shared<Section>();
  section->path = path;
  section->line = line;
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.first->source().begin < b.first->source().begin; });
  for (const auto& [key, node] : entries) {
    Item& item = section->add(key->str());
    item.line = line == command_line ? command_line : static_cast<int>(key->source().begin.line);
    item.given = value_of(*node, joined(path, key->str()), item.line);
  }
  return section;
}

/// Where a byte beyond ASCII stands outside of texts and comments, npos where none does. TOML refuses it; the
/// library's behaviour there isn't defined.
std::size_t stray_byte(std::string_view text) {
  char quote = 0;
  std::size_t quotes = 0;  // one or three
  const auto repeated = [&](std::size_t i) -> std::size_t {
    return text.substr(i, 3) == std::string(3, text[i]) ? 3 : 1;
  };
  for (std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') {
        ++i;
      } else if ((c == '\n' && quotes == 1) || (c == quote && repeated(i) >= quotes)) {
        i += quotes - 1;
        quote = 0;
      }
    } else if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '"' || c == '\'') {
      quote = c;
      quotes = repeated(i);
      i += quotes - 1;
    } else if ((c & 0x80) != 0) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::shared_ptr<Document> parsed(const std::string& text, const std::string& file_name) {
  auto document = std::make_shared<Document>();
  document->file_name = file_name;
  if (const std::size_t at = stray_byte(text); at != std::string_view::npos) {
    const std::string before = text.substr(0, at);
    throw Error(file_name + ":" + std::to_string(1 + std::count(before.begin(), before.end(), '\n')) + ":" +
                std::to_string(at - before.rfind('\n')) +
                ": a character beyond ASCII has no place outside of texts in quotes and comments");
  }
  try {
    document->root = section_of(toml::parse(text, file_name), "", not_given);
  } catch (const toml::parse_error& refusal) {
    const auto& at = refusal.source().begin;
    throw Error(file_name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                std::string(refusal.description()));
  }
  return document;
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

/// TOML where it is TOML, otherwise the text itself. The brackets keep a comment sign from swallowing the
/// rest.
Value override_value(const std::string& text, const std::string& path) {
  if (stray_byte(text) != std::string_view::npos) return {text};
  try {
    const toml::table parsed = toml::parse("v = [" + text + "]");
    const toml::array* list = parsed["v"].as_array();
    if (parsed.size() == 1 && list && list->size() == 1) return value_of((*list)[0], path, command_line);
  } catch (const toml::parse_error& refusal) {
    const char first = text.front();
    if (first == '[' || first == '{' || first == '"' || first == '\'')
      throw Error("command line, override '" + path + "=" + text +
                  "': " + std::string(refusal.description()));
  }
  return {text};
}

std::vector<std::string> given_keys(const Section& section) {
  std::vector<std::string> keys;
  for (const auto& item : section.items)
    if (item->given) keys.push_back(item->key);
  return keys;
}

void apply_override(Document& document, const std::string& text) {
  const std::string head = "command line, override '" + text + "': ";
  const auto equals = text.find('=');
  if (equals == std::string::npos) throw Error(head + "expected section.key=value");
  if (text.find_first_of("\n\r") != std::string::npos) throw Error(head + "a line break has no place here");
  try {
    (void)toml::parse("# " + text);
  } catch (const toml::parse_error& refusal) {  // bytes that could not be written into a deck either
    throw Error(head + std::string(refusal.description()));
  }
  const std::string path = trimmed(std::string_view(text).substr(0, equals));
  const std::string written = trimmed(std::string_view(text).substr(equals + 1));
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto end = std::min(path.find('.', begin), path.size());
    names.push_back(path.substr(begin, end - begin));
    begin = end + 1;
  }
  for (const std::string& name : names)
    if (name.empty() || !std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return c < 128 && (std::isalnum(c) || c == '_' || c == '-');
        }))
      throw Error(head + "'" + path + "' is no key; expected section.key=value");

  std::shared_ptr<Section> section = document.root;
  for (std::size_t depth = 0; depth + 1 < names.size(); ++depth) {
    Item* item = section->find(names[depth]);
    if (!item) {
      if (written.empty())
        unknown_name("key", names[depth], given_keys(*section), "to remove with '" + text + "'");
      item = &section->add(names[depth]);
      auto fresh = std::make_shared<Section>();
      fresh->path = joined(section->path, names[depth]);
      fresh->line = item->line = command_line;
      item->given = Value{std::move(fresh)};
    }
    const auto* within = std::get_if<std::shared_ptr<Section>>(&item->given->content);
    if (!within)
      throw Error(head + spelled(section->path, item->key) + " is no table but " +
                  printed(*item->given, Form::given) + " (" + place(document, item->line) + ")");
    section = *within;
  }
  Item* item = section->find(names.back());
  if (written.empty()) {
    if (!item) unknown_name("key", names.back(), given_keys(*section), "to remove with '" + text + "'");
    std::erase_if(section->items, [item](const auto& entry) { return entry.get() == item; });
    return;
  }
  if (!item) item = &section->add(names.back());
  item->given = override_value(written, path);
  item->line = command_line;
}

void collect_unread(const Document& document, const Section& section, std::vector<std::string>& refusals);

void collect_unread(const Document& document, const Value& value, std::vector<std::string>& refusals) {
  if (const auto* section = std::get_if<std::shared_ptr<Section>>(&value.content)) {
    collect_unread(document, **section, refusals);
  } else if (const auto* list = std::get_if<Value::List>(&value.content)) {
    for (const Value& element : *list) collect_unread(document, element, refusals);
  }
}

void collect_unread(const Document& document, const Section& section, std::vector<std::string>& refusals) {
  std::vector<std::string> known;
  for (const Item* item : section.asked) known.push_back(item->key);
  for (const auto& item : section.items) {
    if (!item->given) continue;
    if (item->resolved) {
      collect_unread(document, *item->resolved, refusals);
      continue;
    }
    const bool heading =
        section.path.empty() && std::holds_alternative<std::shared_ptr<Section>>(item->given->content);
    const std::string what = heading ? "section" : "key";
    const std::string where =
        (section.path.empty() ? "" : "in [" + section.path + "] ") + "(" + place(document, item->line) + ")";
    refusals.push_back(item->asked ? "unused " + what + " '" + item->key + "' " + where +
                                         "; nothing reads it beside the others given"
                                   : unknown_name_text(what, item->key, known, where));
  }
}

bool is_ignorable(std::string_view key, std::span<const std::string> ignorable) {
  return std::any_of(ignorable.begin(), ignorable.end(), [key](const std::string& name) {
    return key == name || (key.starts_with(name) && key[name.size()] == '.');
  });
}

}  // namespace

Deck Deck::parse(const std::string& text, const std::string& file_name,
                 std::span<const std::string> overrides) {
  auto document = parsed(text, file_name);
  for (const std::string& override_text : overrides) apply_override(*document, override_text);
  return Deck(std::move(document));
}

Table Deck::root() const {
  return Table(document_, document_->root);
}

void Deck::finish() const {
  std::vector<std::string> refusals;
  collect_unread(*document_, *document_->root, refusals);
  if (refusals.empty()) return;
  std::string text;
  for (const std::string& refusal : refusals) text += (text.empty() ? "" : "\n") + refusal;
  throw Error(text);
}

std::string Deck::resolved() const {
  return printed(*document_->root);
}

std::string read_file(const std::string& path) {
  const auto refuse = [&path](const std::string& why) {
    throw Error("cannot read the deck '" + path + "': " + why);
  };
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) refuse("it is a folder");
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) refuse(std::strerror(errno));
  std::string text;
  char block[65536];
  for (std::size_t read; (read = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, read);
  const bool failed = std::ferror(file);
  const std::string why = failed ? std::strerror(errno) : "";
  std::fclose(file);
  if (failed) refuse(why);
  return text;
}

std::string difference(const std::string& in_the_file, const std::string& in_the_deck,
                       std::span<const std::string> ignorable) {
  constexpr int most = 5;
  const auto file = leaves(*parsed(in_the_file, "the deck in the file")->root);
  const auto deck = leaves(*parsed(in_the_deck, "the deck")->root);
  const auto find = [](const std::vector<Leaf>& all, const std::string& key) {
    return std::find_if(all.begin(), all.end(), [&key](const Leaf& leaf) { return leaf.dotted == key; });
  };
  std::vector<std::string> lines;
  for (const Leaf& before : file) {
    const auto now = find(deck, before.dotted);
    if (is_ignorable(before.dotted, ignorable) || (now != deck.end() && now->value == before.value)) continue;
    lines.push_back(before.spelled + ": " + before.value + " in the file, " +
                    (now == deck.end() ? "absent" : now->value) + " in the deck");
  }
  for (const Leaf& now : deck)
    if (!is_ignorable(now.dotted, ignorable) && find(file, now.dotted) == file.end())
      lines.push_back(now.spelled + ": absent in the file, " + now.value + " in the deck");
  std::string text;
  for (std::size_t i = 0; i < lines.size() && i < most; ++i) text += (i ? "\n" : "") + lines[i];
  if (lines.size() > most) text += "\nand " + std::to_string(lines.size() - most) + " more";
  return text;
}

}  // namespace cotangent::io
