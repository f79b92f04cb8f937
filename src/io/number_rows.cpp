// SPDX-License-Identifier: BSD-3-Clause
#include "io/number_rows.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "core/error.hpp"
#include "core/read_number.hpp"
#include "io/posix.hpp"
#include "parallel/records.hpp"

namespace cotangent::io {

namespace {

/// The lines that begin in this rank's share of a file's bytes.
std::string share_of_lines(const std::filesystem::path& path) {
  const Descriptor file(path, Descriptor::Mode::read);
  const std::int64_t length = file.length();
  std::int64_t at = parallel::share_begin(length);
  std::string text;
  const auto append = [&](std::int64_t bytes) {
    const std::size_t before = text.size();
    text.resize(before + static_cast<std::size_t>(bytes));
    const std::size_t read = file.read(at, std::as_writable_bytes(std::span(text).subspan(before)));
    text.resize(before + read);
    at += static_cast<std::int64_t>(read);
    return read > 0;
  };
  const bool inside = at > 0;
  if (inside) --at;  // a line begins after the end of another
  append(parallel::share_begin(length, parallel::rank() + 1) - at);
  if (inside) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  for (std::size_t seen = text.size(); !text.empty() && text.back() != '\n' && append(1024);) {
    if (const std::size_t end = text.find('\n', seen); end != std::string::npos) text.resize(end + 1);
    seen = text.size();
  }
  return text;
}

/// Adds the numbers of a line.
void add_numbers(std::string_view line, std::int64_t line_number, std::vector<double>& numbers) {
  constexpr std::string_view between = ", \t\r\v\f";
  line = line.substr(0, line.find('#'));
  for (std::size_t at = 0; (at = line.find_first_not_of(between, at)) != std::string_view::npos;) {
    const std::string_view word = line.substr(at, line.find_first_of(between, at) - at);
    const auto number = read_number<double>(word);
    if (!number) throw Error(fmt::format("line {}: '{}' is no number", line_number, word));
    numbers.push_back(*number);
    at += word.size();
  }
}

}  // namespace

NumberRows::NumberRows(const std::filesystem::path& file) {
  std::string text;
  parallel::agree([&] { text = share_of_lines(file); });
  std::int64_t line_number = parallel::sum_before(std::ranges::count(text, '\n'));
  parallel::agree([&] {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      add_numbers(std::string_view(text).substr(at, end - at), ++line_number, numbers_);
      if (numbers_.size() > begins_.back()) begins_.push_back(numbers_.size());
      at = end + 1;
    }
  });
  first_ = parallel::sum_before(std::ssize(begins_) - 1);
  count_ = parallel::sum(std::ssize(begins_) - 1);
}

}  // namespace cotangent::io
