// SPDX-License-Identifier: BSD-3-Clause
// The tree as text again: canonical TOML, and the places that messages name.
// Doubles are printed in the shortest form that reads back to the same bits (std::to_chars).
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "io/deck_tree.hpp"

namespace cotangent::io::detail {

namespace {

std::string printed(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number > 0 ? "inf" : "-inf";
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  std::string text(digits, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04X", static_cast<unsigned>(c));
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string printed_key(const std::string& key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? key : quoted(key);
}

const Section* as_section(const Value& value) {
  const auto* section = std::get_if<std::shared_ptr<Section>>(&value.content);
  return section ? section->get() : nullptr;
}

/// The items of a section that have a value of this form: as given in the order of the file, as resolved in
/// the order of access. A table that isn't given and of which nothing was read leaves no trace.
std::vector<const Item*> items_of(const Section& section, Form form) {
  std::vector<const Item*> items;
  if (form == Form::given) {
    for (const auto& item : section.items)
      if (item->given) items.push_back(item.get());
  } else {
    for (const Item* item : section.asked) {
      if (!item->resolved) continue;
      const Section* within = as_section(*item->resolved);
      if (item->given || !within || !items_of(*within, form).empty()) items.push_back(item);
    }
  }
  return items;
}

template <class Range, class Print>
std::string listed(const Range& range, const Print& print) {
  std::string text;
  for (const auto& element : range) text += (text.empty() ? "" : ", ") + print(element);
  return text;
}

void collect_leaves(const Section& section, std::vector<Leaf>& out) {
  for (const Item* item : items_of(section, Form::given)) {
    const Section* within = as_section(*item->given);
    if (within && !items_of(*within, Form::given).empty()) {
      collect_leaves(*within, out);
    } else {
      out.push_back({joined(section.path, item->key), spelled(section.path, item->key),
                     printed(*item->given, Form::given)});
    }
  }
}

}  // namespace

std::string printed(const Value& value, Form form) {
  if (const auto* text = std::get_if<std::string>(&value.content)) return quoted(*text);
  if (const auto* number = std::get_if<double>(&value.content)) return printed(*number);
  if (const auto* whole = std::get_if<std::int64_t>(&value.content)) return std::to_string(*whole);
  if (const auto* truth = std::get_if<bool>(&value.content)) return *truth ? "true" : "false";
  if (const auto* date = std::get_if<Date>(&value.content)) return date->text;
  if (const auto* list = std::get_if<Value::List>(&value.content))
    return "[" + listed(*list, [form](const Value& v) { return printed(v, form); }) + "]";
  const auto items = items_of(*as_section(value), form);
  if (items.empty()) return "{}";
  return "{ " +
         listed(items,
                [form](const Item* item) {
                  return printed_key(item->key) + " = " + printed(*detail::value(*item, form), form);
                }) +
         " }";
}

std::string printed(const Section& root) {
  const auto line = [](const Item* item) {
    return printed_key(item->key) + " = " + printed(*item->resolved, Form::resolved) + "\n";
  };
  std::string text;
  const auto items = items_of(root, Form::resolved);
  for (const Item* item : items)
    if (!as_section(*item->resolved)) text += line(item);
  for (const Item* item : items) {
    const Section* section = as_section(*item->resolved);
    if (!section) continue;
    text += (text.empty() ? "[" : "\n[") + printed_key(item->key) + "]\n";
    for (const Item* within : items_of(*section, Form::resolved)) text += line(within);
  }
  return text;
}

std::vector<Leaf> leaves(const Section& section) {
  std::vector<Leaf> out;
  collect_leaves(section, out);
  return out;
}

std::string place(const Document& document, int line) {
  if (line == command_line) return "command line";
  return line == not_given ? document.file_name : document.file_name + ":" + std::to_string(line);
}

std::string spelled(std::string_view section_path, std::string_view key) {
  return (section_path.empty() ? "" : "[" + std::string(section_path) + "] ") + std::string(key);
}

}  // namespace cotangent::io::detail
