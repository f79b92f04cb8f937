// SPDX-License-Identifier: BSD-3-Clause
// A run of the smallest evolution killed by SIGKILL, and gone on with on another number of ranks (mpi.cmake).
#include <csignal>
#include <cstdlib>
#include <random>
#include <set>
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

/// Ends this process so many milliseconds after the file was written for the third time: in between rows
/// were, too.
void die_within(const std::filesystem::path& file, int least, int most) {
  std::random_device seed;
  const auto delay = std::chrono::milliseconds(std::uniform_int_distribution(least, most)(seed));
  std::thread([file, delay] {
    std::set<std::filesystem::file_time_type> written;
    while (written.size() < 3) {
      std::error_code none;
      const auto last = std::filesystem::last_write_time(file, none);
      if (!none) written.insert(last);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    std::this_thread::sleep_for(delay);
    ::kill(::getpid(), SIGKILL);
  }).detach();
}

/// A state that says at its head when it was made; the rest follows from that.
class Moments : public test::DampedOscillators {
 public:
  static constexpr std::int64_t rows = 200000;
  double moment = 1;
  bool right = true;

  void state(run::StateFields& state) override {
    const run::Share share = run::Share::even(rows);
    state.number("moment", moment);
    std::vector<double> values;
    for (std::int64_t k = 0; k < share.count && !state.reading(); ++k)
      values.push_back(value(share.first + k));
    state.rows("value", share, 1, values);
    for (std::int64_t k = 0; k < share.count; ++k)
      right = right && values[static_cast<std::size_t>(k)] == value(share.first + k);
  }

 private:
  double value(std::int64_t id) const { return moment / static_cast<double>(id + 1); }
};

}  // namespace

TEST_CASE("killed while it runs", "[.][victim-run]") {
  test::DampedOscillators evolution;
  // More than it can do before it dies.
  evolution.steps = 20000;
  evolution.pause = 0.001;
  const auto checkpoint = io::checkpoint_path(settings().file);
  parallel::on_rank_zero([&] { std::filesystem::remove(checkpoint); });  // of a test that failed
  if (parallel::rank() == parallel::size() - 1) die_within(checkpoint, 0, 300);
  run::drive(evolution, settings());
}

TEST_CASE("goes on to the same bits", "[.][survivor-run]") {
  run::Settings resumed = settings();
  resumed.resume = true;
  CHECK_ALL(std::filesystem::exists(io::checkpoint_path(resumed.file)));
  const auto known = io::File::open(resumed.file).read<double>("/oscillators/time");
  const auto rows = std::ranges::count_if(known, [](double t) { return t > 0; });
  CHECK_ALL((0 < rows && rows < std::ssize(known)));  // something to lose, and something to do
  test::DampedOscillators rest, whole;
  rest.steps = whole.steps = 20000;
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

TEST_CASE("killed while it writes checkpoints", "[.][victim-checkpoint]") {
  Moments moments;
  const auto path = io::checkpoint_path(settings().file);
  run::write_checkpoint(path, {"moments", ""}, {}, moments);
  ++moments.moment;
  run::write_checkpoint(path, {"moments", ""}, {}, moments);  // there is one to take the place of
  if (parallel::rank() == 0) die_within(path, 5, 200);
  for (;; ++moments.moment) run::write_checkpoint(path, {"moments", ""}, {}, moments);
}

TEST_CASE("finds a whole checkpoint", "[.][survivor-checkpoint]") {
  Moments moments;
  const auto path = io::checkpoint_path(settings().file);
  CHECK_ALL(run::read_checkpoint(path, {"moments", ""}, moments));
  CHECK_ALL((moments.right && moments.moment >= 2));
  run::write_checkpoint(path, {"moments", ""}, {}, moments);
  CHECK_ALL(!std::filesystem::exists(path.string() + ".new"));
  run::remove_checkpoint(path);
  CHECK_ALL(!std::filesystem::exists(path));
}
