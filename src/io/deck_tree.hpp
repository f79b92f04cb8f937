// SPDX-License-Identifier: BSD-3-Clause
// What a deck is made of once it is parsed: sections of items, each with the value given and the value read.
// Private to the deck's own sources.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cotangent::io::detail {

struct Section;

inline constexpr int not_given = 0, command_line = -1;  ///< in place of a line of the file

/// A date or time: it is TOML, but no key of ours takes it.
struct Date {
  std::string text;
};

struct Value {
  using List = std::vector<Value>;
  std::variant<std::string, double, std::int64_t, bool, List, std::shared_ptr<Section>, Date> content;
};

struct Item {
  std::string key;
  std::optional<Value> given;     ///< as the file or the command line has it
  std::optional<Value> resolved;  ///< as the program read it: converted, or the default
  int line = not_given;
  bool asked = false;  ///< a study has asked for this key: it isn't unknown
};

struct Section {
  std::string path;  ///< dotted; empty for the root
  int line = not_given;
  std::vector<std::unique_ptr<Item>> items;  ///< in the order of the file, then as they came up
  std::vector<Item*> asked;                  ///< in the order of first access

  Item* find(std::string_view key) const {
    for (const auto& item : items)
      if (item->key == key) return item.get();
    return nullptr;
  }
  Item& add(std::string_view key) {
    items.push_back(std::make_unique<Item>());
    items.back()->key = key;
    return *items.back();
  }
};

/// A key whose text was read as the name of a file.
struct NamedFile {
  std::shared_ptr<Section> section;
  std::string key, name;
};

struct Document {
  std::string file_name;
  std::shared_ptr<Section> root = std::make_shared<Section>();
  std::vector<NamedFile> inputs, outputs;
};

/// Which of an item's two values is meant.
enum class Form { given, resolved };

inline const std::optional<Value>& value(const Item& item, Form form) {
  return form == Form::given ? item.given : item.resolved;
}

/// A section's path with one more name.
inline std::string joined(std::string_view path, std::string_view key) {
  return (path.empty() ? "" : std::string(path) + ".") + std::string(key);
}

/// A value as TOML on one line.
std::string printed(const Value& value, Form form);

/// All of a section as TOML: its own keys, then the sections within under their headings.
std::string printed(const Section& root);

/// A key that is no table, as "method.step" and "[method] step", with its value as printed.
struct Leaf {
  std::string dotted, spelled, value;
};
/// All leaves of a section as given, in the order of the file.
std::vector<Leaf> leaves(const Section& section);

/// "deck.toml:12", "command line", or the file's name alone.
std::string place(const Document& document, int line);

/// "[method] step", or "step" at the root.
std::string spelled(std::string_view section_path, std::string_view key);

}  // namespace cotangent::io::detail
