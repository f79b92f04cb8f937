// SPDX-License-Identifier: BSD-3-Clause
#include <csignal>
#include <thread>

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
  const std::int64_t first = GENERATE(0, 17), count = 400;
  TaskSharing sharing(first);
  std::vector<std::int64_t> taken(static_cast<std::size_t>(count), 0);
  std::int64_t previous = -1;
  bool rising = true;
  for (std::int64_t task = sharing.take(); task < first + count; task = sharing.take()) {
    rising = rising && task > previous && task >= first;
    previous = task;
    taken[static_cast<std::size_t>(task - first)] += 1;
    compute(task % 50 == 0 ? 2e-3 : 1e-5 * rank());
  }
  CHECK_ALL(rising);
  CHECK_ALL(sum(taken) == std::vector<std::int64_t>(static_cast<std::size_t>(count), 1));
}

TEST_CASE("tasks go to whoever is free, also while rank 0 computes") {
  TaskSharing sharing;
  const std::int64_t count = 200;
  std::int64_t mine = 0;
  double longest = 0.0;
  barrier();
  if (rank() == 0) {
    sharing.take();
    compute(0.5);  // one long task, no call of MPI
    mine = 1;
  }
  for (double start = wall_time(); sharing.take() < count; start = wall_time()) {
    longest = std::max(longest, wall_time() - start);
    ++mine;
    compute(1e-4);
  }
  CHECK_ALL(sum(mine) == count);
  // On one node (this test's) nobody waits for rank 0: the others have done all when it comes back, and none
  // of their takes lasted as long as its task (measured: 1 to 20 ms, the time slices of an oversubscribed
  // node).
  if (size() > 1) {
    CHECK_ALL((rank() != 0 || mine <= 2));
    CHECK_ALL(longest < 0.25);
  }
}

TEST_CASE("a sharing ends on all ranks when an error does, and the next starts anew") {
  const auto failing = [] {
    TaskSharing sharing;
    agree([&] {
      while (sharing.take() < 50) {
        if (rank() == size() - 1) throw std::runtime_error("the last rank's trouble");
      }
      if (rank() == size() - 1) throw std::runtime_error("the last rank's trouble");
    });
  };
  CHECK_ALL(test::text_thrown<std::runtime_error>(failing) == "the last rank's trouble");
  TaskSharing fresh;
  CHECK_ALL(sum(fresh.take()) == size() * (size() - 1) / 2);
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

TEST_CASE("what a take costs", "[.][measure]") {
  TaskSharing sharing;
  barrier();
  const int repeats = 100000;
  const double start = wall_time();
  for (int i = 0; i < repeats; ++i) sharing.take();
  const double take = maximum((wall_time() - start) / repeats);
  if (rank() == 0) std::cout << "take " << take * 1e6 << " us\n";
}
