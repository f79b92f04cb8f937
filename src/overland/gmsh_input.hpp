// SPDX-License-Identifier: BSD-3-Clause
// What a check of a Gmsh file goes through, and where in the file it is: lines cut into words, or numbers as
// they stand in memory; and the nodes' numbers that it has met. Errors name the file and the line, of binary
// files the byte.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "core/read_number.hpp"

namespace cotangent::overland::gmsh {

using Number = std::int64_t;

/// The file, as lines of words or as numbers as they stand in memory, and where one is in it.
class Input {
 public:
  explicit Input(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    if (!in_) throw FileError(file + ": the mesh can't be read");
    in_.seekg(0, std::ios::end);
    size_ = static_cast<Number>(in_.tellg());
    in_.seekg(0);
  }

  void set_binary() { binary_ = true; }
  bool binary() const { return binary_; }
  /// Where the last line, or in a binary file the last number, begins.
  Number place() const { return binary_ ? at_ : line_number_; }
  std::string named(Number place) const { return fmt::format("{} {}", binary_ ? "byte" : "line", place); }
  Error wrong(const std::string& what) const { return wrong_at(place(), what); }
  Error wrong_at(Number place, const std::string& what) const {
    return Error(fmt::format("{}{}{}: {}", file_, binary_ ? ", byte " : ":", place, what));
  }

  /// The next line that isn't blank, without blanks around; none where the file ends.
  bool next_line() {
    while (true) {
      if (binary_) at_ = in_.good() ? static_cast<Number>(in_.tellg()) : size_;
      if (!std::getline(in_, text_)) break;
      ++line_number_;
      line_ = text_;
      while (!line_.empty() && is_blank(line_.back())) line_.remove_suffix(1);
      while (!line_.empty() && is_blank(line_.front())) line_.remove_prefix(1);
      if (!line_.empty()) return true;
    }
    ++line_number_;
    line_ = {};
    return false;
  }
  std::string_view line() const { return line_; }
  /// The line as an error shows it.
  std::string shown() const {
    std::string s(line_.substr(0, 40));
    for (char& c : s) {
      if (static_cast<unsigned char>(c) < 32) c = '?';
    }
    return s + (line_.size() > 40 ? "..." : "");
  }
  /// A line of this section that isn't its end, cut into words.
  void words_of_section(const std::string& section) {
    if (!next_line()) throw wrong(cut_short(section));
    cut();
  }
  std::string cut_short(const std::string& section) const {
    return fmt::format("the mesh can't be read: the file ends within ${0}; its last lines must be $End{0}",
                       section);
  }
  /// Begins a record: a line of text, nothing where numbers are binary.
  void record(const std::string& section) {
    if (!binary_) words_of_section(section);
  }
  bool at_section_mark() const { return line_.starts_with('$'); }
  /// The words of the line; none of binary records.
  std::size_t words() const { return words_.size(); }
  std::size_t words_left() const { return words_.size() - word_; }
  void no_more(const std::string& what) {
    if (binary_ && !text_record_) return;
    if (words_left() > 0)
      throw wrong(fmt::format("{} has {} numbers; this line has {}", what, word_, words_.size()));
  }

  /// The next whole number; `bytes` is its width in a binary file.
  Number whole(const char* what, int bytes = 4) {
    if (binary_ && !text_record_) {
      if (bytes == 4) return raw<std::int32_t>(what);
      return raw<Number>(what);
    }
    const std::string_view word = next_word(what);
    const auto value = read_number<Number>(word);
    if (!value || (bytes == 4 && *value != static_cast<std::int32_t>(*value)))
      throw wrong(fmt::format("{} must be a whole number{}, not '{}'", what, bytes == 4 ? " below 2^31" : "",
                              word.substr(0, 40)));
    return *value;
  }
  double real(const char* what) {
    if (binary_ && !text_record_) return raw<double>(what);
    const std::string_view word = next_word(what);
    const auto value = read_number<double>(word);
    if (!value) throw wrong(fmt::format("{} must be a number, not '{}'", what, word.substr(0, 40)));
    return *value;
  }
  /// Reads what follows as text also in binary files: counts of format 2.2, names.
  void text_record(bool is) { text_record_ = is; }
  /// Whether so many bytes may still come: for counts that are absurd.
  bool holds(Number count, Number bytes_each) {
    const auto at = in_.tellg();
    return count <= (size_ - static_cast<Number>(at)) / bytes_each;
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
  void cut() {
    words_.clear();
    word_ = 0;
    for (std::size_t k = 0; k < line_.size();) {
      while (k < line_.size() && is_blank(line_[k])) ++k;
      const std::size_t from = k;
      while (k < line_.size() && !is_blank(line_[k])) ++k;
      if (k > from) words_.push_back(line_.substr(from, k - from));
    }
  }
  std::string_view next_word(const char* what) {
    if (word_ == words_.size())
      throw wrong(fmt::format("the line ends after {} number{}, where {} must stand", words_.size(),
                              words_.size() == 1 ? "" : "s", what));
    return words_[word_++];
  }
  template <class Type>
  Type raw(const char* what) {
    at_ = static_cast<Number>(in_.tellg());
    Type value{};
    in_.read(reinterpret_cast<char*>(&value), sizeof value);
    if (!in_) {
      at_ = size_;
      throw wrong(fmt::format("the mesh can't be read: the file ends where {} must stand", what));
    }
    return value;
  }

  std::string file_;
  std::ifstream in_;
  std::string text_;
  std::string_view line_;
  std::vector<std::string_view> words_;
  std::size_t word_ = 0;
  Number line_number_ = 0, at_ = 0, size_ = 0;
  bool binary_ = false, text_record_ = false;
};

/// The numbers of nodes, which are positive, as runs of such as follow one another.
class Nodes {
 public:
  void add(Number number, Number place) {
    if (!runs_.empty()) {
      Run& last = runs_.back();
      if (last.count == 1 && number - last.first == 1) last.step = place - last.place;
      if (number - last.first == last.count && place == last.place + last.count * last.step) {
        ++last.count;
        return;
      }
    }
    runs_.push_back({number, 1, place, 0});
  }
  struct Twice {
    Number number, place, before;
  };
  /// Sorts them; returns one that is there twice.
  std::optional<Twice> sort() {
    std::ranges::sort(runs_, [](const Run& a, const Run& b) {
      return a.first != b.first ? a.first < b.first : a.place < b.place;
    });
    for (std::size_t k = 1; k < runs_.size(); ++k) {
      const Run &a = runs_[k - 1], &b = runs_[k];
      if (b.first - a.first >= a.count) continue;
      const Number one = b.place, other = a.place + (b.first - a.first) * a.step;
      return Twice{b.first, std::max(one, other), std::min(one, other)};
    }
    return {};
  }
  bool has(Number number) const {
    const auto after = std::ranges::upper_bound(runs_, number, {}, &Run::first);
    return after != runs_.begin() && number - std::prev(after)->first < std::prev(after)->count;
  }
  bool empty() const { return runs_.empty(); }
  std::string range() const {
    return fmt::format("{} to {}", runs_.front().first, runs_.back().first + (runs_.back().count - 1));
  }

 private:
  struct Run {
    Number first, count, place, step;
  };
  std::vector<Run> runs_;
};

}  // namespace cotangent::overland::gmsh
