// SPDX-License-Identifier: BSD-3-Clause
#include "core/names.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "core/error.hpp"

namespace cotangent {

namespace {

/// A character with its case and the choice between - and _ forgotten.
char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

constexpr int edit = 2;  ///< the price of one change; half of it for what folding forgets

int price(char a, char b) {
  if (a == b) return 0;
  return folded(a) == folded(b) ? edit / 2 : edit;
}

int distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = edit * static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = edit * static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + edit, now[j - 1] + edit, last[j - 1] + price(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + edit);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  const auto same = [](char x, char y) { return folded(x) == folded(y); };
  const bool cut_short =
      a.size() >= 3 && a.size() < b.size() && std::equal(a.begin(), a.end(), b.begin(), same);
  return cut_short ? std::min(last[b.size()], edit + 1) : last[b.size()];
}
}  // namespace

bool is_likely(std::string_view name, std::string_view candidate) {
  const int letters = static_cast<int>(std::max(name.size(), candidate.size()));
  return letters > 1 && distance(name, candidate) <= std::max(edit + 1, edit * letters / 3);
}

std::string nearest(std::string_view name, std::span<const std::string> valid) {
  std::string best;
  int least = std::numeric_limits<int>::max();
  for (const std::string& candidate : valid) {
    const int d = distance(name, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name_text(std::string_view what, std::string_view name,
                              std::span<const std::string> valid, std::string_view where) {
  std::string text = "unknown " + std::string(what) + " '" + std::string(name) + "'";
  if (!where.empty()) text += " " + std::string(where);
  const std::string best = nearest(name, valid);
  const bool likely = !best.empty() && is_likely(name, best);
  if (likely) text += "; did you mean '" + best + "'?";
  if (!valid.empty()) {
    text += likely ? " Valid: " : "; valid: ";
    for (std::size_t i = 0; i < valid.size(); ++i) text += (i ? ", " : "") + valid[i];
  }
  return text;
}

void unknown_name(std::string_view what, std::string_view name, std::span<const std::string> valid,
                  std::string_view where) {
  throw Error(unknown_name_text(what, name, valid, where));
}

}  // namespace cotangent
