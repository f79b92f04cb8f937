// SPDX-License-Identifier: BSD-3-Clause
// Assertions that all ranks share: one that fails on a rank fails on every rank, and names that rank.
// Collective.
#pragma once

#include <iostream>

#include "catch.hpp"
#include "parallel/mpi.hpp"

namespace cotangent::test {

inline bool on_all_ranks(bool here, const char* expression) {
  if (!here) std::cout << "rank " << parallel::rank() << ": false: " << expression << std::endl;
  return parallel::all(here);
}

/// The text of what the function throws, "" where it throws nothing.
template <class Exception, class Function>
std::string text_thrown(Function&& function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace cotangent::test

#define CHECK_ALL(...) CHECK(cotangent::test::on_all_ranks(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__))
#define REQUIRE_ALL(...) REQUIRE(cotangent::test::on_all_ranks(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__))
