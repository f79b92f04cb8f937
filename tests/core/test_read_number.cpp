// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include "core/read_number.hpp"

using namespace cotangent;

TEST_CASE("a word is a number as a whole, or none") {
  for (const char* word : {"", "+", "-", "+-1", "++1", "1x", "1 ", " 1", "1e", "0x1p3", "1,5", "one"}) {
    INFO(word);
    CHECK(!read_number<double>(word));
  }
  CHECK(read_number<double>("+1.5") == 1.5);
  CHECK(read_number<double>("-.5e1") == -5.0);
  CHECK(read_number<double>("1e-320") == 1e-320);
  CHECK(read_number<double>("1e-400") == 0.0);
  CHECK(std::signbit(read_number<double>("-1e-400").value()));
  CHECK(read_number<double>("-1e400") == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(read_number<double>("nan").value()));
  CHECK(read_number<std::int64_t>("+9223372036854775807") == std::numeric_limits<std::int64_t>::max());
  for (const char* word : {"9223372036854775808", "1.0", "+-1", "1e3"}) {
    INFO(word);
    CHECK(!read_number<std::int64_t>(word));
  }
}
