// SPDX-License-Identifier: BSD-3-Clause
// The main of tests under MPI. All ranks run the same tests in the order of their declaration; the result is
// the worst of all ranks. Ranks other than 0 speak only where something failed.
#if __has_include(<catch2/catch.hpp>)
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#else
#include <catch2/catch_session.hpp>
#endif

#include <cstdint>
#include <iostream>
#include <sstream>

#include "parallel/mpi.hpp"

int main(int argc, char** argv) {
  using namespace cotangent::parallel;
  const Mpi mpi(argc, argv);
  std::ostringstream silence;
  std::streambuf* const terminal = std::cout.rdbuf();
  if (rank() > 0) std::cout.rdbuf(silence.rdbuf());
  const int failures = Catch::Session().run(argc, argv);
  std::cout.rdbuf(terminal);
  if (rank() > 0 && failures != 0) std::cout << "On rank " << rank() << ":\n" << silence.str() << std::flush;
  return static_cast<int>(maximum(std::int64_t{failures}));
}
