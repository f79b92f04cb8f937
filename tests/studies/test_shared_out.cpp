// SPDX-License-Identifier: BSD-3-Clause
// Tasks that all ranks share out.
#include <chrono>
#include <fstream>
#include <thread>

#include "../io/scratch_folder.hpp"
#include "core/error.hpp"
#include "mpi_test.hpp"
#include "studies/program/shared_out.hpp"

using namespace cotangent;

TEST_CASE("every rank has all answers, whoever worked them out") {
  const auto answers = studies::shared_out(23, {}, [](std::int64_t k) {
    return studies::Answer(static_cast<std::size_t>(k % 3), static_cast<double>(k));
  });
  bool right = answers.size() == 23;
  for (std::size_t k = 0; k < answers.size(); ++k)
    right = right && answers[k] == studies::Answer(k % 3, static_cast<double>(k));
  CHECK_ALL(right);
}

TEST_CASE("where a task of one rank fails, the others begin no more of theirs") {
  const test::ScratchFolder folder;
  const auto fails = folder / "fails";
  const std::int64_t count = 2000;
  std::int64_t done = 0;
  const auto task = [&](std::int64_t) -> studies::Answer {
    if (parallel::rank() == parallel::size() - 1) {
      std::ofstream{fails};
      throw Error("no answer");
    }
    while (!std::filesystem::exists(fails)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ++done;
    return {};
  };
  CHECK_ALL(test::text_thrown<Error>([&] { studies::shared_out(count, {}, task); }) == "no answer");
  CHECK_ALL(parallel::sum(done) < count - parallel::size());
}
