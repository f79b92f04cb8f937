// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "io/scratch_folder.hpp"
#include "mpi_test.hpp"
#include "parallel/signals.hpp"
#include "parallel/task_sharing.hpp"

using namespace cotangent;
using namespace cotangent::parallel;

namespace {

// Work that never calls MPI.
void compute(double seconds) {
  const double end = wall_time() + seconds;
  while (wall_time() < end) std::this_thread::yield();
}

}  // namespace

TEST_CASE("every task is taken exactly once, under uneven loads") {
  const std::int64_t count = 400;
  TaskSharing sharing(count);
  std::vector<std::int64_t> taken(static_cast<std::size_t>(count), 0);
  std::int64_t previous = -1;
  bool rising = true;
  while (const auto task = sharing.take()) {
    rising = rising && *task > previous && sharing.taken() == *task + 1 && !sharing.exhausted();
    previous = *task;
    taken[static_cast<std::size_t>(*task)] += 1;
    compute(*task % 50 == 0 ? 2e-3 : 1e-5 * rank());
  }
  CHECK_ALL((sharing.exhausted() && sharing.taken() == count && !sharing.take()));
  CHECK_ALL(rising);
  CHECK_ALL(sum(taken) == std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
}

TEST_CASE("tasks go to whoever is free, also while rank 0 computes") {
  const test::ScratchFolder folder;
  const std::int64_t count = 200;
  TaskSharing sharing(count);
  std::int64_t mine = 0;
  if (rank() == 0) mine = sharing.take() == 0 ? 1 : 0;
  barrier();  // the others begin while rank 0 has a task
  if (rank() == 0) {
    // One long task without a call of MPI. On one node (this test's) nobody waits for rank 0, so that it
    // lasts until the others say, in files, that nothing is left; a minute is for those that wait after all.
    const auto all_done = [&] {
      for (int other = 1; other < size(); ++other) {
        if (!std::filesystem::exists(folder / std::to_string(other))) return false;
      }
      return true;
    };
    for (int tries = 0; tries < 60000 && !all_done(); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  while (sharing.take()) ++mine;
  if (rank() > 0) std::ofstream(folder / std::to_string(rank()));
  CHECK_ALL(sum(mine) == count);
  CHECK_ALL((rank() > 0 || mine == (size() == 1 ? count : 1)));
}

TEST_CASE("a sharing ends on all ranks when an error does, and the next starts anew") {
  const auto failing = [] {
    TaskSharing sharing(50);
    agree([&] {
      while (sharing.take()) {
        if (rank() == size() - 1) throw std::runtime_error("the last rank's trouble");
      }
      if (rank() == size() - 1) throw std::runtime_error("the last rank's trouble");
    });
  };
  CHECK_ALL(test::text_thrown<std::runtime_error>(failing) == "the last rank's trouble");
  TaskSharing fresh(size());
  CHECK_ALL(sum(fresh.take().value()) == size() * (size() - 1) / 2);
}

TEST_CASE("after one rank has ended a sharing nobody gets a task any more") {
  TaskSharing sharing(std::int64_t{1} << 40);
  CHECK_ALL(sharing.take() < size());
  barrier();
  if (rank() == size() - 1) sharing.end();
  barrier();
  sharing.end();  // and so by all
  CHECK_ALL(!sharing.take());
}

TEST_CASE("signals set a flag") {
  install_signal_handlers();
  CHECK_ALL(stop_signal() == 0);
  std::raise(SIGUSR1);
  CHECK_ALL(stop_signal() == SIGUSR1);
  std::raise(SIGTERM);
  CHECK_ALL(stop_signal() == SIGTERM);
  CHECK_ALL(std::string(signal_name(stop_signal())) == "SIGTERM");
  std::raise(SIGXFSZ);  // would end us
  install_signal_handlers();
  CHECK_ALL(stop_signal() == 0);
}
