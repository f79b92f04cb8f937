// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "core/error.hpp"
#include "mpi_test.hpp"

using namespace cotangent;
using namespace cotangent::parallel;

TEST_CASE("reductions see every rank") {
  const std::int64_t r = rank(), n = size();
  CHECK_ALL(n >= 1);
  CHECK_ALL((r >= 0 && r < n));
  CHECK_ALL(sum(r + 1) == n * (n + 1) / 2);
  CHECK_ALL(maximum(r) == n - 1);
  CHECK_ALL(minimum(-r) == 1 - n);
  CHECK_ALL(maximum(0.5 - static_cast<double>(r)) == 0.5);
  CHECK_ALL(minimum(0.5 + static_cast<double>(r)) == 0.5);
  CHECK_ALL(sum(0.25) == 0.25 * static_cast<double>(n));
  CHECK_ALL(any(r == n - 1));
  CHECK_ALL(!any(false));
  CHECK_ALL(all(true));
  CHECK_ALL(all(r == 0) == (n == 1));
  CHECK_ALL(sum(std::vector<std::int64_t>{r, 1}) == std::vector<std::int64_t>{n * (n - 1) / 2, n});
}

TEST_CASE("broadcasts bring rank 0's value, of any length, and empty ones") {
  const std::string mine =
      "from rank " + std::to_string(rank()) + std::string(static_cast<std::size_t>(rank()), '!');
  CHECK_ALL(broadcast(mine) == "from rank 0");
  CHECK_ALL(broadcast(rank() == 0 ? std::string() : mine).empty());
  CHECK_ALL(broadcast(std::int64_t{rank() + 7}) == 7);
  std::vector<std::byte> bytes(rank() == 0 ? 100000 : 3, static_cast<std::byte>(rank() + 1));
  CHECK_ALL(broadcast(bytes) == std::vector<std::byte>(100000, std::byte{1}));
}

TEST_CASE("rank 0 gathers one value per rank, in their order") {
  const auto texts = gather(std::string(static_cast<std::size_t>(rank()), 'x') + "y");
  const auto numbers = gather(std::int64_t{10} * rank());
  const std::size_t expected = rank() == 0 ? static_cast<std::size_t>(size()) : 0;
  REQUIRE_ALL((texts.size() == expected && numbers.size() == expected));
  bool right = true;
  for (std::size_t i = 0; i < expected; ++i)
    right = right && texts[i] == std::string(i, 'x') + "y" && numbers[i] == 10 * static_cast<std::int64_t>(i);
  CHECK_ALL(right);
}

TEST_CASE("an error of one rank is thrown on all, text and exit code alike") {
  const auto code_thrown = [](const std::function<void()>& function) {
    try {
      function();
    } catch (const Error& error) {
      return static_cast<int>(error.code());
    }
    return -1;
  };
  const auto last_fails = [] {
    if (rank() == size() - 1) throw FileError("disk of the last rank");
  };
  CHECK_ALL(test::text_thrown<FileError>([&] { agree(last_fails); }) == "disk of the last rank");
  CHECK_ALL(code_thrown([&] { agree(last_fails); }) == exit_file_system);
  // Several ranks fail: the lowest speaks.
  const auto all_fail = [] { throw Error("rank " + std::to_string(rank()), exit_stopped); };
  CHECK_ALL(test::text_thrown<Error>([&] { agree(all_fail); }) == "rank 0");
  CHECK_ALL(code_thrown([&] { agree(all_fail); }) == exit_stopped);
  // Rank 0 alone: elsewhere the function isn't even called.
  CHECK_ALL(test::text_thrown<Error>([&] { on_rank_zero(all_fail); }) == "rank 0");
  int calls = 0;
  on_rank_zero([&] { ++calls; });
  CHECK_ALL(calls == (rank() == 0 ? 1 : 0));
  // Exceptions of others keep their text; an empty text passes too.
  CHECK_ALL(test::text_thrown<std::runtime_error>([] { agree([] { throw std::out_of_range("vector"); }); }) ==
            "vector");
  CHECK_ALL(code_thrown([] { agree([] { throw Error(""); }); }) == exit_bad_input);
  const auto lacks_memory = [] {
    if (rank() == size() - 1) throw std::bad_alloc();
  };
  CHECK_ALL(test::text_thrown<Error>([&] { agree(lacks_memory); }) == "out of memory");
  CHECK_ALL(code_thrown([&] { agree(lacks_memory); }) == exit_internal_error);
  CHECK_ALL(code_thrown([] { agree([] {}); }) == -1);
}

TEST_CASE("the library says what it is") {
  CHECK_ALL(library_version().size() > 3);
  CHECK_ALL(library_version().find('\n') == std::string::npos);
}
