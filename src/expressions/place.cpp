// SPDX-License-Identifier: BSD-3-Clause
#include "expressions/place.hpp"

#include <algorithm>

namespace cotangent::expressions {

std::pair<std::size_t, std::size_t> line_of(const std::string& text, std::size_t position) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(position);
  const auto number = static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
  return {number, number == 0 ? 0 : text.rfind('\n', position - 1) + 1};
}

std::string marked(const std::string& text, std::size_t position) {
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (last == std::string::npos) return "";
  position = std::min(position, last + 1);
  const std::size_t begin = line_of(text, position).second;
  const std::size_t end = std::min(text.find('\n', position), text.size());
  std::size_t from = position - begin > most_shown / 2 ? position - most_shown / 2 : begin;
  std::size_t to = std::min(end, from + most_shown);
  const auto continues = [&](std::size_t i) {  // a letter of several bytes
    return i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0) == 0x80;
  };
  while (from < position && continues(from)) ++from;
  while (to < end && continues(to)) ++to;
  std::string line = from > begin ? "..." : "", caret(line.size(), ' ');
  for (std::size_t i = from; i < to; ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < ' ';
    line += control ? ' ' : text[i];
    if (i < position && !continues(i)) caret += ' ';
  }
  return "\n  " + line + (to < end ? "..." : "") + "\n  " + caret + "^";
}

}  // namespace cotangent::expressions
