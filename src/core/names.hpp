// SPDX-License-Identifier: BSD-3-Clause
// Names that nobody knows, and the one that was probably meant.
// The nearest name is that of the least edit distance (Damerau 1964: insertions, deletions, substitutions
// and swaps of neighbours); capital letters and the choice of - or _ weigh half, a name cut short weighs
// little.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace cotangent {

/// Whether the candidate may well have been meant: at most a third of the letters changed, or one.
bool is_likely(std::string_view name, std::string_view candidate);

/// The valid name nearest to this one, the first of equals; empty when there is none at all.
std::string nearest(std::string_view name, std::span<const std::string> valid);

/// "unknown key 'stepp' in [method] (deck.toml:12); did you mean 'step'? Valid: name, step"; `where` is a
/// phrase such as "in [method] (deck.toml:12)", or empty.
std::string unknown_name_text(std::string_view what, std::string_view name,
                              std::span<const std::string> valid, std::string_view where);

/// Refuses a name with the text above.
[[noreturn]] void unknown_name(std::string_view what, std::string_view name,
                               std::span<const std::string> valid, std::string_view where);

}  // namespace cotangent
