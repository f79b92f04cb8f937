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

TEST_CASE("any rank's request stops all, after a finite time and for good") {
  TaskSharing sharing;
  CHECK_ALL(!sharing.stop_requested());
  barrier();
  const double start = wall_time();
  if (rank() == size() - 1) {
    compute(0.02);
    sharing.request_stop();
    sharing.request_stop();
  }
  while (!sharing.stop_requested() && wall_time() < start + 20.0) compute(1e-4);
  CHECK_ALL(sharing.stop_requested());
  CHECK_ALL(wall_time() - start < 10.0);
  CHECK_ALL(sharing.take() >= 0);  // the counter is a place of its own
}

TEST_CASE("a sharing ends on all ranks when an error does, and the next starts anew") {
  const auto failing = [] {
    TaskSharing sharing;
    agree([&] {
      while (sharing.take() < 50)
        if (rank() == size() - 1) {
          sharing.request_stop();
          throw std::runtime_error("the last rank's trouble");
        } else if (sharing.stop_requested()) {
          break;
        }
      if (rank() == size() - 1) throw std::runtime_error("the last rank's trouble");
    });
  };
  CHECK_ALL(test::text_thrown<std::runtime_error>(failing) == "the last rank's trouble");
  TaskSharing fresh;
  CHECK_ALL(sum(fresh.take()) == size() * (size() - 1) / 2);
  CHECK_ALL(!fresh.stop_requested());
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

TEST_CASE("what a take and a look at the flag cost", "[.][measure]") {
  TaskSharing sharing;
  barrier();
  const int repeats = 100000;
  double start = wall_time();
  for (int i = 0; i < repeats; ++i) sharing.take();
  const double take = maximum((wall_time() - start) / repeats);
  barrier();
  start = wall_time();
  for (int i = 0; i < repeats; ++i) sharing.stop_requested();
  const double look = maximum((wall_time() - start) / repeats);
  if (rank() == 0) std::cout << "take " << take * 1e6 << " us, stop_requested " << look * 1e6 << " us\n";
}
