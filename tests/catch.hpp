// SPDX-License-Identifier: BSD-3-Clause
// Catch2's one header, whichever major version the system has. Where names differ, tests use version 3's.
#pragma once
#if __has_include(<catch2/catch.hpp>)
#include <catch2/catch.hpp>
#include <string>

inline auto ContainsSubstring(const std::string& text) {
  return Catch::Contains(text);
}
#else
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#endif

/// A number at most `margin` away from `value`: Catch2's own margins let as much pass as 1e-5 of the value.
inline Approx within(double value, double margin) {
  return Approx(value).epsilon(0).margin(margin);
}
