// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the parser and the printers. A byte says the language, the rest is the formula. Whatever it is, the
// answer is a tree or an Error; a tree printed and parsed is the same tree; its value is that of its printed
// form, to the bit.
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "expressions/evaluate.hpp"
#include "expressions/parser.hpp"
#include "expressions/print.hpp"

namespace {

using namespace cotangent;
using expressions::Dimension;
using expressions::Language;
using expressions::Tree;

const std::vector<std::string> names{"x", "y", "x_dot", "y_dot", "alpha", "m1", "t", "disc"};

[[noreturn]] void fail(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s\n  %s\n", what, text.c_str());
  std::abort();
}

std::uint64_t bits(double x) {
  return x != x ? 1 : std::bit_cast<std::uint64_t>(x);
}

template <class Printer>
void print(const Printer& printer) {
  try {
    printer();
  } catch (const Error&) {  // a language without a word for it
  }
}

void check(const Tree& tree, Language language, const std::string& given) {
  std::string text;
  try {
    text = expressions::text(tree, names);
  } catch (const Error&) {  // a number that isn't finite, or too long
    return;
  }
  try {
    const Tree again = expressions::parse(text, language, names);
    if (again != tree) fail("another tree", given + "\n  " + text);
    if (language != Language::set) {
      const std::array<double, 8> at{0.3, -1.7, 0.11, 2.5, 0.9, 3.0, 12.0, -0.4};
      if (bits(expressions::evaluate<double>(tree, at)) != bits(expressions::evaluate<double>(again, at)))
        fail("another value", given + "\n  " + text);
    }
  } catch (const Error& error) {  // parentheses that the tree needs may be too many for the parser
    const std::string why = error.what();
    if (why.find("within one another") == std::string::npos && why.find("operations") == std::string::npos)
      fail("its own text is refused", text + "\n  " + why);
  }
  print([&] { expressions::latex(tree, names); });
  print([&] { expressions::latex_in_parts({&tree, 1}, names, "s"); });
  print([&] { expressions::text_in_parts({&tree, 1}, names, "s"); });
  print([&] { expressions::cpp({&tree, 1}, names); });
  print([&] { expressions::javascript({&tree, 1}, names); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto language = std::array{Language::value, Language::condition, Language::set}[data[0] % 3];
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    check(expressions::parse(text, language, names), language, text);
  } catch (const Error&) {
  }
  std::vector<std::optional<Dimension>> dimensions(names.size());
  dimensions[0] = Dimension::parse("m");
  dimensions[2] = Dimension::parse("m/s");
  dimensions[4] = Dimension::parse("1");
  dimensions[6] = Dimension::parse("s");
  expressions::Units units{dimensions, {}};
  try {
    expressions::parse(text, language, names, {}, &units);
  } catch (const Error&) {
  }
  try {
    Dimension::parse(text);
  } catch (const Error&) {
  }
  return 0;
}
