// A run of the smallest evolution killed by SIGKILL, and gone on with on another number of ranks (mpi.cmake).
#include <csignal>
#include <cstdlib>
#include <random>
#include <unistd.h>

#include "damped_oscillators.hpp"
#include "mpi_test.hpp"
#include "run/checkpoint.hpp"

using namespace cotangent;

namespace {

run::Settings settings(const std::string& suffix = "") {
  const char* name = std::getenv("COTANGENT_TEST_FILE");
  run::Settings settings;
  settings.study = "oscillators";
  settings.deck = "study = \"oscillators\"\n";
  settings.file = (name == nullptr ? "killed.h5" : std::string(name)) + suffix;
  settings.checkpoint_minutes = 0.005 / 60;
  return settings;
}

}  // namespace

TEST_CASE("killed while it runs", "[.][victim-run]") {
  test::DampedOscillators evolution;
  // More than it can take before it dies.
  evolution.steps = 200000;
  evolution.pause = 0.001;
  if (parallel::rank() == parallel::size() - 1) {
    std::random_device seed;
    const auto delay = std::chrono::milliseconds(std::uniform_int_distribution(300, 600)(seed));
    std::thread([delay] {
      std::this_thread::sleep_for(delay);
      ::kill(::getpid(), SIGKILL);
    }).detach();
  }
  run::drive(evolution, settings());
}

TEST_CASE("goes on to the same bits", "[.][survivor-run]") {
  run::Settings resumed = settings();
  resumed.resume = true;
  CHECK_ALL(std::filesystem::exists(io::checkpoint_path(resumed.file)));
  test::DampedOscillators rest, whole;
  rest.steps = whole.steps = 200000;
  CHECK_ALL(run::drive(rest, resumed) == exit_success);
  CHECK_ALL(run::drive(whole, settings(".whole")) == exit_success);
  const io::File file = io::File::open(resumed.file), other = io::File::open(resumed.file + ".whole");
  CHECK_ALL(file.read<std::int64_t>("/run/starts").front() == 2);
  for (const char* set : {"/oscillators/time", "/oscillators/q", "/oscillators/energy"}) {
    INFO(set);
    CHECK_ALL(file.read<double>(set) == other.read<double>(set));
  }
  parallel::on_rank_zero([&] {
    std::filesystem::remove(resumed.file);
    std::filesystem::remove(resumed.file + ".whole");
  });
}
