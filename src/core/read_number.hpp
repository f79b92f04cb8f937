// SPDX-License-Identifier: BSD-3-Clause
// Words of files that are numbers.
#pragma once

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace cotangent {

/// The number that a word is as a whole, with a sign or without; none where it is something else, or a whole
/// number is beyond its type. A real number too small for a double is 0, one too large is infinite.
template <class Number>
std::optional<Number> read_number(std::string_view word) {
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  Number value{};
  const char* const last = word.data() + word.size();
  const auto [end, error] = std::from_chars(word.data(), last, value);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    if constexpr (std::is_integral_v<Number>) return std::nullopt;
    value = std::strtod(std::string(word).c_str(), nullptr);
  }
  return value;
}

}  // namespace cotangent
