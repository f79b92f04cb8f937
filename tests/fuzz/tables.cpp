// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the reader of tables of numbers. Whatever the bytes are, the answer is rows or an Error; rows that
// were read, printed, read as the same.
#include <cmath>
#include <cstddef>
#include <fmt/format.h>
#include <optional>

#include "core/error.hpp"
#include "fuzzed_file.hpp"
#include "io/number_rows.hpp"

namespace {

using namespace cotangent;

std::string printed(const io::NumberRows& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.here(); ++i) {
    if (rows[i].empty()) fuzz::fail("a row without a number");
    for (const double x : rows[i]) text += fmt::format("{} ", x);
    text += "\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::FuzzedFile file(".csv");
  file.hold({data, size});
  std::string text;
  std::int64_t count = 0;
  try {
    const io::NumberRows rows(file.path());
    text = printed(rows);
    count = rows.count();
    if (count != std::int64_t(rows.here())) fuzz::fail("a wrong count of rows");
  } catch (const Error& error) {
    fuzz::refused(error);
    return 0;
  }
  file.hold({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  const io::NumberRows again(file.path());
  if (again.count() != count || printed(again) != text)
    fuzz::fail("other rows, printed and read again:\n" + text);
  return 0;
}
