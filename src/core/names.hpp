// SPDX-License-Identifier: BSD-3-Clause
// Names that nobody knows, and the one that was probably meant.
// The nearest name is that of the least edit distance (Damerau 1964: insertions, deletions, substitutions
// and swaps of neighbours); capital letters and the choice of - or _ weigh half, a name cut short weighs
// little.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace cotangent {

namespace detail {
/// A character with its case and the choice between - and _ forgotten.
inline char folded(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  return c == '-' ? '_' : c;
}

inline constexpr int edit = 2;  ///< the price of one change; half of it for what folding forgets

inline int price(char a, char b) {
  if (a == b) return 0;
  return folded(a) == folded(b) ? edit / 2 : edit;
}

inline int distance(std::string_view a, std::string_view b) {
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
}  // namespace detail

/// Whether the candidate may well have been meant: at most a third of the letters changed, or one.
inline bool is_likely(std::string_view name, std::string_view candidate) {
  const int letters = static_cast<int>(std::max(name.size(), candidate.size()));
  return letters > 1 &&
         detail::distance(name, candidate) <= std::max(detail::edit + 1, detail::edit * letters / 3);
}

/// The valid name nearest to this one, the first of equals; empty when there is none at all.
inline std::string nearest(std::string_view name, std::span<const std::string> valid) {
  std::string best;
  int least = std::numeric_limits<int>::max();
  for (const std::string& candidate : valid) {
    const int d = detail::distance(name, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

/// "unknown key 'stepp' in [method] (deck.toml:12); did you mean 'step'? Valid: name, step"; `where` is a
/// phrase such as "in [method] (deck.toml:12)", or empty.
inline std::string unknown_name_text(std::string_view what, std::string_view name,
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

/// Refuses a name with the text above.
[[noreturn]] inline void unknown_name(std::string_view what, std::string_view name,
                                      std::span<const std::string> valid, std::string_view where) {
  throw Error(unknown_name_text(what, name, valid, where));
}

}  // namespace cotangent
